// Covers messages at the start about leftovers: an orderly stop is not a crash.
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { publish, startTestServer } from '@pressroom/testkit';
import { pino } from 'pino';
import { expect, test } from 'vitest';

test('a restart after a redeploy does not report an unexpected stop', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(line) });
  await using server = await startTestServer({ log });
  const owner = await server.person('publisher');
  const { guid } = await publish(owner, { 'index.html': 'first' });
  await publish(owner, { 'index.html': 'second' }, { guid });
  lines.length = 0;
  await server.restart();
  expect(lines.join('')).toContain('removed what content served before its last deploy');
  expect(lines.join('')).not.toContain('unexpectedly');
  const sites = () => readdir(join(server.dataDir, 'content', guid));
  await expect.poll(sites).toEqual([expect.stringMatching(/^2-\w+$/)]);
});

test('a backup that was being made when the server was killed is removed at the next start', async () => {
  await using server = await startTestServer();
  const left = join(server.dataDir, 'backup-download-Xy12ab');
  await mkdir(left);
  await writeFile(join(left, 'pressroom.tar'), 'everything');
  await server.restart();
  expect(await readdir(server.dataDir)).not.toContain('backup-download-Xy12ab');
});

test('backups that somebody keeps in the data directory stay', async () => {
  await using server = await startTestServer();
  await writeFile(join(server.dataDir, 'backup-monday.tar'), 'everything');
  await mkdir(join(server.dataDir, 'backup-Xy12ab'));
  await server.restart();
  expect(await readdir(server.dataDir)).toEqual(
    expect.arrayContaining(['backup-monday.tar', 'backup-Xy12ab']),
  );
});
