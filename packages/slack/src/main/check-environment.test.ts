// Covers invalid settings that only show in a request: reported at the start.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkEnvironment, unknownVariables } from './check-environment.ts';
import { loadBotConfig } from './config.ts';

let both: Server;
let url: string;
/** Stands in for the content server and for Slack; each accepts one secret. */
beforeEach(async () => {
  both = createServer((request, response) => {
    const { authorization = '' } = request.headers;
    if (request.url === '/__api__/server_settings') response.end('{}');
    else if (request.url === '/__api__/v1/user')
      response.writeHead(authorization === 'Key good' ? 200 : 401).end('{}');
    else if (request.url?.startsWith('/moved/'))
      response.writeHead(301, { location: request.url.replace('/moved', '') }).end();
    else if (request.url === '/slack/auth.test')
      response
        .setHeader('Content-Type', 'application/json')
        .end(
          JSON.stringify(
            authorization === 'Bearer xoxb-good' ? { ok: true } : { ok: false, error: 'invalid_auth' },
          ),
        );
    else response.writeHead(404).end();
  });
  await once(both.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(both.address() as AddressInfo).port}`;
});
afterEach(() => both.close());

const config = (given: Record<string, string> = {}) =>
  loadBotConfig({
    CONNECT_SERVER: url,
    SLACK_BOT_TOKEN: 'xoxb-good',
    SLACK_API_URL: `${url}/slack/`,
    SLACK_SIGNING_SECRET: 's',
    PRESSROOM_SLACK_KEYS: 'k:x',
    PRESSROOM_SLACK_SERVICE_KEY: 'good',
    ...given,
  });

test('reports nothing when the server and Slack accept the settings', async () => {
  expect(await checkEnvironment(config())).toEqual([]);
});

test('names the variables of a wrong address, key or token without showing secrets', async () => {
  expect(await checkEnvironment(config({ CONNECT_SERVER: `${url}/elsewhere` }))).toEqual([
    `${url}/elsewhere returns 404: check CONNECT_SERVER`,
  ]);
  expect(await checkEnvironment(config({ CONNECT_SERVER: 'http://127.0.0.1:1' }))).toEqual([
    expect.stringMatching(/^http:\/\/127.0.0.1:1 does not respond \(.+\): check CONNECT_SERVER$/),
  ]);
  const wrong = config({ PRESSROOM_SLACK_SERVICE_KEY: 'secret-1', SLACK_BOT_TOKEN: 'xoxb-secret-2' });
  const said = await checkEnvironment(wrong);
  expect(said).toEqual([
    `${url} refuses the key of PRESSROOM_SLACK_SERVICE_KEY`,
    expect.stringMatching(/^Slack does not take SLACK_BOT_TOKEN: .*invalid_auth/),
  ]);
  expect(said.join()).not.toContain('secret');
});

test('reports an address that redirects, which clients do not follow', async () => {
  expect(await checkEnvironment(config({ CONNECT_SERVER: `${url}/moved` }))).toEqual([
    `${url}/moved returns 301: check CONNECT_SERVER`,
  ]);
});

test.each([
  ['localhost:3939', 'http://localhost:3939'],
  ['connect.example.com:8443', 'https://connect.example.com:8443'],
  ['https://example.com/connect/__dashboard__/', 'https://example.com/connect'],
])('the server %s is %s, as other clients read it', (text, server) => {
  expect(config({ CONNECT_SERVER: text }).server).toBe(server);
});

test.each(['ftp://example.com', 'https://name:secret@example.com'])(
  'the server %s is refused without its secrets',
  (text) => {
    const problem = expect.objectContaining({ name: 'ConfigError' }) as Error;
    expect(() => config({ CONNECT_SERVER: text })).toThrow(problem);
    expect(() => config({ CONNECT_SERVER: text })).not.toThrow(/secret/);
  },
);

test('does not blame the token when Slack does not respond', async () => {
  expect(await checkEnvironment(config({ SLACK_API_URL: 'http://127.0.0.1:1/' }))).toEqual([
    expect.stringMatching(
      /^http:\/\/127.0.0.1:1\/ does not respond \(.+\): check the network, or HTTPS_PROXY$/,
    ),
  ]);
});

test('names unknown variables of the bot', () => {
  const env = {
    PRESSROOM_SLACK_KEYS_FILE: '/run/keys',
    PRESSROOM_SLACK_CHANEL: 'C1',
    PRESSROOM_HTTP_LISTEN: ':1',
  };
  expect(unknownVariables(env)).toEqual(['PRESSROOM_SLACK_CHANEL']);
});
