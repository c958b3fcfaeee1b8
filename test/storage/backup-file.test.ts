// Covers refused backups, and keys that they do not contain. Only about files, so independent of the database.
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { readBackup } from '@pressroom/api/backup';
import { loadConfig, startServer } from '@pressroom/server';
import { COMPILE_CACHE, publish, startTestServer, testLog } from '@pressroom/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createBackup } from '../../packages/server/src/main/backup/create-backup.ts';
import { restoreBackup } from '../../packages/server/src/main/backup/restore-backup.ts';
import { copyDatabase } from '../../packages/server/src/platform/database/sqlite/copy.ts';
import { runBackup } from './run-backup.ts';

let machine: string;
beforeEach(async () => {
  machine = await mkdtemp(join(tmpdir(), 'pressroom-backup-file-'));
});
afterEach(() => removeAll(machine));

/** Also removes directories deeper than the maximum path length, which Node.js cannot. */
const removeAll = (path: string) => promisify(execFile)('rm', ['--recursive', '--force', path]);

const run = (command: 'backup' | 'restore', file: string, env: Record<string, string>) =>
  runBackup(command, file, { env, cwd: machine });

/** A program that gets a signal, with what it started, as soon as it calls tar with this option. */
function signalled(
  program: string,
  file: string,
  env: NodeJS.ProcessEnv,
  at: string,
  signal: NodeJS.Signals,
) {
  const preloaded = `
    import childProcess from 'node:child_process';
    import { syncBuiltinESMExports } from 'node:module';
    const { spawn } = childProcess;
    childProcess.spawn = (program, args, options) => {
      const child = spawn(program, args, options);
      if (args.includes('${at}')) process.kill(${signal === 'SIGKILL' ? '-' : ''}process.pid, '${signal}');
      return child;
    };
    syncBuiltinESMExports();`;
  return spawnPreloaded(program, file, env, preloaded);
}

/** A program that runs a module first. */
function spawnPreloaded(program: string, file: string, env: NodeJS.ProcessEnv, preloaded: string) {
  const source = join(import.meta.dirname, `../../packages/server/src/main/${program}.ts`);
  const args = ['--import', `data:text/javascript,${encodeURIComponent(preloaded)}`, source, file];
  // A group of its own, as tar ends with the machine, too.
  return spawn(process.execPath, args, { env: { ...COMPILE_CACHE, ...env }, cwd: machine, detached: true });
}

test('backup and restore report a key kept in a setting, or a different key', async () => {
  const key = 'a key of letters, many enough to count: 0123456789';
  const before = await startTestServer({ settings: { 'Secrets.Key': key } });
  await before.person('publisher');
  const source = { PRESSROOM_SERVER_DATADIR: before.dataDir, PRESSROOM_SECRETS_KEY: key };
  expect((await run('backup', 'all.tar', source)).said).toContain('NOT the key');
  await before[Symbol.asyncDispose]();
  const into = (name: string, more = {}) =>
    run('restore', 'all.tar', { PRESSROOM_SERVER_DATADIR: join(machine, name), ...more });
  expect(await into('a')).toMatchObject({ code: 1, said: expect.stringContaining('Set Secrets.Key') });
  expect(await into('b', { PRESSROOM_SECRETS_KEY: `${key}, but not this one` })).toMatchObject({
    code: 1,
    said: expect.stringContaining('is another key'),
  });
  expect(await into('c', { PRESSROOM_SECRETS_KEY: key })).toMatchObject({ code: 0 });
});

test('a backup without the key of the setting has none of a file that is left from before it either', async () => {
  const key = randomBytes(32).toString('base64');
  await using server = await startTestServer({ settings: { 'Secrets.Key': key } });
  await writeFile(join(server.dataDir, 'secret.key'), key, { mode: 0o600 });
  const settings = { PRESSROOM_SERVER_DATADIR: server.dataDir, PRESSROOM_SECRETS_KEY: key };
  expect((await run('backup', 'all.tar', settings)).said).toContain('NOT the key');
  expect(
    (await promisify(execFile)('tar', ['-tf', join(machine, 'all.tar')])).stdout.split('\n'),
  ).not.toContain('secret.key');
});

