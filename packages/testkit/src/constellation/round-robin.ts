// nginx as a round-robin proxy without sessions, as in docs/operate/many-servers.md.
import type { Daemon } from '../identity/daemon.ts';
import { PASSED_ON, startNginxDaemon } from '../identity/nginx-daemon.ts';

export async function startRoundRobin(
  servers: readonly number[],
  port: number,
): Promise<Daemon & { readonly url: string }> {
  const upstream = servers.map((server) => `server 127.0.0.1:${server} max_fails=0;`).join('\n    ');
  const daemon = await startNginxDaemon(
    port,
    () => `
  upstream pressroom {
    ${upstream}
  }
  server {
    listen 127.0.0.1:${port};
    client_max_body_size 0;
    location / {
      proxy_pass http://pressroom;${PASSED_ON}    }
  }`,
  );
  return { ...daemon, url: `http://127.0.0.1:${port}` };
}
