// Covers a start with another secret key than the database's, which would silently lose encrypted values.
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startTestServer } from '@pressroom/testkit';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { findContent } from '../../packages/server/src/content/store.ts';
import { checkKeyOfDatabase } from '../../packages/server/src/main/doctor/check-key.ts';

const OTHER = 'another key, of letters that are many enough: 0123456789';

test('startup fails without the key file if the database has entries, and the doctor reports it', async () => {
  await using server = await startTestServer({ own: true });
  await server.person('publisher');
  const { config } = server.running.services;
  const file = join(server.dataDir, 'secret.key');
  const key = await readFile(file, 'utf8');
  expect(await checkKeyOfDatabase(config, server.dataDir)).toEqual([]);
  await rm(file);
  const found = await checkKeyOfDatabase(config, server.dataDir);
  if (config['Database.URL'] !== '') expect(found).toMatchObject([{ what: 'Secret key', state: 'bad' }]);
  await expect(server.restart()).rejects.toThrow(/there is no .*secret\.key, and the database was written/);
  expect(existsSync(file)).toBe(false);
  await writeFile(file, key);
  await server.restart();
});

test('a startup that fails before reading the database creates no key either', async () => {
  await using server = await startTestServer({ own: true });
  await server.person('publisher');
  const file = join(server.dataDir, 'secret.key');
  const key = await readFile(file, 'utf8');
  await rm(file);
  await expect(server.restart({ 'Database.URL': 'mysql://nobody@127.0.0.1:1/none' })).rejects.toThrow();
  await expect(server.restart()).rejects.toThrow(/there is no .*secret\.key, and the database was written/);
  await writeFile(file, key);
  await server.restart();
});

test('reports another key at startup and in the doctor, unless the old one is a previous key', async () => {
  const logged: string[] = [];
  const log = pino({ level: 'error' }, { write: (line) => logged.push(line) });
  await using server = await startTestServer({ own: true, log });
  await server.person('publisher');
  const key = await readFile(join(server.dataDir, 'secret.key'), 'utf8');
  const { config } = server.running.services;
  const renewed = { 'Secrets.Key': OTHER, 'Secrets.PreviousKeys': key };
  const findings = await Promise.all(
    [{ 'Secrets.Key': OTHER }, renewed].map((settings) =>
      checkKeyOfDatabase({ ...config, ...settings }, server.dataDir),
    ),
  );
  expect(findings).toMatchObject([
    [{ state: 'bad', message: expect.stringContaining('than Secrets.Key') }],
    [],
  ]);
  await server.restart(renewed);
  await server.restart();
  expect(logged).toEqual([]);
  await server.restart({ 'Secrets.Key': OTHER });
  expect(logged).toEqual([expect.stringContaining('The database was written with another key')]);
});

test('after the key was lost, the log names what cannot be decrypted, and so does a start of that content', async () => {
  const logged: string[] = [];
  const log = pino({ level: 'error' }, { write: (line) => logged.push(line) });
  await using server = await startTestServer({ own: true, log });
  const ada = await server.person('publisher');
  const { body: content } = await ada.call('POST', '/v1/content', { body: { name: 'lost' } });
  const set = () =>
    ada.call('PATCH', `/v1/content/${content.guid}/environment`, { body: [{ name: 'TOKEN', value: 'x' }] });
  await set();
  await server.restart({ 'Secrets.Key': OTHER });
  expect(logged.map((line) => JSON.parse(line))).toMatchObject([
    { msg: expect.stringContaining('another key') },
    {
      secrets: [`${content.guid}/TOKEN`],
      msg: expect.stringMatching(/^1 secrets cannot be decrypted: .*again/),
    },
  ]);
  const { services } = server.running;
  const row = (await findContent(services.storage.db, content.guid))!;
  await expect(services.secretsOf(row)).rejects.toThrow(
    /^the variable TOKEN cannot be decrypted: it was encrypted with another secret key .*: set it again/,
  );
  await set();
  expect(await services.secretsOf(row)).toContain('x');
});