test('an interrupted backup or restore leaves no file and reports the interruption', async () => {
  await using server = await startTestServer();
  await publish(await server.person('publisher'), { 'index.html': 'first' });
  const config = loadConfig({}, { 'Server.DataDir': server.dataDir });
  const interrupted = new AbortController();
  const file = join(machine, 'all.tar');
  const copy = async (from: string, to: string) => {
    copyDatabase(from, to);
    interrupted.abort(new Error('it was interrupted'));
  };
  const { signal } = interrupted;
  await expect(createBackup(config, file, { copy, signal })).rejects.toThrow(/^it was interrupted$/);
  expect(await readdir(machine)).toEqual([]);
  await createBackup(config, file);
  const into = join(machine, 'data');
  const restored = restoreBackup({ ...config, 'Server.DataDir': into }, file, signal);
  await expect(restored).rejects.toThrow(/^it was interrupted$/);
  expect(await readdir(machine)).toEqual(['all.tar']);
});

test('a restore that was killed is run again, and no server or backup uses what it left', async () => {
  const before = await startTestServer();
  await publish(await before.person('publisher'), { 'index.html': 'first' });
  expect((await run('backup', 'all.tar', { PRESSROOM_SERVER_DATADIR: before.dataDir })).code).toBe(0);
  await before[Symbol.asyncDispose]();
  const data = join(machine, 'data');
  const env = { PATH: process.env.PATH, PRESSROOM_SERVER_DATADIR: data };
  const child = signalled('restore', join(machine, 'all.tar'), env, '--directory', 'SIGKILL');
  expect(await once(child, 'close')).toEqual([null, 'SIGKILL']);

  const config = loadConfig({}, { 'Server.DataDir': data, 'HTTP.Listen': '127.0.0.1:0' });
  await expect(startServer({ config, log: testLog() })).rejects.toThrow('did not end, and files are missing');
  await expect(createBackup(config, join(machine, 'half.tar'))).rejects.toThrow('did not end');
  expect(await run('restore', 'all.tar', { PRESSROOM_SERVER_DATADIR: data })).toMatchObject({ code: 0 });
  await using _server = await startServer({ config, log: testLog() });
  expect(await readdir(join(data, 'bundles'))).toHaveLength(1);
});

test('the mark of a failed restore is removed last, whatever is left', async () => {
  await using server = await startTestServer();
  await createBackup(loadConfig({}, { 'Server.DataDir': server.dataDir }), join(machine, 'all.tar'));
  const exec = promisify(execFile);
  const damage =
    'tar -xf all.tar && echo damaged > pressroom.sqlite && tar -cf bad.tar pressroom.sqlite secret.key backup.json';
  await exec('sh', ['-c', damage], { cwd: machine });
  const data = join(machine, 'data');
  const preloaded = `
    import promises from 'node:fs/promises';
    import { syncBuiltinESMExports } from 'node:module';
    const { rm } = promises;
    promises.rm = async (path, options) => {
      await rm(path, options);
      if (path.endsWith('restore-unfinished')) process.kill(process.pid, 'SIGKILL');
    };
    syncBuiltinESMExports();`;
  const env = { PATH: process.env.PATH, PRESSROOM_SERVER_DATADIR: data };
  const child = spawnPreloaded('restore', join(machine, 'bad.tar'), env, preloaded);
  expect(await once(child, 'close')).toEqual([null, 'SIGKILL']);
  expect(await readdir(data)).toEqual([]);
});

test('a restore removes what a killed one left, even deeper than a path may be', async () => {
  await using server = await startTestServer();
  const config = loadConfig({}, { 'Server.DataDir': server.dataDir });
  const file = join(machine, 'all.tar');
  await createBackup(config, file);
  const data = join(machine, 'data');
  await mkdir(data);
  await writeFile(join(data, 'restore-unfinished'), '');
  const nest = `cd "$0" && for _ in $(seq 30); do mkdir ${'d'.repeat(200)} && cd ${'d'.repeat(200)}; done`;
  await promisify(execFile)('bash', ['-c', nest, data]);
  await restoreBackup({ ...config, 'Server.DataDir': data }, file);
  expect(await readdir(data)).not.toContain('d'.repeat(200));
});

