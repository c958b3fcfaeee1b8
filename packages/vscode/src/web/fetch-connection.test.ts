import { text } from 'node:stream/consumers';
import { createClientOver } from '@pressroom/api/client';
import { afterEach, expect, test, vi } from 'vitest';
import { fetchConnection } from './fetch-connection.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const SERVER = 'https://connect.example.com';

function connect() {
  const request = vi.fn<typeof fetch>();
  vi.stubGlobal('fetch', request);
  const client = createClientOver({ url: SERVER, apiKey: 'KEY', dialect: 'ga', retries: 2 }, fetchConnection);
  return { request, client };
}

/** As browsers that cannot iterate over streams have it. */
function streamOf(...pieces: string[]): ReadableStream<Uint8Array> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
      controller.close();
    },
  });
  Object.assign(body, { values: undefined, [Symbol.asyncIterator]: undefined });
  return body;
}

const responseOf = (body: ReadableStream | null) => ({
  type: 'basic',
  status: 200,
  headers: new Headers(),
  body,
});

test('a change is not sent again when the browser lost the connection: the server may have made it', async () => {
  const { request, client } = connect();
  request.mockRejectedValue(new TypeError('Failed to fetch'));
  await expect(client.createContent({ name: 'report' })).rejects.toMatchObject({
    kind: 'refused',
    nothingSent: false,
  });
  expect(request).toHaveBeenCalledTimes(1);
});

test('a response is read in browsers that cannot iterate over streams', async () => {
  const { request, client } = connect();
  request.mockResolvedValue(responseOf(streamOf('{"guid":', '"g"}')) as Response);
  expect(await client.getContent({ guid: 'g' })).toMatchObject({ guid: 'g' });
});

test('a response that stalls times out', async () => {
  const stalled = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{')),
  });
  vi.stubGlobal('fetch', async () => responseOf(stalled));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const connection = fetchConnection({ url: SERVER } as Parameters<typeof fetchConnection>[0]);
  const { body } = await connection.request({
    origin: SERVER,
    path: '/',
    method: 'GET',
    headers: {},
    headersTimeout: 1000,
    bodyTimeout: 1000,
  });
  const read = text(body);
  await expect(Promise.all([read, vi.advanceTimersByTimeAsync(1000)])).rejects.toMatchObject({
    code: 'UND_ERR_BODY_TIMEOUT',
  });
});
