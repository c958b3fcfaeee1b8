// A real nginx in front of a server: it asks for a password and names the person in headers.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import type { Daemon } from './daemon.ts';
import { startNginxDaemon } from './nginx-daemon.ts';
import { KNOWN_PEOPLE } from './people.ts';

export interface TestProxy extends Daemon {
  readonly url: string;
}

export interface ProxyOptions {
  readonly upstreamPort: number;
  readonly port?: number;
  /** Additional headers in nginx's syntax; `$visitor`, `$first_name` and `$last_name` are defined. */
  readonly headers?: readonly string[];
}

/** As in docs/secure/sign-in.md: API keys pass through, everybody else signs in to nginx. */
export async function startNginx({ upstreamPort, port, headers = [] }: ProxyOptions): Promise<TestProxy> {
  const listen = port ?? (await freePort());
  const daemon = await startNginxDaemon(listen, (directory) => {
    const people = Object.values(KNOWN_PEOPLE).map(
      ({ username, password }) => `${username}:${hashOf(password)}\n`,
    );
    writeFileSync(join(directory, 'people'), people.join(''), { mode: 0o600 });
    return configuration(directory, listen, upstreamPort, headers);
  });
  return { ...daemon, url: `http://127.0.0.1:${listen}` };
}

function hashOf(password: string): string {
  return execFileSync('openssl', ['passwd', '-apr1', password], { encoding: 'utf8' }).trim();
}

function configuration(directory: string, port: number, upstream: number, headers: readonly string[]) {
  const people = (['first_name', 'last_name'] as const).map((field) => {
    const names = Object.values(KNOWN_PEOPLE).map((person) => `${person.username} "${person[field]}";`);
    return `map $visitor $${field} { ${names.join(' ')} }`;
  });
  return `
  map $http_authorization $realm { "~*^(Key |Bearer pressroom_)" off; default "Sign in"; }
  map $http_authorization $visitor { "~*^(Key |Bearer pressroom_)" ""; default $remote_user; }
  ${people.join('\n  ')}
  map $http_authorization $key { "~*^(Key |Bearer pressroom_)" $http_authorization; default ""; }
  server {
    listen 127.0.0.1:${port};
    location ~ ^/(__api__/(server_settings|v1/device_sign_in|v1/device_sign_in/token|v1/ci/token|v1/content/[^/]+/repository/push)|__login__/oauth/(register|device|token)|\\.well-known/oauth-authorization-server)$ {
      proxy_pass http://127.0.0.1:${upstream};
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_set_header Authorization $key;
      proxy_set_header X-Auth-Username "";
    }
    location / {
      auth_basic $realm;
      auth_basic_user_file ${directory}/people;
      proxy_pass http://127.0.0.1:${upstream};
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_set_header Authorization $key;
      proxy_set_header X-Auth-Username $visitor;
      ${headers.join('\n      ')}
    }
  }`;
}
