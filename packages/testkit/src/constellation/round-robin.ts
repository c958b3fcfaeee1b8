// nginx that gives each request to the next server, and knows nothing of visitors: as docs/operate/many-servers.md shows it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startDaemon, type Daemon } from '../identity/daemon.ts';

export async function startRoundRobin(
  servers: readonly number[],
  port: number,
): Promise<Daemon & { readonly url: string }> {
  const daemon = await startDaemon('nginx', port, (directory) => {
    const path = join(directory, 'nginx.conf');
    writeFileSync(path, configuration(directory, port, servers));
    return ['nginx', '-p', directory, '-c', path, '-e', join(directory, 'error.log')];
  });
  return { ...daemon, url: `http://127.0.0.1:${port}` };
}

function configuration(directory: string, port: number, servers: readonly number[]): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${directory}/${kind};`,
  );
  return `
daemon off;
master_process off;
pid ${directory}/pid;
events {}
http {
  access_log off;
  ${temporary.join('\n  ')}
  map $http_upgrade $connection_upgrade { default upgrade; "" ""; }
  upstream pressroom {
    ${servers.map((server) => `server 127.0.0.1:${server} max_fails=0;`).join('\n    ')}
  }
  server {
    listen 127.0.0.1:${port};
    client_max_body_size 0;
    location / {
      proxy_pass http://pressroom;
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-Host $http_host;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;
      proxy_request_buffering off;
      proxy_buffering off;
      proxy_read_timeout 1h;
    }
  }
}
`;
}
