import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, test } from 'vitest';
import { createKeyring, KeyringError } from './keyring.ts';
import type { Link } from './links.ts';
import { MIGRATIONS } from './migrations.ts';
import { openStore } from './store.ts';

const directory = mkdtempSync(join(tmpdir(), 'pressroom-slack-store-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
let files = 0;
const file = () => join(directory, `${(files += 1)}.sqlite`);
const key = (name: string) => `${name}:${randomBytes(32).toString('base64')}`;
const link: Link = {
  team: 'T1',
  slack_user: 'U1',
  slack_name: 'ada',
  server_user: 'guid',
  username: 'ada',
  key_id: null,
  key: 'a secret key',
};

describe('Keyring', () => {
  test('opens a sealed value for the same use only, and rejects a changed one', () => {
    const ring = createKeyring(key('a'));
    const sealed = ring.seal('secret', 'use');
    expect(sealed).not.toContain('secret');
    expect(ring.open(sealed, 'use')).toBe('secret');
    expect(ring.seal('secret', 'use')).not.toBe(sealed);
    expect(() => ring.open(sealed, 'other')).toThrow(KeyringError);
    const bytes = Buffer.from(sealed.slice(2), 'base64');
    bytes[14]! ^= 1;
    expect(() => ring.open(`a:${bytes.toString('base64')}`, 'use')).toThrow(KeyringError);
  });

  test.each(['', 'a', 'a:c2hvcnQ=', `:${randomBytes(32).toString('base64')}`])('rejects %j', (text) => {
    expect(() => createKeyring(text)).toThrow(KeyringError);
  });
});

describe('Store', () => {
  test('never stores an API key in plain text', async () => {
    const where = file();
    await using store = await openStore(where, createKeyring(key('a')));
    await store.saveLink(link);
    expect(await store.findLink('T1', 'U1')).toMatchObject(link);
    const raw = new DatabaseSync(where);
    expect(JSON.stringify(raw.prepare('select * from slack_link').all())).not.toContain('a secret key');
    raw.close();
  });

  // Of bots that act in the same millisecond, too.
  test.each([0, 1000])(
    'two bots that begin another message of a release at once begin one: after %i ms',
    async (later) => {
      let time = 1_000_000;
      await using store = await openStore(file(), createKeyring(key('a')), () => time);
      const release = { team: 'T1', channel: 'C1', content: 'guid', bundle: '7' };
      const step = {
        what: 'preparing' as const,
        who: 'ada',
        reason: null,
        reason_code: null,
        reason_detail: null,
      };
      await store.releases.add(
        { ...release, title: 'Prices', url: null, thread: null },
        { ...step, id: 'a', time, draft_task: null },
      );
      await store.releases.posted(release, '1.1');
      const { release: read } = (await store.releases.find(release))!;
      time += later;
      await store.releases.restart(read);
      await store.releases.posted(release, '2.2');
      await store.releases.restart(read);
      expect((await store.releases.find(release))!.release.ts).toBe('2.2');
    },
  );

  test('marks a message that another bot had taken, as it may have been posted', async () => {
    let time = 1_000_000;
    await using store = await openStore(file(), createKeyring(key('a')), () => time);
    await store.outbox.add({
      id: 'a',
      team: 'T1',
      channel: 'C1',
      reader: null,
      content: null,
      message: '{}',
    });
    expect(await store.outbox.take()).toMatchObject({ id: 'a', isAgain: false });
    expect(await store.outbox.take()).toBeNull();
    // The time after which the message of a killed bot is free again.
    time += 60_000;
    expect(await store.outbox.take()).toMatchObject({ id: 'a', isAgain: true });
  });

  test('edits before the clock was set back do not count as those of the last minute', async () => {
    let time = 10_000_000;
    await using store = await openStore(file(), createKeyring(key('a')), () => time);
    expect(await store.notices.takeEdit('T1', 1)).toBe(true);
    expect(await store.notices.takeEdit('T1', 1)).toBe(false);
    time -= 3_600_000;
    expect(await store.notices.takeEdit('T1', 1)).toBe(true);
    expect(await store.notices.takeEdit('T1', 1)).toBe(false);
  });

  test('a message that waits is posted although the clock was set back', async () => {
    let time = 10_000_000;
    await using store = await openStore(file(), createKeyring(key('a')), () => time);
    const alert = { team: 'T1', channel: 'C1', reader: null, content: null };
    await store.outbox.add({ ...alert, id: 'a', message: '{"text":"a"}' });
    await store.outbox.add({ ...alert, id: 'b', message: '{"text":"b"}' });
    await store.outbox.retry('a', time + 5000);
    expect(await store.outbox.take()).toMatchObject({ id: 'b' });
    time -= 7 * 86_400_000;
    expect(await store.outbox.take()).toMatchObject({ id: 'a' });
    expect(await store.outbox.take()).toMatchObject({ id: 'b' });
  });

  test('removing a workspace leaves nothing known of it', async () => {
    await using store = await openStore(file(), createKeyring(key('a')));
    const known = (team: string) =>
      ['language/TEAM/C1', 'plans/TEAM', 'charts/TEAM'].map((id) => id.replace('TEAM', team));
    const teams = ['T1', 'T12'];
    for (const team of teams) {
      for (const id of known(team)) await store.saveCursor(id, 'x');
      await store.saveCursor(`step/${team}`, JSON.stringify({ team, execution: 'Fx', person: 'U1' }));
    }
    await store.removeTeam('T1');
    const left = await Promise.all(
      teams.flatMap((team) => [...known(team), `step/${team}`]).map((id) => store.readCursor(id)),
    );
    expect(left.map((position) => position !== null)).toEqual([
      ...Array(4).fill(false),
      ...Array(4).fill(true),
    ]);
  });

  test('rejects a store of a newer bot', async () => {
    const where = file();
    await (await openStore(where, createKeyring(key('a'))))[Symbol.asyncDispose]();
    const raw = new DatabaseSync(where);
    raw.exec("insert into slack_migration values ('9999-later', '2030-01-01T00:00:00Z')");
    raw.close();
    await expect(openStore(where, createKeyring(key('a')))).rejects.toThrow('newer');
  });

  test('migrates a store from before kysely’s migrator and keeps its rows', async () => {
    const where = file();
    const ring = createKeyring(key('a'));
    const raw = new DatabaseSync(where);
    const tables = MIGRATIONS['0001-tables']!;
    raw.exec(
      tables
        .replaceAll(' if not exists', '')
        .replaceAll('{int}', 'integer')
        .replaceAll('{strict}', ' strict'),
    );
    raw.exec('create table slack_schema_version (version integer not null)');
    raw.exec('insert into slack_schema_version values (1)');
    raw
      .prepare('insert into slack_link values (?, ?, ?, ?, ?, ?, ?)')
      .run('T1', 'U1', 'ada', 'guid', 'ada', ring.seal('a secret key', 'link/T1/U1'), 1);
    for (let start = 0; start < 2; start += 1) {
      await using store = await openStore(where, ring);
      expect(await store.findLink('T1', 'U1')).toMatchObject(link);
    }
    const names = raw.prepare('select name from slack_migration order by name').all();
    expect(names.map(({ name }) => name)).toEqual(Object.keys(MIGRATIONS));
    expect(raw.prepare("select 1 from sqlite_schema where name = 'slack_schema_version'").all()).toEqual([]);
    raw.close();
  });
});
