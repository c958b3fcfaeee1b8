// A real nginx on this machine; tests differ in its `http` block.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startDaemon, type Daemon } from './daemon.ts';

/** @param http fills the directory, and returns the contents of the `http` block. */
export function startNginxDaemon(port: number, http: (directory: string) => string): Promise<Daemon> {
  return startDaemon('nginx', port, (directory) => {
    const path = join(directory, 'nginx.conf');
    writeFileSync(path, configuration(directory, http(directory)));
    return ['nginx', '-p', directory, '-c', path, '-e', join(directory, 'error.log')];
  });
}

function configuration(directory: string, http: string): string {
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
  ${http}
}
`;
}

/** Settings for every request in docs/operate/proxy.md: sockets, streams and long responses pass unchanged. */
export const PASSED_ON = `
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-Host $http_host;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;
      proxy_request_buffering off;
      proxy_buffering off;
      proxy_buffer_size 16k;
      proxy_buffers 4 16k;
      proxy_read_timeout 1h;
`;
