// Connections to the directory: encrypted unless within this machine, bound as the search account.
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { Client, InvalidCredentialsError } from 'ldapts';
import { isSecure } from '../../../main/config/addresses.ts';
import { ConfigError } from '../../../main/config/load-config.ts';
import type { Config } from '../../../main/config/settings.ts';
import { messageOf } from '../../../platform/errors.ts';

export interface LdapConnection extends AsyncDisposable {
  readonly client: Client;
}

export interface LdapConnector {
  /** Not bound yet. */
  connect(): Promise<LdapConnection>;
  /** Bound as the search account. */
  connectToSearch(): Promise<LdapConnection>;
}

/** @throws ConfigError */
export function createLdapConnector(config: Config): LdapConnector {
  const startTls = config['LDAP.StartTLS'];
  const url = encryptedUrl(config['LDAP.URL'], startTls);
  const timeout = config['LDAP.Timeout'] * 1000;
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  const tlsOptions: ConnectionOptions = {
    minVersion: 'TLSv1.2',
    // Verified against the certificate.
    host: hostname,
    ...(isIP(hostname) === 0 && { servername: hostname }),
    ...authorityOf(config),
  };

  async function connect(): Promise<LdapConnection> {
    const client = new Client({
      url: url.href,
      timeout,
      connectTimeout: timeout,
      strictDN: false,
      ...(url.protocol === 'ldaps:' && { tlsOptions }),
    });
    const connection = {
      client,
      [Symbol.asyncDispose]: () => client.unbind().catch(() => undefined),
    };
    try {
      if (startTls) await client.startTLS(tlsOptions);
      return connection;
    } catch (error) {
      await connection[Symbol.asyncDispose]();
      throw error;
    }
  }

  return {
    connect,
    async connectToSearch() {
      const connection = await connect();
      try {
        if (config['LDAP.BindDN'] !== '') {
          await connection.client.bind(config['LDAP.BindDN'], config['LDAP.BindPassword']);
        }
        return connection;
      } catch (error) {
        await connection[Symbol.asyncDispose]();
        // The directory returns only a number.
        if (error instanceof InvalidCredentialsError)
          throw new Error('the directory refuses LDAP.BindDN with LDAP.BindPassword', { cause: error });
        throw error;
      }
    },
  };
}

function encryptedUrl(setting: string, startTls: boolean): URL {
  const url = URL.parse(setting);
  if (startTls && url?.protocol !== 'ldap:') throw new ConfigError('LDAP.StartTLS needs an ldap:// LDAP.URL');
  if (url && (startTls || isSecure(url, 'ldap:'))) return url;
  throw new ConfigError(
    'LDAP.URL must begin with ldaps://, or with ldap:// and LDAP.StartTLS = true (without it on this machine only)',
  );
}

/** The first line in OpenSSL's format. */
const CERTIFICATE = /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----/;

function authorityOf(config: Config): ConnectionOptions {
  const file = config['LDAP.CertificateAuthority'];
  if (file === '') return {};
  try {
    const ca = readFileSync(file);
    // A file without certificates would be accepted, and fail every connection.
    if (!CERTIFICATE.test(ca.toString('latin1'))) throw new Error('it does not contain a certificate');
    return { ca };
  } catch (cause) {
    throw new ConfigError(`LDAP.CertificateAuthority: ${messageOf(cause)}`, { cause });
  }
}
