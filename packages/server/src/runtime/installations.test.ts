// Covers interpreters from settings: one of each working version, in order. The second R is a script.
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createInstallations } from './installations.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pressroom-installations-'));
});
afterAll(() => rm(directory, { recursive: true }));

async function program(path: string, lines: readonly string[]): Promise<string> {
  const file = join(directory, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `#!/bin/sh\nprintf '%s\\n' ${lines.map((line) => `'${line}'`).join(' ')}\n`);
  await chmod(file, 0o755);
  return file;
}

test('Python: reports broken interpreters, and skips links and second ones of a version', async () => {
  const prefix = join(directory, 'python');
  await mkdir(join(prefix, 'lib'), { recursive: true });
  const newer = await program('python/bin/python3', ['3.12.1', '24.0', prefix, prefix]);
  const old = await program('old/bin/python3', ['3.8.2', '20.1', '/usr', '/usr']);
  const same = await program('same/bin/python3', ['3.12.1', '', prefix, prefix]);
  const broken = await program('broken/bin/python3', ['no version']);
  const link = join(directory, 'link');
  await symlink(newer, link);
  const told: string[] = [];
  const { listPython, findPython } = createInstallations({
    python: [newer, link, join(directory, 'absent'), old, same, broken],
    onBroken: (file) => told.push(file),
  });
  // Packages of an interpreter outside the system do not count: tools come with the content.
  const alien = { isSystem: false, tools: [] };
  expect(await listPython()).toEqual([
    // Only Python's own parts of the prefix, which may contain other files.
    {
      ...alien,
      version: '3.12.1',
      file: newer,
      hasPip: true,
      readable: [join(prefix, 'bin'), join(prefix, 'lib')],
    },
    { ...alien, version: '3.8.2', file: old, hasPip: false, readable: [dirname(old)] },
  ]);
  expect(await findPython()).toMatchObject({ file: newer });
  expect(told).toEqual([join(directory, 'absent'), broken]);
});

test('queries an interpreter again that was killed during the query', async () => {
  const file = await program('paused/bin/python3', ['3.11.9', '', '/usr', '/usr']);
  const killed = `[ -e ${file}.asked ] || { touch ${file}.asked; kill -TERM $$; }`;
  const [first, ...responses] = (await readFile(file, 'utf8')).split('\n');
  await writeFile(file, [first, killed, ...responses].join('\n'));
  const { findPython } = createInstallations({ python: [file] });
  expect(await findPython()).toMatchObject({ version: '3.11.9' });
});

test('R: accepts R for Rscript and lists libraries outside the system', async () => {
  const home = join(directory, 'R/lib/R');
  const response = [
    '4.4.1',
    'x86_64-pc-linux-gnu',
    home,
    '@CRAN@',
    join(home, 'library'),
    '/usr/lib/R/library',
  ];
  const script = await program('R/bin/Rscript', response);
  const { listR } = createInstallations({ r: [join(dirname(script), 'R')] });
  expect(await listR()).toEqual([
    {
      version: '4.4.1',
      file: script,
      program: join(dirname(script), 'R'),
      platform: 'x86_64-pc-linux-gnu',
      repository: null,
      libraries: [join(home, 'library'), '/usr/lib/R/library'],
      readable: [home, dirname(script)],
    },
  ]);
});

test('uses the interpreters of the machine without settings', async () => {
  const { listPython, listR } = createInstallations();
  expect((await listPython())[0]).toMatchObject({ file: '/usr/bin/python3', readable: [] });
  expect((await listR())[0]).toMatchObject({ version: expect.stringMatching(/^4\./), readable: [] });
});

test('queries an interpreter again whose timeout passed while the server was blocked', async () => {
  const file = await program('still/bin/python3', ['3.11.9', '', '/usr', '/usr']);
  const [first, ...responses] = (await readFile(file, 'utf8')).split('\n');
  const slow = `[ -e ${file}.asked ] || { touch ${file}.asked; sleep 0.1; }`;
  await writeFile(file, [first, slow, ...responses].join('\n'));
  const listed = createInstallations({ python: [file], timeoutMs: 500 }).listPython();
  while (!existsSync(`${file}.asked`)) await setImmediate();
  // Blocks this process, so that the timeout fires before the response is read.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
  expect(await listed).toMatchObject([{ version: '3.11.9' }]);
});

test('queries an interpreter that failed again on the next request', async () => {
  const file = await program('busy/bin/python3', ['3.11.9', '', '/usr', '/usr']);
  const [first, ...responses] = (await readFile(file, 'utf8')).split('\n');
  const killed = `[ -e ${file}.free ] || kill -TERM $$`;
  await writeFile(file, [first, killed, ...responses].join('\n'));
  const { listPython } = createInstallations({ python: [file] });
  expect(await listPython()).toEqual([]);
  await writeFile(`${file}.free`, '');
  expect(await listPython()).toMatchObject([{ version: '3.11.9' }]);
  expect(await listPython()).toBe(await listPython());
});

test('does not wait for an interpreter that ignores the signal after its timeout', async () => {
  const file = await program('deaf/bin/python3', []);
  await writeFile(file, '#!/bin/sh\ntrap "" TERM\nexec sleep 1000\n');
  const { listPython } = createInstallations({ python: [file], timeoutMs: 300 });
  expect(await listPython()).toEqual([]);
});

test('keeps the result of one interpreter while another one fails', async () => {
  const good = await program('answers/bin/python3', ['3.11.9', '', '/usr', '/usr']);
  const silent = await program('silent/bin/python3', ['3.12.1', '', '/usr', '/usr']);
  await writeFile(silent, '#!/bin/sh\nkill -TERM $$\n');
  const { findPython } = createInstallations({ python: [good, silent] });
  const first = await findPython();
  expect(first).toMatchObject({ file: good });
  expect(await findPython()).toBe(first);
});

test.each([
  ['uv', 'uv 0.8.3'],
  ['quarto', '1.7.31'],
  ['tensorflow', 'TensorFlow ModelServer: 2.19.0'],
] as const)('queries %s again after it failed', async (name, response) => {
  const file = await program(`${name}/bin/program`, [response]);
  const [first, ...responses] = (await readFile(file, 'utf8')).split('\n');
  await writeFile(file, [first, `[ -e ${file}.free ] || kill -TERM $$`, ...responses].join('\n'));
  const { findUv, findQuarto, findTensorFlow } = createInstallations();
  const find = { uv: findUv, quarto: findQuarto, tensorflow: findTensorFlow }[name];
  expect(await find(file)).toBeNull();
  await writeFile(`${file}.free`, '');
  expect(await find(file)).toMatchObject({ file });
  expect(await find(file)).toBe(await find(file));
});
