// Covers data of earlier versions (test/storage/fixtures): this version migrates it, and refuses data of newer ones.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { loadConfig, startServer } from '@pressroom/server';
import { caller, publish, testLog } from '@pressroom/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifyAudit } from '../../packages/server/src/audit/chain.ts';
import { restoreBackup } from '../../packages/server/src/main/backup/restore-backup.ts';

const FIXTURES = join(import.meta.dirname, 'fixtures');
const versions = readdirSync(FIXTURES).flatMap((name) => /^(.+)\.tar\.gz$/.exec(name)?.[1] ?? []);

let machine: string;
beforeEach(() => {
  machine = mkdtempSync(join(tmpdir(), 'pressroom-upgrade-'));
});
afterEach(() => rmSync(machine, { recursive: true, force: true }));

/** Unpacks the backup of a version. Returns it with its known contents. */
function fixture(version: string) {
  const file = join(machine, `${version}.tar`);
  writeFileSync(file, gunzipSync(readFileSync(join(FIXTURES, `${version}.tar.gz`))));
  const known = JSON.parse(readFileSync(join(FIXTURES, `${version}.json`), 'utf8'));
  return { file, known: known as { username: string; key: string; guid: string } };
}
const config = (name: string) =>
  loadConfig({}, { 'Server.DataDir': join(machine, name), 'HTTP.Listen': '127.0.0.1:0' });

test('there is data of version 0.1.0 to upgrade', () => {
  expect(versions).toContain('0.1.0');
});

describe.each(versions)('Data of version %s', (version) => {
  test('is upgraded: people, content, rights, secrets and the audit log', async () => {
    const { file, known } = fixture(version);
    const restored = await restoreBackup(config('data'), file);
    expect(restored).toMatchObject({ key: 'fits', missingBundles: 0 });
    await using server = await startServer({ config: config('data'), log: testLog() });
    const { storage, secrets } = server.services;
    expect(await verifyAudit(storage.db, secrets)).toMatchObject({ unlinked: 0, removed: 0, problem: null });
    const call = caller(() => server.url, known.key);
    const anonymous = caller(() => server.url, null);
    const me = (await call('GET', '/v1/user')).body;
    expect(me).toMatchObject({ username: known.username, user_role: 'publisher' });
    const signIn = { body: { username: known.username, password: 'correct horse' } };
    expect((await anonymous('POST', '//__login__', signIn)).status).toBe(200);
    const path = `/v1/content/${known.guid}`;
    expect((await call('GET', `${path}/environment`)).body).toEqual(['TOKEN']);
    expect((await call('GET', `${path}/vanity`)).body.path).toBe('/kept/');
    expect((await call('GET', `${path}/bundles`)).body).toHaveLength(2);
    expect((await call('GET', `${path}/permissions`)).body).toMatchObject([{ principal_type: 'group' }]);
    expect((await call('GET', `${path}/tags`)).body).toMatchObject([{ name: 'Sales' }]);
    const visits = await call('GET', `/v1/instrumentation/content/visits?content_guid=${known.guid}`);
    expect(visits.body.results.length).toBeGreaterThan(0);
    const page = `//content/${known.guid}/`;
    expect(String((await anonymous('GET', page)).bytes)).toBe('second');
    const again = { ...known, guid: me.guid as string, call };
    await publish(again, { 'index.html': 'third' }, { guid: known.guid });
    expect(String((await anonymous('GET', page)).bytes)).toBe('third');
  });
});

test('data of a newer version is rejected at restore and startup, and stays unchanged', async () => {
  const { file, known } = fixture('0.1.0');
  await restoreBackup(config('newer'), file);
  const directory = join(machine, 'newer');
  const change = (sql: string) => {
    using database = new DatabaseSync(join(directory, 'pressroom.sqlite'));
    database.exec(sql);
  };
  change("insert into schema_migration values ('9999', '2030-01-01T00:00:00.000Z')");
  execFileSync('tar', ['-xf', file, '-C', directory, 'backup.json']);
  const newer = join(machine, 'newer.tar');
  execFileSync('tar', ['-cf', newer, '-C', directory, 'pressroom.sqlite', 'secret.key', 'backup.json']);
  await expect(restoreBackup(config('other'), newer)).rejects.toThrow('was written by a newer version');
  expect(readdirSync(join(machine, 'other'))).toEqual([]);
  const start = () => startServer({ config: config('newer'), log: testLog() });
  await expect(start()).rejects.toThrow('written by a newer version of Pressroom');
  // Without the newer migration, the unchanged data starts.
  change("delete from schema_migration where name = '9999'");
  await using server = await start();
  const call = caller(() => server.url, known.key);
  expect((await call('GET', '/v1/user')).body).toMatchObject({ username: known.username });
});
