// Reports how the settings isolate pages of content from each other and from the dashboard, for the log and for
// administrators.
import { readContentAddress } from '../content/address.ts';
import type { Config } from '../main/config/settings.ts';

export interface OriginFinding {
  readonly protected: boolean;
  /** One sentence, with a remedy for a problem. */
  readonly message: string;
}

const REMEDY =
  'Set Server.ContentAddress = "https://*.content.example.com", with a name and a certificate for it.';

/** @param contentPort the second port, if any */
export function originFindings(config: Config, contentPort: number | null): readonly OriginFinding[] {
  const findings: OriginFinding[] = [];
  const holds = (message: string) => findings.push({ protected: true, message });
  const lacks = (message: string) => findings.push({ protected: false, message });
  const contentAddress = readContentAddress(config);
  const address = config['Server.Address'];
  const isLocal = address === '' ? isLoopback(listenName(config)) : isLoopback(new URL(address).hostname);
  const mayBeElsewhere = !isLocal || (address === '' && config['HTTP.TrustProxy'].trim() !== '');
  if (config['Server.ContentOrigin'] === 'shared') {
    lacks(
      `Pages of content share the origin of the dashboard and can read and change other content as their visitor (Server.ContentOrigin = "shared"). Remove that setting. ${REMEDY}`,
    );
  } else if (contentAddress.kind === 'fixed') {
    lacks(
      `All content shares one origin, so a page of content can read and change other content that its visitor has opened. ${REMEDY}`,
    );
  } else if (contentAddress.kind === 'each') {
    holds('Each content item has an origin of its own');
    if (contentAddress.scheme !== 'https')
      lacks(
        'Content is served without encryption: its cookies can be read and replaced on the way. Use https in Server.ContentAddress.',
      );
  } else if (!mayBeElsewhere) {
    holds('Each content item has an origin of its own, below localhost');
  } else if (contentPort !== null) {
    lacks(
      `Where the server is not reached as localhost, all content shares the origin of port ${contentPort}: a page of content can read and change other content that its visitor has opened, and set cookies for the name of the server. Set Server.Address. ${REMEDY}`,
    );
  } else {
    lacks(
      `Content has no origin of its own where the server is not reached as localhost: it is shown in a sandbox, and what is not open to everybody cannot load its own files or sockets there. ${REMEDY}`,
    );
  }
  const isEncrypted = address.startsWith('https:');
  if (mayBeElsewhere && !isEncrypted)
    lacks(
      'People reach this server without encryption, as far as it knows: whoever is on the way can read and take over sessions. Put a proxy with TLS in front and set Server.Address to its https address.',
    );
  return findings;
}

/** Address of the second port: `auto` opens one if nothing else isolates content. Null for none. */
export function contentListenAddress(
  config: Config,
): { readonly address: string; readonly isAuto: boolean } | null {
  const listen = config['HTTP.Listen'];
  const given = config['HTTP.ContentListen'];
  if (given === 'off' || config['Server.ContentOrigin'] === 'shared') return null;
  if (given !== 'auto') return { address: given, isAuto: false };
  const isTold = config['Server.Address'] !== '' || config['HTTP.TrustProxy'].trim() !== '';
  if (isTold || isLoopback(listenName(config))) return null;
  const port = Number(/:(\d+)$/.exec(listen)?.[1]);
  const next = port === 0 || port === 65_535 ? 0 : port + 1;
  return { address: listen.replace(/\d+$/, String(next)), isAuto: true };
}

function listenName(config: Config): string {
  return /^\[?([^\]]*?)\]?:\d+$/.exec(config['HTTP.Listen'])?.[1] ?? '';
}

export function isLoopback(name: string): boolean {
  return /^(?:localhost|[\w.-]+\.localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/.test(name);
}
