import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, test } from 'vitest';
import { createKeyring, KeyringError } from './keyring.ts';
import { openStore, type Link } from './store.ts';

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

  test('a store of a newer bot is refused', async () => {
    const where = file();
    await (await openStore(where, createKeyring(key('a'))))[Symbol.asyncDispose]();
    const raw = new DatabaseSync(where);
    raw.exec('update slack_schema_version set version = 99');
    raw.close();
    await expect(openStore(where, createKeyring(key('a')))).rejects.toThrow('newer');
  });
});