test('a restore is on the disk before its mark is removed', async () => {
  await using server = await startTestServer();
  const file = join(machine, 'all.tar');
  await createBackup(loadConfig({}, { 'Server.DataDir': server.dataDir }), file);
  const data = join(machine, 'data');
  const preloaded = `
    import childProcess from 'node:child_process';
    import promises from 'node:fs/promises';
    import { syncBuiltinESMExports } from 'node:module';
    const { execFile } = childProcess;
    const { rm } = promises;
    childProcess.execFile = (program, args, ...more) => {
      const child = execFile(program, args, ...more);
      return child.once('exit', (code) => console.log('ran', program.split('/').at(-1), ...args, code));
    };
    promises.rm = (path, ...more) => {
      if (path.endsWith('restore-unfinished')) console.log('removed the mark');
      return rm(path, ...more);
    };
    syncBuiltinESMExports();`;
  const child = spawnPreloaded(
    'restore',
    file,
    { PATH: process.env.PATH, PRESSROOM_SERVER_DATADIR: data },
    preloaded,
  );
  expect(await text(child.stdout)).toMatch(
    new RegExp(`^ran sync --file-system ${data} 0\nremoved the mark\nRestored`),
  );
});

test('a second restore to the same directory is refused while the first one runs', async () => {
  await using server = await startTestServer();
  const file = join(machine, 'all.tar');
  await createBackup(loadConfig({}, { 'Server.DataDir': server.dataDir }), file);
  const data = join(machine, 'data');
  const env = { PATH: process.env.PATH, PRESSROOM_SERVER_DATADIR: data };
  const first = signalled('restore', file, env, '--directory', 'SIGSTOP');
  const ended = once(first, 'close');
  await expect.poll(() => readdir(data).catch(() => [])).toContain('pressroom.sqlite');
  const second = await run('restore', file, { PRESSROOM_SERVER_DATADIR: data });
  first.kill('SIGCONT');
  expect(await ended).toEqual([0, null]);
  expect(second).toMatchObject({ code: 1, said: expect.stringContaining('another restore') });
  expect(await readdir(data)).toContain('pressroom.sqlite');
  expect(await readdir(data)).not.toContain('restore-unfinished');
});

test.each(['/dev/null', '--create', '--append'])(
  'SIGTERM ends `npm run backup` at tar %s without leaving a file',
  async (at) => {
    await using server = await startTestServer();
    await server.person('publisher');
    const env = { PATH: process.env.PATH, PRESSROOM_SERVER_DATADIR: server.dataDir };
    const child = signalled('backup', 'all.tar', env, at, 'SIGTERM');
    const said = text(child.stderr);
    const [code] = await once(child, 'close');
    expect([code, await said]).toEqual([1, 'Nothing was backed up: it was interrupted\n']);
    expect(await readdir(machine)).toEqual([]);
  },
);

test('a backup removes what a killed one to the same directory left, and nothing of one that runs', async () => {
  await using server = await startTestServer();
  const env = { PATH: process.env.PATH, PRESSROOM_SERVER_DATADIR: server.dataDir };
  const killed = signalled('backup', 'killed.tar', env, '--append', 'SIGKILL');
  expect(await once(killed, 'close')).toEqual([null, 'SIGKILL']);
  const isWork = (name: string) => name.includes('.work-');
  const [left] = (await readdir(machine)).filter(isWork);
  expect(left).toMatch(/^killed\.tar\.work-/);
  await mkdir(join(machine, 'mine.work-abcdef'));
  const others: (readonly string[])[] = [];
  const copy = async (from: string, to: string) => {
    copyDatabase(from, to);
    others.push((await readdir(machine)).filter(isWork).toSorted());
    expect(await run('backup', 'next.tar', { PRESSROOM_SERVER_DATADIR: server.dataDir })).toMatchObject({
      code: 0,
    });
  };
  await createBackup(loadConfig({}, { 'Server.DataDir': server.dataDir }), join(machine, 'running.tar'), {
    copy,
  });
  expect(others).toEqual([['mine.work-abcdef', expect.stringMatching(/^running\.tar\.work-/)]]);
  expect((await readdir(machine)).toSorted()).toEqual(['mine.work-abcdef', 'next.tar', 'running.tar']);
});

