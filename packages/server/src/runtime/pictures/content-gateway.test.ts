// Covers the gateway for pages of content, which may request anything.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openGateway } from './content-gateway.ts';

it('returns 404 for an invalid path and for a path of other content', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'pressroom-gateway-'));
  const content = createServer((_asked, response) => response.end('page')).listen(0, '127.0.0.1');
  await once(content, 'listening');
  const address = `http://127.0.0.1:${(content.address() as AddressInfo).port}`;
  const socket = join(directory, 'socket');
  const gateway = await openGateway({ socket, address, path: '/content/a/', key: 'k' });
  try {
    const statusOf = async (path: string) => {
      const asked = request({ socketPath: socket, path });
      const answered = once(asked, 'response') as Promise<[IncomingMessage]>;
      asked.end();
      const [result] = await answered;
      result.resume();
      return result.statusCode;
    };
    const paths = ['/content/a/', '//', 'http://[', '/content/b/'];
    expect(await Promise.all(paths.map(statusOf))).toEqual([200, 404, 404, 404]);
  } finally {
    await gateway[Symbol.asyncDispose]();
    content.close();
    rmSync(directory, { recursive: true });
  }
});
