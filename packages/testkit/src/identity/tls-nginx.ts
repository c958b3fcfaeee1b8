// A real nginx with TLS in front of a server, for its own host name and those of content, as in docs/operate/proxy.md.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testCertificate } from './certificate.ts';
import type { Daemon } from './daemon.ts';
import { PASSED_ON, startNginxDaemon } from './nginx-daemon.ts';

export interface TlsProxyOptions {
  readonly port: number;
  readonly upstreamPort: number;
  /** Host names; the first label may be `*`. */
  readonly names: readonly string[];
  /** Without it, plain http. */
  readonly tls?: boolean;
}

export function startTlsNginx({ port, upstreamPort, names, tls = true }: TlsProxyOptions): Promise<Daemon> {
  return startNginxDaemon(port, (directory) => {
    const { key, certificate } = testCertificate(names[0]!);
    writeFileSync(join(directory, 'key.pem'), key, { mode: 0o600 });
    writeFileSync(join(directory, 'cert.pem'), certificate);
    const encryption = `ssl_certificate ${directory}/cert.pem; ssl_certificate_key ${directory}/key.pem;`;
    return `
  server {
    listen 127.0.0.1:${port}${tls ? ' ssl' : ''};
    server_name ${names.join(' ')};
    ${tls ? encryption : ''}
    client_max_body_size 0;
    location / {
      proxy_pass http://127.0.0.1:${upstreamPort};${PASSED_ON}    }
  }`;
  });
}
