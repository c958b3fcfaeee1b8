import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Client } from '../../client/client.ts';
import { createFakeClock } from '../../client/testing/fake-clock.ts';
import { readRecords, writeRecord } from '../records/record.ts';
import { keepRecord, type Deployed } from './keep-record.ts';

const SERVER = 'http://127.0.0.1:1';
const GUID = '3f3c1d3e-0000-4000-8000-000000000001';

test('a later publish that is recorded while this one writes stays in the record', async () => {
  const dir = await mkdtemp(path.join(tmpdir(), 'pressroom-record-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  const first = { server: SERVER, guid: GUID, name: 'page', app_mode: 'static', entrypoint: 'index.html' };
  const file = await writeRecord(dir, {
    ...first,
    bundle_id: '3',
    deployed_time: '2026-01-01T00:00:00.000Z',
  });
  let live = '4';
  const client = { url: SERVER, getContent: async () => ({ bundle_id: live }) };
  const fake = createFakeClock();
  // The time is asked for between the reading and the writing of the record.
  const clock = {
    ...fake,
    now: () => {
      live = '5';
      writeFileSync(file, readFileSync(file, 'utf8').replace('"3"', '"5"'));
      return fake.now();
    },
  };
  const deployed = {
    target: { content: { guid: GUID, name: 'page', bundle_id: '3' } },
    prepared: { event: { app_mode: 'static', entrypoint: 'index.html' } },
    file,
    bundle_id: '4',
    live: '4',
  };
  const kept = await keepRecord(
    { dir, client: client as unknown as Client },
    clock,
    deployed as unknown as Deployed,
  );
  expect(kept).toEqual({ file });
  expect(await readRecords(dir)).toMatchObject([{ guid: GUID, bundle_id: '5' }]);
});
