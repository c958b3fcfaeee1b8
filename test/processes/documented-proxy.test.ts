// Covers the nginx configuration of docs/operate/proxy.md exactly as documented, except for TLS.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, publish, startNginxDaemon, startTestServer } from '@pressroom/testkit';
import { expect, test } from 'vitest';
import { ask, NAVIGATION } from '../acceptance/raw-request.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/operate/proxy.md'), 'utf8');
const [, printed = ''] = /```nginx\n([\s\S]*?)```/.exec(page) ?? [];
const MAIN = 'https://pressroom.example.com';

test('redirects of a long content address to the sign-in keep all of it', async () => {
  const [port, upstream] = [await freePort(), await freePort()];
  await using server = await startTestServer({
    settings: {
      'Server.Address': MAIN,
      'Server.ContentAddress': 'https://*.content.example.com',
      'HTTP.TrustProxy': '127.0.0.1',
      'HTTP.Listen': `127.0.0.1:${upstream}`,
    },
  });
  const plain = printed
    .replace('listen 443 ssl', `listen 127.0.0.1:${port}`)
    .replaceAll(/ssl_certificate.*/g, '')
    .replace('127.0.0.1:3939', `127.0.0.1:${upstream}`);
  await using _nginx = await startNginxDaemon(port, () => plain);
  const fields = { access_type: 'acl' };
  const { guid } = await publish(await server.administrator(), { 'index.html': 'x' }, { fields });

  let address = new URL(`${MAIN}/content/${guid}/?_inputs_&filters=${'%22'.repeat(700)}`);
  const visited: string[] = [];
  for (;;) {
    const { host, pathname, search } = address;
    const { status, headers } = await ask(`http://127.0.0.1:${port}`, pathname + search, {
      ...NAVIGATION,
      host,
    });
    visited.push(`${status} ${pathname.replace(guid, 'GUID')}`);
    if (headers.location === undefined) break;
    address = new URL(headers.location, address);
  }
  const handOver = '302 /__content-session__';
  expect(visited).toEqual(['307 /content/GUID/', '302 /content/GUID/', handOver, handOver, '200 /__login__']);
});
