// Certificate authorities trusted by a client: the usual ones and those of the organisation.
import { readFileSync } from 'node:fs';
import * as tls from 'node:tls';
import { ClientOptionsError } from './failures.ts';

export interface CertificateOptions {
  /** PEM text or the path of a PEM file, one or several. */
  ca?: string | readonly string[] | undefined;
  /** Read for CONNECT_CA_CERTIFICATE and NODE_EXTRA_CA_CERTS, both paths of PEM files. */
  env: Readonly<Record<string, string | undefined>>;
  /** Called if NODE_EXTRA_CA_CERTS cannot be read, which is no error for Node either. */
  onWarning: (message: string) => void;
}

/** All trusted authorities as PEM, or undefined for the usual ones only. Throws ClientOptionsError. */
export function trustedAuthorities(options: CertificateOptions): string[] | undefined {
  const given = options.ca === undefined ? [] : [options.ca].flat();
  const own = given.map((item) => (item.includes('-----BEGIN') ? item : readPem(item)));
  const configured = options.env['CONNECT_CA_CERTIFICATE'];
  if (configured) own.push(readPem(configured));
  const extra = options.env['NODE_EXTRA_CA_CERTS'];
  if (extra) {
    try {
      own.push(readPem(extra));
    } catch (error) {
      options.onWarning((error as Error).message);
    }
  }
  // Node's `ca` replaces its list, but an organisation's authority is meant in addition to it.
  return own.length === 0 ? undefined : [...tls.getCACertificates('default'), ...own];
}

function readPem(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ClientOptionsError(
      `The certificate file ${file} cannot be read.`,
      'Check its path and permissions.',
      error,
    );
  }
  if (!text.includes('-----BEGIN')) {
    throw new ClientOptionsError(
      `The file ${file} holds no PEM certificate.`,
      'Convert it to PEM (Base64) form.',
    );
  }
  return text;
}
