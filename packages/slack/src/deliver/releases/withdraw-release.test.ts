import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createKeyring } from '../../store/keyring.ts';
import { openStore } from '../../store/store.ts';
import { withdrawRelease } from './withdraw-release.ts';

const directory = mkdtempSync(join(tmpdir(), 'pressroom-withdrawn-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test('an event of a withdrawn release that failed half-way still updates the message when it is sent again', async () => {
  const ring = createKeyring(`a:${randomBytes(32).toString('base64')}`);
  await using store = await openStore(join(directory, 'bot.sqlite'), ring);
  const key = { team: 'T1', channel: 'C1', content: 'guid', bundle: '5' };
  const asked = {
    id: '1',
    what: 'asked',
    who: 'Ada',
    time: 1,
    reason: null,
    reason_code: null,
    reason_detail: null,
    draft_task: null,
  } as const;
  await store.releases.add({ ...key, title: 'Report', url: null, thread: null }, asked);
  const content = { guid: key.content, title: 'Report', url: null };
  const event = { id: '2', what: 'withdrawn', who: 'Ada', time: 2, content, bundle: key.bundle } as const;
  const sent: string[] = [];
  let isDown = true;
  const alerts = {
    async send({ id }: { readonly id: string }) {
      if (isDown) throw new Error('the database is away');
      sent.push(id);
    },
  };
  await expect(withdrawRelease({ store, alerts }, event)).rejects.toThrow('away');
  isDown = false;
  await withdrawRelease({ store, alerts }, event);
  expect(sent).toEqual(['event:2:T1:C1']);
  await withdrawRelease({ store, alerts }, { ...event, id: '3' });
  expect(sent, 'it has ended').toHaveLength(1);
});
