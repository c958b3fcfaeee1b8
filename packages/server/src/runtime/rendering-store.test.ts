// Covers what is kept and read of the mails that reports describe: each may have a megabyte.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { insertDeliveries } from '../mailing/store.ts';
import { openStorage } from '../platform/database/storage.ts';
import { findRendering, insertRendering, listRenderings } from './rendering-store.ts';

test('a rendering keeps its mail until the next one, or until it is sent; lists have none', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-renderings-'));
  {
    await using storage = await openStorage(join(directory, 'pressroom.sqlite'));
    const { db } = storage;
    // The content item does not exist.
    await sql`pragma foreign_keys = off`.execute(db);
    const row = { content_guid: 'c', bundle_id: 1, task_id: 't', created_time: 1, mail: '{}' };
    const render = (variant_key: string | null = null) => insertRendering(db, { ...row, variant_key });
    const mailOf = async (id: number) => (await findRendering(db, id))?.mail;

    const [first, ofVariant] = [await render(), await render('v')];
    expect([await mailOf(first), await mailOf(ofVariant)]).toEqual(['{}', '{}']);
    const second = await render();
    expect([await mailOf(first), await mailOf(second), await mailOf(ofVariant)]).toEqual([null, '{}', '{}']);

    const delivery = {
      content_guid: 'c',
      variant_key: '',
      rendering_id: second,
      address: 'a',
      user_guid: null,
    };
    const waiting = { state: 'waiting', attempts: 0, error: '', created_time: 1 } as const;
    await insertDeliveries(db, [{ ...delivery, ...waiting, sent_time: null, next_time: 1 }]);
    await render();
    expect(await mailOf(second)).toBe('{}');
    for (const listed of await listRenderings(db, 'c')) expect(listed).not.toHaveProperty('mail');
  }
  await rm(directory, { recursive: true });
});
