// Covers naming a target: the name goes into the record as it is at that time.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRecords, writeRecord } from '@pressroom/api/publish';
import { expect, onTestFinished, test } from 'vitest';
import { window } from 'vscode';
import type { CommandParts } from './command.ts';
import { nameTarget } from './name-target.ts';

const RECORD = {
  server: 'https://example.com',
  guid: 'aaaaaaaa-0000-4000-8000-000000000001',
  name: 'report',
  app_mode: 'static',
  entrypoint: 'index.html',
  bundle_id: null,
  deployed_time: '2026-01-01T00:00:00Z',
};

/** @param meanwhile runs while the name is typed */
async function name(meanwhile: (dir: string, file: string) => Promise<unknown>) {
  const dir = await mkdtemp(join(tmpdir(), 'pressroom-name-'));
  const file = await writeRecord(dir, RECORD);
  Object.assign(window, {
    showInputBox: async () => {
      await meanwhile(dir, file);
      return 'staging';
    },
  });
  onTestFinished(async () => {
    Reflect.deleteProperty(window, 'showInputBox');
    await rm(dir, { recursive: true });
  });
  const nothing = async () => undefined;
  const parts = { directories: { save: nothing }, store: { reload: nothing } } as unknown as CommandParts;
  await nameTarget.run(parts, { dir, record: { ...RECORD, file } });
  return readRecords(dir);
}

test('keeps the bundle of a publish that ended meanwhile', async () => {
  const [record] = await name((dir, file) => writeRecord(dir, { ...RECORD, bundle_id: '7' }, file));
  expect(record).toMatchObject({ target: 'staging', bundle_id: '7' });
});

test('does not restore a record deleted meanwhile', async () => {
  expect(await name((_dir, file) => rm(file))).toEqual([]);
});
