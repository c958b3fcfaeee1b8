// Covers prepared processes, with the real Python of this machine and packages made here.
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { ApplicationEngine } from '../kinds/engine.ts';
import { findEngine } from '../kinds/index.ts';
import type { Command } from '../sandbox/command.ts';
import { startBench, type Bench } from '../testing.ts';
import { createPrepared, type PreparedOptions } from './prepared.ts';
import { preparing, type Subject } from './subject.ts';
import { readsOwn } from './variables.ts';

let bench: Bench;
let packages: string;
const PACKAGES = {
  threads: 'import threading, time\nthreading.Thread(target=time.sleep, args=(1000,), daemon=True).start()',
  sockets: 'import socket\nopen_socket = socket.socket()',
  reader: 'import os\nfound = os.environ.get("READ_AT_IMPORT")',
  plain: 'loaded = True',
  failing: 'raise RuntimeError("no")',
};

beforeAll(async () => {
  bench = await startBench(300);
  packages = join(bench.directory, 'packages');
  await mkdir(packages);
  for (const [name, text] of Object.entries(PACKAGES)) await writeFile(join(packages, `${name}.py`), text);
});
afterAll(() => bench[Symbol.asyncDispose]());

/** Starts an application that prints which modules are already loaded, then exits. */
async function start(imports: string, options: Partial<PreparedOptions> = {}) {
  const directory = await mkdtemp(join(bench.directory, 'site-'));
  await chmod(directory, 0o755);
  const source = `import sys\nbefore = set(sys.modules)\n${imports}\nprint("found", sorted(before & {"plain", "threads", "sockets", "reader", "own"}))\nsys.exit(5)`;
  await writeFile(join(directory, 'app.py'), source);
  await writeFile(join(directory, 'own.py'), 'import sys\nprint("own code runs")');
  await bench.launcher.give(directory, null, directory);
  const lines: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) });
  const prepared = createPrepared({
    launcher: bench.launcher,
    most: 2,
    idle: 600,
    initTimeout: 60,
    env: {},
    log,
    ...options,
  });
  const engine = findEngine('python-api') as ApplicationEngine;
  const environment = {
    language: 'Python',
    version: '3',
    file: '/usr/bin/python3',
    env: { PYTHONPATH: packages },
    readable: [packages],
  } as const;
  const manifest = { appmode: 'python-api', entrypoint: 'app', primary_rmd: null };
  const commandFor = (temporary: string, socket: string): Command =>
    engine.command({ manifest, directory, environment, socket, port: 0, temporary });
  const command = commandFor('/tmp', '/tmp/s');
  const subject: Subject = { contentGuid: directory, site: '1', runAs: null, engine, command };
  return {
    prepared,
    subject,
    lines,
    told: (text: string) =>
      vi.waitFor(() => expect(lines.join('')).toContain(text), { timeout: 20_000, interval: 20 }),
    async fork(env: Record<string, string> = {}) {
      const output: string[] = [];
      const launched = await prepared.fork(subject, env, (line) => output.push(line), commandFor);
      return launched && { ending: await launched.ended, output };
    },
    [Symbol.asyncDispose]: async () => {
      await prepared[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

test('loads named packages once, and runs the content’s own code in its processes only', async () => {
  await using one = await start('import plain, own\ntry:\n  import failing\nexcept RuntimeError:\n  pass');
  expect(await one.fork()).toBeNull();
  one.prepared.prepare(one.subject);
  await one.told('prepared a process');
  expect(one.lines.join('')).not.toContain('own code runs');
  for (let i = 0; i < 2; i++) {
    const forked = (await one.fork())!;
    expect(forked.output).toContain("found ['plain']");
    expect(forked.output.filter((line) => line === 'own code runs')).toHaveLength(1);
    expect(forked.ending).toMatchObject({ code: 5, message: 'ended with code 5' });
  }
});

test.each([
  ['starts a thread', 'threads', 'runs 1 threads'],
  ['opens a socket', 'sockets', 'has 1 connections open'],
])('skips a package that %s and prepares the others', async (_what, name, why) => {
  await using one = await start(`import plain\nimport ${name}`);
  one.prepared.prepare(one.subject);
  await one.told(why);
  await one.told('prepared a process');
  expect((await one.fork())!.output).toContain("found ['plain']");
});

test('starts a process normally when a loaded package has read one of its variables', async () => {
  await using one = await start('import reader, plain');
  one.prepared.prepare(one.subject);
  await one.told('prepared a process');
  expect(await one.fork({ READ_AT_IMPORT: '1' })).toBeNull();
  expect((await one.fork({ OTHER: '1' }))!.output).toContain("found ['plain', 'reader']");
});

test('starts content the ordinary way when its files cannot be read', async () => {
  await using one = await start('import plain');
  const cwd = join(one.subject.command.cwd, 'loop');
  await symlink(cwd, cwd);
  const subject = { ...one.subject, command: { ...one.subject.command, cwd, readable: [cwd] } };
  one.prepared.prepare(subject);
  expect(
    await one.prepared.fork(
      subject,
      {},
      () => {},
      () => subject.command,
    ),
  ).toBeNull();
});

test('prepares nothing with the setting 0, beyond the maximum, or after a failure', async () => {
  await using off = await start('import plain', { most: 0 });
  off.prepared.prepare(off.subject);
  expect(await off.fork()).toBeNull();
  await using one = await start('import plain', { most: 1 });
  one.prepared.prepare(one.subject);
  await one.told('prepared a process');
  // With room for one, the next one replaces it.
  one.prepared.prepare({ ...one.subject, site: '2' });
  expect(await one.fork()).toBeNull();
  await vi.waitFor(
    () => expect(one.lines.filter((line) => line.includes('prepared a process'))).toHaveLength(2),
    {
      timeout: 20_000,
    },
  );
  one.prepared.prepare(one.subject);
  await vi.waitFor(async () => expect(await one.fork()).not.toBeNull(), { timeout: 20_000 });
  one.prepared.distrust(one.subject, 'it did not listen');
  one.prepared.prepare(one.subject);
  expect(await one.fork()).toBeNull();
});

test.each([
  ['api', 'app.R', '/usr/bin/Rscript'],
  ['python-api', 'app.py', '/usr/bin/python3'],
] as const)(
  '%s: a prepared process that waits ends at once when it is stopped',
  async (mode, file, interpreter) => {
    // R notices no SIGINT while it waits, and would get SIGTERM after an hour.
    await using patient = await startBench(3_600_000);
    const command = { file: interpreter, args: [file], cwd: '/tmp', env: {} };
    const engine = findEngine(mode) as ApplicationEngine;
    const subject = { contentGuid: mode, site: '1', runAs: null, engine, command };
    const ready = Promise.withResolvers<void>();
    const launched = await patient.launcher.launch({
      runAs: null,
      content: mode,
      onLine: (line) => line === '@prepared ready' && ready.resolve(),
      command: () => preparing(subject, [], {}),
    });
    void launched.ended.then(({ message }) => ready.reject(new Error(message)));
    await ready.promise;
    expect((await launched.stop()).signal).toBeNull();
  },
);

test('detects variables that must be set at the start or that packages have read', () => {
  const none = new Set<string>();
  expect(readsOwn(none, { TOKEN: '1', CONNECT_API_KEY: '2' }, {})).toBe(false);
  for (const name of ['LD_PRELOAD', 'R_LIBS_USER', 'PYTHONPATH', 'TZ', 'OMP_NUM_THREADS'])
    expect(readsOwn(none, { [name]: '1' }, {})).toBe(true);
  expect(readsOwn(none, { R_CONFIG_ACTIVE: 'x' }, { R_CONFIG_ACTIVE: 'x' })).toBe(false);
  expect(readsOwn(new Set(['TOKEN']), { TOKEN: '1' }, {})).toBe(true);
  expect(readsOwn(new Set(['*']), { CONNECT_API_KEY: '1' }, {})).toBe(false);
  expect(readsOwn(new Set(['*']), { TOKEN: '1' }, {})).toBe(true);
});
