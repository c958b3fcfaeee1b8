// Covers the file of API keys: several commands that write it at once.
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { credentialsFile, readCredentials, storeCredential } from './credentials.ts';

let home: string;
let env: Record<string, string>;
beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'pressroom-credentials-'));
  env = { XDG_CONFIG_HOME: home };
});
afterEach(() => rm(home, { recursive: true }));

test('keeps the keys of all servers that are signed in to at the same time', async () => {
  const servers = Array.from({ length: 8 }, (_, i) => `https://s${i}.example.com`);
  await Promise.all(
    servers.map((server) => storeCredential(env, server, { api_key: server, username: 'ada' })),
  );
  expect(Object.keys((await readCredentials(env)).servers).sort()).toEqual(servers);
  expect(await readdir(path.dirname(credentialsFile(env)))).toEqual(['credentials.json']);
});

test('a command that was killed while it stored a key blocks no other', async () => {
  const lock = `${credentialsFile(env)}.lock`;
  await mkdir(path.dirname(lock), { recursive: true });
  await writeFile(lock, '');
  const before = new Date(Date.now() - 60_000);
  await utimes(lock, before, before);
  await storeCredential(env, 'https://a.example.com', { api_key: 'k', username: 'ada' });
  expect(Object.keys((await readCredentials(env)).servers)).toEqual(['https://a.example.com']);
});
