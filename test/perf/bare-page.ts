// The floor for a page: Node.js that only sends a file from memory.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const body = readFileSync(process.env.BARE_PAGE!);
const headers = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Length': body.length,
  'Cache-Control': 'no-cache',
};
const server = createServer((_request, response) => response.writeHead(200, headers).end(body));
await once(server.listen(0, '127.0.0.1'), 'listening');
console.log(`It listens on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
