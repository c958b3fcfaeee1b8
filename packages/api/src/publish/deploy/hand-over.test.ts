import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { handOver } from './hand-over.ts';

const started = { server: 'http://s', content_guid: 'c', task_id: 't', bundle_id: '1' };

test('what is handed over is signed, and the secret stays here', async () => {
  const server = createServer((_request, response) => void response.end('{}')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const asked = once(server, 'request');
  const done = handOver({ url, secret: 'shared', source: 'ci' }, started, () => 5000);
  const [request] = await asked;
  expect(request.url).toBe('/hooks/deployments');
  const body = JSON.stringify({ ...started, source: 'ci' });
  expect(request.headers['x-pressroom-timestamp']).toBe('5');
  expect(request.headers['x-pressroom-signature']).toBe(
    `v0=${createHmac('sha256', 'shared').update(`v0:5:${body}`).digest('hex')}`,
  );
  expect(await done).toBeNull();
  server.close();
});

test('a bot that is not there is a sentence, not a failure', async () => {
  const problem = await handOver(
    { url: 'http://127.0.0.1:1', secret: 'shared', source: 'cli' },
    started,
    Date.now,
  );
  expect(problem).toContain('could not be notified of the deploy');
  expect(problem).not.toContain('shared');
});
