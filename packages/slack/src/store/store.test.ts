import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, test } from 'vitest';
import { createKeyring, KeyringError } from './keyring.ts';
import { openStore, type Link } from './store.ts';
import type { NewNotice } from './notices.ts';

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
  key: 'a secret key',
};
const notice: NewNotice = {
  team: 'T1',
  channel: 'C1',
  task: 'task1',
  otherwise: 'audit:1',
  content: 'c',
  title: 'Sales',
  url: null,
  bundle: '1',
  who: 'Ada',
  via: 'from Slack',
  slack_user: 'U1',
  previous: null,
  only_failures: 0,
  started_time: 1,
};

describe('keyring', () => {
  test('what was sealed opens for the same use only, and not when a bit was changed', () => {
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

  test.each(['', 'a', 'a:c2hvcnQ=', `:${randomBytes(32).toString('base64')}`])('%j is no keyring', (text) => {
    expect(() => createKeyring(text)).toThrow(KeyringError);
  });
});

describe('store', () => {
  test('an API key never stands in the file', async () => {
    const where = file();
    await using store = await openStore(where, createKeyring(key('a')));
    await store.saveLink(link);
    expect(await store.findLink('T1', 'U1')).toMatchObject(link);
    const raw = new DatabaseSync(where);
    expect(JSON.stringify(raw.prepare('select * from slack_link').all())).not.toContain('a secret key');
    raw.close();
  });

  test('a rotation seals everything with the newest key, after which the old one can go', async () => {
    const [where, old, fresh] = [file(), key('old'), key('new')];
    {
      await using store = await openStore(where, createKeyring(old));
      await store.saveLink(link);
      await store.saveInstallation('T1', '{"token":"xoxb"}');
    }
    {
      await using store = await openStore(where, createKeyring(`${fresh},${old}`));
      expect(await store.rotate()).toBe(2);
      expect(await store.rotate()).toBe(0);
    }
    await using store = await openStore(where, createKeyring(fresh));
    expect((await store.findLink('T1', 'U1'))?.key).toBe('a secret key');
    expect(await store.readInstallation('T1')).toContain('xoxb');
  });

  test('a store of a newer bot is refused', async () => {
    const where = file();
    await (await openStore(where, createKeyring(key('a'))))[Symbol.asyncDispose]();
    const raw = new DatabaseSync(where);
    raw.exec('update slack_schema_version set version = 99');
    raw.close();
    await expect(openStore(where, createKeyring(key('a')))).rejects.toThrow('newer');
  });

  test('a deploy is reserved once a channel, whoever comes first', async () => {
    await using store = await openStore(file(), createKeyring(key('a')));
    const all = await Promise.all(Array.from({ length: 20 }, () => store.notices.reserve(notice)));
    expect(all.filter(({ fresh }) => fresh)).toHaveLength(1);
    expect(new Set(all.map((result) => result.notice.id)).size).toBe(1);
    expect((await store.notices.reserve({ ...notice, channel: 'C2' })).fresh).toBe(true);
  });

  test('the first click wins; after a failure somebody may try again', async () => {
    await using store = await openStore(file(), createKeyring(key('a')));
    expect(await store.claimClick('x', 'U1', 'ada')).toBeNull();
    expect(await store.claimClick('x', 'U2', 'bob')).toMatchObject({ slack_name: 'ada', task: null });
    await store.releaseClick('x');
    expect(await store.claimClick('x', 'U2', 'bob')).toBeNull();
    await store.finishClick('x', 'task');
    await store.releaseClick('x');
    expect(await store.claimClick('x', 'U1', 'ada')).toMatchObject({ slack_name: 'bob', task: 'task' });
  });

  test('a waiting line is taken once, by whom it belongs to, within its time', async () => {
    let time = 1_000_000_000;
    await using store = await openStore(file(), createKeyring(key('a')), () => time);
    const add = () =>
      store.addPending({
        team: 'T1',
        slack_user: 'U1',
        channel: 'C1',
        line: 'status',
        response_url: 'http://r',
      });
    const id = await add();
    expect(await store.takePending(id, 'T1', 'U2')).toBeNull();
    expect((await store.takePending(id, 'T1', 'U1'))?.line).toBe('status');
    expect(await store.takePending(id, 'T1', 'U1')).toBeNull();
    const late = await add();
    time += 2 * 3_600_000;
    expect(await store.takePending(late, 'T1', 'U1')).toBeNull();
  });

  test('the budget of edits holds for a minute, for each workspace of its own', async () => {
    let time = 0;
    await using store = await openStore(file(), createKeyring(key('a')), () => time);
    const take = (team: string) => store.notices.takeEdit(team, 3);
    expect(await Promise.all([take('T1'), take('T1'), take('T1'), take('T1')])).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(await take('T2')).toBe(true);
    time += 60_000;
    expect(await take('T1')).toBe(true);
  });

  test('an event is seen first once, a digest is due until it is finished', async () => {
    let time = 10 * 86_400_000;
    await using store = await openStore(file(), createKeyring(key('a')), () => time);
    expect([await store.firstSight('e'), await store.firstSight('e')]).toEqual([true, false]);
    const subscription = {
      team: 'T1',
      channel: 'C1',
      content: 'c',
      title: 'Sales',
      slack_user: 'U1',
      slack_name: 'ada',
    };
    await store.saveSubscription({ ...subscription, filters: 'failures,usage-weekly', quiet: null });
    await store.saveSubscription({ ...subscription, content: 'd', filters: 'deploys', quiet: null });
    time += 8 * 86_400_000;
    const due = await store.dueDigests(time);
    expect(due.map(({ content }) => content)).toEqual(['c']);
    await store.finishDigest(due[0]!, time);
    expect(await store.dueDigests(time)).toEqual([]);
    expect(await store.subscriptions({ channel: 'C1' })).toHaveLength(2);
    expect(await store.removeSubscription('T1', 'C1', 'c')).toBe(true);
    expect(await store.removeSubscription('T1', 'C1', 'c')).toBe(false);
  });
});
