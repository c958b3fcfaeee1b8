// A real nginx with TLS in front of a server, for its own name and the names of content: what docs/operate/proxy.md shows.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testCertificate } from './certificate.ts';
import { startDaemon, type Daemon } from './daemon.ts';

export interface TlsProxyOptions {
  readonly port: number;
  readonly upstreamPort: number;
  /** Names that it answers for; a first label may be `*`. */
  readonly names: readonly string[];
  /** Without it, plain http. */
  readonly tls?: boolean;
}

export function startTlsNginx({ port, upstreamPort, names, tls = true }: TlsProxyOptions): Promise<Daemon> {
  return startDaemon('nginx', port, (directory) => {
    const { key, certificate } = testCertificate(names[0]!);
    writeFileSync(join(directory, 'key.pem'), key, { mode: 0o600 });
    writeFileSync(join(directory, 'cert.pem'), certificate);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (kind) => `${kind}_temp_path ${directory}/${kind};`,
    );
    const encryption = `ssl_certificate ${directory}/cert.pem; ssl_certificate_key ${directory}/key.pem;`;
    writeFileSync(
      join(directory, 'nginx.conf'),
      `
daemon off;
master_process off;
pid ${directory}/pid;
events {}
http {
  access_log off;
  ${temporary.join('\n  ')}
  map $http_upgrade $connection_upgrade { default upgrade; "" ""; }
  server {
    listen 127.0.0.1:${port}${tls ? ' ssl' : ''};
    server_name ${names.join(' ')};
    ${tls ? encryption : ''}
    client_max_body_size 0;
    location / {
      proxy_pass http://127.0.0.1:${upstreamPort};
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;
      proxy_request_buffering off;
      proxy_buffering off;
    }
  }
}
`,
    );
    return [
      'nginx',
      '-p',
      directory,
      '-c',
      join(directory, 'nginx.conf'),
      '-e',
      join(directory, 'error.log'),
    ];
  });
}
