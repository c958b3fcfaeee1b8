// Responses of identity providers are read up to a limit.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { boundedFetch } from './bounded-fetch.ts';

test('an endless response is not read to its end', async () => {
  let sent = 0;
  const url = await listening((response) => {
    const go = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, ' '))) sent += 65_536;
    };
    response.on('drain', go);
    go();
  });
  await expect(boundedFetch(url, {})).rejects.toThrow('answers with more than');
  expect(sent).toBeLessThan(64 * 2 ** 20);
});

test('other responses keep status, type and body', async () => {
  const url = await listening((response) => {
    response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"no"}');
  });
  const result = await boundedFetch(url, {});
  expect([result.status, result.headers.get('content-type')]).toEqual([400, 'application/json']);
  expect(await result.json()).toEqual({ error: 'no' });
});

test('a response without a body stays without', async () => {
  const url = await listening((response) => void response.writeHead(204).end());
  expect((await boundedFetch(url, {})).status).toBe(204);
});

async function listening(respond: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((_request, response) => respond(response)).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
