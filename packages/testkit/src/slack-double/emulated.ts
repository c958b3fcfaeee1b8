// `emulate` as an independent second Slack: strictly checks the scopes of the app manifest.
import { once } from 'node:events';
import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createEmulator } from 'emulate';

export interface EmulatedSlack extends AsyncDisposable {
  /** For `slackApiUrl`; calls are counted, and can be made to fail. */
  readonly apiUrl: string;
  /** Errors of the next calls by method; `html` is a page instead of a response. */
  readonly faults: Record<string, string[]>;
  /** Called methods. */
  readonly calls: readonly string[];
  readonly token: string;
  // A test states what it expects of the response; the compiler need not know it too.
  // oxlint-disable-next-line typescript/no-explicit-any
  call(method: string, args?: Readonly<Record<string, string>>): Promise<any>;
}

const TOKEN = 'xoxb-emulate-test';

export async function startEmulatedSlack(
  scopes: readonly string[],
  user: { name: string; email: string },
): Promise<EmulatedSlack> {
  const emulator = await createEmulator({
    service: 'slack',
    port: 0,
    seed: {
      slack: {
        users: [{ name: user.name, real_name: user.name, email: user.email }],
        channels: [{ name: 'data-science' }],
        bots: [{ name: 'pressroom' }],
        tokens: [{ token: TOKEN, user: user.name, scopes: [...scopes] }],
        strict_scopes: true,
      },
    },
  });
  const apiUrl = `${emulator.url}/api/`;
  const faults: EmulatedSlack['faults'] = {};
  const calls: string[] = [];
  const proxy = createServer((request, response) => {
    const method = (request.url ?? '').replace(/^\/api\//, '').replace(/\?.*$/, '');
    calls.push(method);
    const word = faults[method]?.shift();
    if (word === undefined) return forward(request, response, emulator.url);
    request.resume();
    const isPage = word === 'html';
    response.writeHead(200, { 'content-type': isPage ? 'text/html' : 'application/json' });
    return void response.end(
      isPage ? '<!doctype html><title>Oh</title>' : JSON.stringify({ ok: false, error: word }),
    );
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    apiUrl: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/api/`,
    faults,
    calls,
    token: TOKEN,
    async call(method, args = {}) {
      const response = await fetch(apiUrl + method, {
        method: 'POST',
        headers: { authorization: `Bearer ${TOKEN}` },
        body: new URLSearchParams(args),
      });
      return response.json();
    },
    async [Symbol.asyncDispose]() {
      proxy.closeAllConnections();
      proxy.close();
      await emulator.close();
    },
  };
}

function forward(request: IncomingMessage, response: ServerResponse, to: string): void {
  const { host: _host, ...headers } = request.headers;
  const onward = ask(to + (request.url ?? ''), { method: request.method, headers }, (upstream) => {
    response.writeHead(upstream.statusCode ?? 502, upstream.headers);
    upstream.pipe(response);
  });
  onward.on('error', () => response.destroy());
  request.pipe(onward);
}
