// Covers sockets of content: the server connects to the original one, never to a replacement of the same name (C2).
import { once } from 'node:events';
import { link, mkdtemp, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openContentSocket } from './content-socket.ts';

const uid = process.getuid!();
let directory: string;
const servers: Server[] = [];

async function listening(name: string, message: string): Promise<string> {
  const path = join(directory, name);
  const server = createServer((socket) => socket.end(message));
  servers.push(server);
  await once(server.listen(path), 'listening');
  return path;
}

async function answerAt(path: string): Promise<string> {
  let text = '';
  for await (const chunk of connect(path)) text += String(chunk);
  return text;
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pressroom-socket-'));
});
afterAll(async () => {
  for (const server of servers) server.close();
  await rm(directory, { recursive: true });
});

it('opens the socket of content once it exists', async () => {
  expect(await openContentSocket(join(directory, 'none'), uid)).toBeNull();
  const socket = await openContentSocket(await listening('own', 'mine'), uid);
  expect(await answerAt(socket!.path)).toBe('mine');
  await socket!.close();
});

it('keeps the opened socket when another one takes its name', async () => {
  const path = await listening('first', 'mine');
  const socket = await openContentSocket(path, uid);
  const other = await listening('other', 'of somebody else');
  await rename(path, join(directory, 'moved'));
  await symlink(other, path);
  expect(await answerAt(path)).toBe('of somebody else');
  expect(await answerAt(socket!.path)).toBe('mine');
  await unlink(path);
  await socket!.close();
});

it('rejects links, files and sockets of another account', async () => {
  const other = await listening('engine', 'engine');
  await symlink(other, join(directory, 'link'));
  await writeFile(join(directory, 'file'), '');
  await link(other, join(directory, 'hard'));
  for (const name of ['link', 'file'])
    await expect(openContentSocket(join(directory, name), uid)).rejects.toThrow('replaced its socket');
  await expect(openContentSocket(join(directory, 'hard'), uid + 1)).rejects.toThrow('replaced its socket');
});
