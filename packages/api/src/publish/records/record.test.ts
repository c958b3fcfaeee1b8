import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  findRecord,
  noteDeployed,
  parseRecord,
  readRecords,
  RecordError,
  writeRecord,
  type DeploymentRecord,
} from './record.ts';

const SERVER = 'https://connect.example/data';
const RECORD: DeploymentRecord = {
  server: SERVER,
  guid: 'cccccccc-0000-4000-8000-000000000009',
  name: 'report',
  app_mode: 'static',
  entrypoint: 'index.html',
  bundle_id: '12',
  deployed_time: '2026-03-01T12:00:00.000Z',
};
const FOLDER = path.join('.pressroom', 'deployments');
let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'pressroom-record-'));
});
afterEach(() => rm(dir, { recursive: true }));

test('reads back a written record and leaves no other file', async () => {
  const file = await writeRecord(dir, RECORD);
  expect(file).toBe(path.join(dir, FOLDER, 'report.toml'));
  expect(await readRecords(dir)).toEqual([{ ...RECORD, file }]);
  expect(await readdir(path.join(dir, FOLDER))).toEqual(['report.toml']);
});

test('keeps a record without entry point and bundle', async () => {
  await writeRecord(dir, { ...RECORD, entrypoint: null, bundle_id: null });
  expect(await findRecord(dir, SERVER)).toMatchObject({ entrypoint: null, bundle_id: null });
});

test('returns no records for a directory without any', async () => {
  expect(await readRecords(dir)).toEqual([]);
  expect(await findRecord(dir, SERVER)).toBeUndefined();
});

test('never finds the record of another server', async () => {
  await writeRecord(dir, { ...RECORD, server: 'https://evil.example' });
  expect(await findRecord(dir, SERVER)).toBeUndefined();
  expect(await findRecord(dir, 'https://connect.example')).toBeUndefined();
});

test('writes the same name on another server to a separate file', async () => {
  await writeRecord(dir, RECORD);
  const other = await writeRecord(dir, { ...RECORD, server: 'http://127.0.0.1:3939' });
  expect(path.basename(other)).toBe('report@127.0.0.1_3939.toml');
  expect(await readRecords(dir)).toHaveLength(2);
});

test('finds the newest record of a server, or that of a name', async () => {
  await writeRecord(dir, RECORD);
  await writeRecord(dir, { ...RECORD, name: 'other', deployed_time: '2026-03-02T12:00:00Z' });
  expect((await findRecord(dir, SERVER))?.name).toBe('other');
  expect((await findRecord(dir, SERVER, 'report'))?.name).toBe('report');
  expect(await findRecord(dir, SERVER, 'third')).toBeUndefined();
});

test('does not recreate a deleted directory', async () => {
  const gone = path.join(dir, 'gone');
  await expect(writeRecord(gone, RECORD)).rejects.toThrow('ENOENT');
  expect(await readdir(dir)).toEqual([]);
});

test('replaces the record with a later write', async () => {
  const file = await writeRecord(dir, RECORD);
  expect(await writeRecord(dir, { ...RECORD, bundle_id: '13' })).toBe(file);
  expect((await readRecords(dir)).map(({ bundle_id }) => bundle_id)).toEqual(['13']);
});

test('names merge conflicts in a record', async () => {
  const file = await writeRecord(dir, RECORD);
  const text = await readFile(file, 'utf8');
  const conflict = text.replace(
    /^bundle_id.*$/m,
    '<<<<<<< HEAD\n$&\n=======\nbundle_id = "13"\n>>>>>>> topic',
  );
  await writeFile(file, conflict);
  await expect(readRecords(dir)).rejects.toMatchObject({
    message: `The deployment record ${file} cannot be used: it has merge conflicts.`,
    hint: expect.stringMatching(/^Resolve them in the file/) as string,
  });
});

test('rejects a record of a later version and leaves it unchanged', async () => {
  const file = await writeRecord(dir, RECORD);
  const later = (await readFile(file, 'utf8')).replace('version = 1', 'version = 2\nregion = "north"');
  await writeFile(file, later);
  await expect(readRecords(dir)).rejects.toThrow('a later version of pressroom wrote it');
  await expect(noteDeployed(dir, { ...RECORD, bundle_id: '13' })).rejects.toMatchObject({
    hint: expect.stringMatching(/^Update pressroom/) as string,
  });
  expect(await readFile(file, 'utf8')).toBe(later);
});

describe('Hostile records', () => {
  const toml = (fields: Partial<Record<keyof DeploymentRecord, unknown>>) =>
    Object.entries({ ...RECORD, ...fields })
      .map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
      .join('\n');

  test.each([
    ['server', 'file:///etc/passwd'],
    ['server', 'https://user:pass@connect.example'],
    ['server', 'https://connect.example?x'],
    ['server', 7],
    ['guid', '../../users'],
    ['guid', 'cccccccc-0000-4000-8000-000000000009/../x'],
    ['name', 'a/b'],
    ['name', ''],
    ['app_mode', '--help'],
    ['entrypoint', '../../etc/passwd'],
    ['entrypoint', '/etc/passwd'],
    ['entrypoint', 'a/../../b'],
    ['entrypoint', 'a\u2028/../../b'],
    ['entrypoint', 'a\u0000b'],
    ['bundle_id', '1/../2'],
    ['bundle_id', ['1']],
    ['deployed_time', 'yesterday'],
  ])('rejects a %s of %j', (name, value) => {
    expect(() => parseRecord(toml({ [name]: value }), 'x.toml')).toThrow(`its ${name} is not valid`);
  });

  test('drops unknown fields', () => {
    expect(parseRecord(`${toml({})}\napi_key = "secret"\n`, 'x.toml')).toEqual(RECORD);
  });

  test('rejects invalid TOML', () => {
    expect(() => parseRecord('{', 'x.toml')).toThrow(RecordError);
  });

  test('does not write through a link in place of the folder', async () => {
    const elsewhere = await mkdtemp(path.join(tmpdir(), 'pressroom-elsewhere-'));
    await symlink(elsewhere, path.join(dir, '.pressroom'));
    await expect(writeRecord(dir, RECORD)).rejects.toThrow(RecordError);
    expect(await readdir(elsewhere)).toEqual([]);
    await rm(elsewhere, { recursive: true });
  });

  test('does not follow a link in place of a record', async () => {
    await mkdir(path.join(dir, FOLDER), { recursive: true });
    await writeFile(path.join(dir, 'elsewhere'), toml({}));
    await symlink(path.join(dir, 'elsewhere'), path.join(dir, FOLDER, 'report.toml'));
    await expect(readRecords(dir)).rejects.toThrow(RecordError);
  });

  test('rejects a record that is too large', async () => {
    await mkdir(path.join(dir, FOLDER), { recursive: true });
    await writeFile(path.join(dir, FOLDER, 'big.toml'), '#'.repeat(70_000));
    await expect(readRecords(dir)).rejects.toThrow('too large');
  });

  test('keeps a value that TOML must quote in its field', async () => {
    const file = await writeRecord(dir, { ...RECORD, entrypoint: 'a" \n= b.html'.replace('\n', '') });
    expect(await readFile(file, 'utf8')).not.toContain('\n= b');
    expect((await readRecords(dir))[0]?.entrypoint).toBe('a" = b.html');
  });
});
