// Covers a visit that is forwarded to the address of a server which another one has by now.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request as openRequest } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createCluster } from '../cluster/cluster.ts';
import { listenForServers } from '../cluster/listen-for-servers.ts';
import { keepServer } from '../cluster/store.ts';
import { openStorage } from '../platform/database/storage.ts';
import { createSecrets } from '../platform/secrets/secrets.ts';
import { forwardVisit, forwardVisitSocket } from './forward-visit.ts';
import type { ForwardedVisit } from './forwarded-visit.ts';

const log = pino({ level: 'silent' });
const secrets = createSecrets(Buffer.alloc(32, 1).toString('base64'));

test('a visit for a server whose address another one has is answered here', async () => {
  await using stack = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-forward-'));
  stack.defer(() => rm(directory, { recursive: true }));
  const storage = stack.use(await openStorage(join(directory, 'x.sqlite')));
  const never = () => Promise.reject(new Error('not for this server'));
  const other = stack.use(
    await listenForServers(
      '127.0.0.1:0',
      { secrets, node: 'next', log, patience: 0 },
      { calls: {}, visit: never, upgrade: never },
    ),
  );
  const now = Date.now() * 1000;
  const address = `127.0.0.1:${other.port}`;
  await keepServer(storage.db, { node: 'killed', address, started: now, heartbeat: now });
  const cluster = stack.use(
    createCluster({
      storage,
      secrets,
      node: 'own',
      clock: { now: () => now },
      log,
      onRefused: async () => undefined,
    }),
  );
  await cluster.join('127.0.0.1:1');
  const member = await cluster.member('killed');
  const to = { member: member!, isOnly: false };
  const forwarded = {} as ForwardedVisit;
  const server = createServer((request, response) => {
    void forwardVisit(cluster, request, response, to, forwarded).then((done) => {
      if (!done) response.end('here');
    });
  }).on('upgrade', (request, socket: Socket, head) => {
    void forwardVisitSocket(cluster, request, socket, head, to, forwarded).then((done) => {
      if (!done) socket.end('HTTP/1.1 400 Here\r\n\r\n');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  stack.defer(() => void server.close());
  const { port } = server.address() as AddressInfo;
  for (const method of ['GET', 'POST'])
    expect(await (await fetch(`http://127.0.0.1:${port}/`, { method })).text()).toBe('here');
  const headers = { connection: 'Upgrade', upgrade: 'websocket' };
  const socket = openRequest({ host: '127.0.0.1', port, headers }).end();
  const [response] = await once(socket, 'response');
  expect(response.statusCode).toBe(400);
});