test('special files of content neither break the backup, fill the disk nor grant rights', async () => {
  const before = await startTestServer();
  const owner = await before.person('publisher');
  const { guid } = await publish(owner, { 'index.html': 'first' });
  const [site = ''] = await readdir(join(before.dataDir, 'content', guid));
  const cwd = join(before.dataDir, 'content', guid, site);
  // Creates the files as a process of the content would, in its writable directory.
  const hostile = `
    import os
    open('one\\ntwo', 'w').close()
    open('back\\\\slash', 'w').close()
    open('tool', 'w').close()
    os.chmod('tool', 0o6755)
    with open('holes', 'wb') as file:
        file.truncate(2 ** 30)
        for i in range(40):
            file.seek(i * 10_000_000)
            file.write(b'x')
    for _ in range(30):
        os.mkdir('d' * 200)
        os.chdir('d' * 200)`;
  await promisify(execFile)('python3', ['-c', hostile.replaceAll(/^ {4}/gm, '')], { cwd });
  expect(await run('backup', 'all.tar', { PRESSROOM_SERVER_DATADIR: before.dataDir })).toMatchObject({
    code: 0,
  });
  await removeAll(cwd);
  await before[Symbol.asyncDispose]();
  expect((await stat(join(machine, 'all.tar'))).size).toBeLessThan(2 ** 24);
  expect(await readBackup(join(machine, 'all.tar'))).toMatchObject({ sites: 1 });
  const data = join(machine, 'data');
  const restored = await run('restore', 'all.tar', { PRESSROOM_SERVER_DATADIR: data });
  expect(restored).toMatchObject({ code: 0, said: expect.stringContaining('The key fits') });
  const at = (name: string) => stat(join(data, 'content', guid, site, name));
  expect((await at('tool')).mode & 0o7777).toBe(0o755);
  expect((await at('index.html')).size).toBe('first'.length);
  expect((await at('holes')).size).toBe(2 ** 30);
  expect((await at('one\ntwo')).isFile()).toBe(true);
  expect((await stat(join(data, 'secret.key'))).mode & 0o7777).toBe(0o600);
});

test('content that closed its directory is named as missing, and runs from its bundle after a restore', async () => {
  const before = await startTestServer();
  const owner = await before.person('publisher');
  const open = await publish(owner, { 'index.html': 'open' });
  const closed = await publish(owner, { 'index.html': 'closed' });
  const [site = ''] = await readdir(join(before.dataDir, 'content', closed.guid));
  await chmod(join(before.dataDir, 'content', closed.guid, site), 0);
  // As the account of a server that root starts, which has no rights over others.
  const by = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-all'] : [];
  const env = { PRESSROOM_SERVER_DATADIR: before.dataDir };
  const { said } = await runBackup('backup', 'all.tar', { env, cwd: machine, by });
  expect(said).toContain('the files of 1 deployed content items');
  expect(said).toContain('NOT the files of 1 more');
  await before[Symbol.asyncDispose]();
  expect(await readBackup(join(machine, 'all.tar'))).toMatchObject({ sites: 1 });
  const config = loadConfig(
    {},
    { 'Server.DataDir': join(machine, 'restored'), 'HTTP.Listen': '127.0.0.1:0' },
  );
  await restoreBackup(config, join(machine, 'all.tar'));
  await using after = await startServer({ config, log: testLog() });
  const page = async ({ path }: { path: string }) => (await fetch(after.url + path.slice(1))).text();
  expect(await page(open)).toBe('open');
  await expect.poll(() => page(closed)).toBe('closed');
});

test('a file that is no backup or is truncated leaves the data directory unchanged', async () => {
  const before = await startTestServer();
  const owner = await before.person('publisher');
  await publish(owner, { 'index.html': 'first' });
  expect((await run('backup', 'all.tar', { PRESSROOM_SERVER_DATADIR: before.dataDir })).code).toBe(0);
  await before[Symbol.asyncDispose]();
  const settings = { PRESSROOM_SERVER_DATADIR: join(machine, 'data') };
  await writeFile(join(machine, 'text.tar'), 'no archive');
  expect(await run('restore', 'text.tar', settings)).toMatchObject({
    code: 1,
    said: expect.stringContaining('is no backup of Pressroom'),
  });
  await mkdir(join(machine, 'other'));
  await writeFile(join(machine, 'other/passwd'), 'x');
  await promisify(execFile)('tar', ['-cf', join(machine, 'other.tar'), '-C', machine, 'other/passwd']);
  expect((await run('restore', 'other.tar', settings)).said).toContain('it has other/passwd');
  const file = join(machine, 'all.tar');
  await truncate(file, Math.floor((await stat(file)).size / 2 / 512) * 512);
  expect(await run('restore', 'all.tar', settings)).toMatchObject({
    code: 1,
    said: expect.stringMatching(/is not whole|is damaged/),
  });
  expect(await readdir(machine)).not.toContain('data');
  expect(await run('restore', 'absent.tar', settings)).toMatchObject({ code: 1 });
});
