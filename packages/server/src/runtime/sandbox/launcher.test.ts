// Covers real processes: confined, monitored, and stopped step by step.
import { lstat, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../platform/clock.ts';
import { createLauncher, type Ending, type Launcher } from './launcher.ts';
import { createLineSplitter } from './lines.ts';
import { createLocalStarter } from './local-starter.ts';
import { hidingMounts, isOfSystem } from './mounts.ts';
import type { Starter } from './starter.ts';

let starter: Starter;
let launcher: Launcher;
let dataDir: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'pressroom-launcher-'));
  const ids = systemIds();
  starter = await createLocalStarter({
    dataDir,
    isAlone: true,
    mode: 'auto',
    runAs: '',
    id: ids.taskId(),
    memory: 0,
    processes: 0,
    disk: 2 ** 24,
    hidden: ['/etc/os-release', '/etc/apt'],
    network: false,
    grace: 2000,
  });
  launcher = createLauncher({ starter, ids, memory: 0, disk: 2 ** 24 });
});
afterAll(async () => {
  await starter[Symbol.asyncDispose]();
  await rm(dataDir, { recursive: true });
});

const shell = (script: string, lines: string[] = []) => ({
  runAs: null,
  onLine: (line: string) => void lines.push(line),
  command: (directory: string) => ({ file: 'sh', args: ['-c', script], cwd: directory }),
});

describe('Content process', () => {
  it('returns its output lines and its exit status', async () => {
    const lines: string[] = [];
    const { ended } = await launcher.launch(shell('echo one; echo two >&2; printf three; exit 4', lines));
    expect(await ended).toMatchObject({ code: 4, message: 'ended with code 4' });
    expect(lines.sort()).toEqual(['one', 'three', 'two']);
  });

  it('leaves nothing of a start that the system refuses', async () => {
    const before = await readdir(starter.directory);
    const command = (cwd: string) => ({ file: 'true', args: ['x'.repeat(2 ** 20)], cwd });
    await expect(launcher.launch({ ...shell(''), command })).rejects.toMatchObject({ code: 'E2BIG' });
    expect(await readdir(starter.directory)).toEqual(before);
  });

  it('reports a program that does not exist', async () => {
    const lines: string[] = [];
    const command = (cwd: string) => ({ file: 'no-such-program', args: [], cwd });
    const { ended } = await launcher.launch({ ...shell('', lines), command });
    expect((await ended).code).toBe(127);
    expect(lines.join()).toContain('no-such-program');
  });

  it.each([
    [
      'deeper than the maximum path length',
      'i=0; while [ $i -lt 300 ]; do mkdir $NAME; cd $NAME; i=$((i + 1)); done',
    ],
    ['that cannot be entered', 'mkdir -p a/b; chmod 0 a/b a .'],
  ])('ends normally and leaves nothing after creating directories %s', async (_what, script) => {
    const ready = Promise.withResolvers<void>();
    const { directory, stop } = await launcher.launch({
      ...shell(
        `NAME=${'d'.repeat(100)}; trap "exit 3" INT; ${script}; echo ready; while :; do sleep 0.02; done`,
      ),
      onLine: () => ready.resolve(),
    });
    await ready.promise;
    expect(await stop()).toMatchObject({ code: 3 });
    await expect(lstat(directory)).rejects.toThrow('ENOENT');
  });

  it.each([
    ['open', 'files.append(file)'],
    ['mapped', 'files.append(mmap.mmap(file.fileno(), 0)); file.close()'],
  ])('M11: is stopped when it fills the disk with unnamed files that are %s', async (_what, hold) => {
    const script = `
import mmap, os, time
files = []
for i in range(3):
    file = open(f'{os.environ["TMPDIR"]}/{i}', 'w+b')
    os.unlink(file.name)
    file.write(bytes(10 * 2**20))
    file.flush()
    ${hold}
time.sleep(1000)`;
    const command = (cwd: string) => ({ file: '/usr/bin/python3', args: ['-c', script], cwd });
    const { ended } = await launcher.launch({ runAs: null, onLine: () => undefined, command });
    expect((await ended).message).toContain('wrote more than it may');
  });

  it('M11: is stopped when it fills the disk at its start, before the first count', async () => {
    const script = 'for i in 1 2 3; do head -c 10M /dev/zero > $i; done; exec sleep 1000';
    const { ended } = await launcher.launch(shell(script));
    expect((await ended).message).toContain('wrote more than it may');
  });

  it('M11: is stopped when it adds to files of earlier processes more than the limit of all', async () => {
    const content = await mkdtemp(join(tmpdir(), 'pressroom-launcher-'));
    const inContent = (script: string) => ({
      ...shell(''),
      command: () => ({ file: 'sh', args: ['-c', script], cwd: content, writable: [content] }),
    });
    try {
      await writeFile(join(content, 'deployed'), Buffer.alloc(12 * 2 ** 20));
      await launcher.give(content, null);
      const first = await launcher.launch(inContent('head -c 12M /dev/zero > first'));
      expect(await first.ended).toMatchObject({ code: 0 });
      const second = await launcher.launch(inContent('head -c 12M /dev/zero > second; exec sleep 1000'));
      expect((await second.ended).message).toContain('wrote more than it may');
      const third = await launcher.launch(inContent('touch third'));
      expect((await third.ended).message).toContain('wrote more than it may');
      await launcher.takeBack(content);
      expect(await readdir(content)).toEqual(['deployed', 'first', 'second']);
    } finally {
      await launcher.remove(content);
    }
  });

  it('is ended before the server when the machine runs out of memory', async () => {
    const lines: string[] = [];
    await (
      await launcher.launch(shell('cat /proc/self/oom_score_adj', lines))
    ).ended;
    expect(lines).toEqual(['1000']);
  });

  it('receives SIGINT, then SIGTERM, and is then killed with its children', async () => {
    const started = async (script: string) => {
      const lines: string[] = [];
      const process = Promise.withResolvers<void>();
      const launched = await launcher.launch({
        ...shell(`${script}\necho ready; while :; do sleep 0.02; done`),
        onLine(line) {
          lines.push(line);
          if (line === 'ready') process.resolve();
        },
      });
      await process.promise;
      return { launched, lines };
    };
    const polite = await started('trap "echo interrupted; exit 0" INT');
    expect(await polite.launched.stop()).toMatchObject({ code: 0 });
    expect(polite.lines).toContain('interrupted');
    const stubborn = await started('trap "echo no" INT TERM; sleep 1000 & setsid sleep 1000 &');
    await stubborn.launched.stop();
    expect(stubborn.lines.filter((line) => line === 'no')).toHaveLength(2);
  });

  it('is interrupted together with the program that it waits for', async () => {
    const begun = Promise.withResolvers<void>();
    const { stop } = await launcher.launch({
      ...shell(`sh -c 'echo begun; exec sleep 1000'; echo over`),
      onLine: () => begun.resolve(),
    });
    await begun.promise;
    expect(await stop()).toMatchObject({ code: 130 });
  });

  it('stops when aborted, and the run rejects with the reason', async () => {
    const abort = new AbortController();
    const options = shell('echo begun; sleep 1000');
    const run = launcher.run({
      ...options,
      signal: abort.signal,
      onLine: () => abort.abort(new Error('enough')),
    });
    await expect(run).rejects.toThrow('enough');
  });

  it('receives its variables only once it is confined (C1, H8)', async () => {
    const lines: string[] = [];
    // With LD_PRELOAD set, the loader prints an error in every program that it starts.
    const env = {
      LD_PRELOAD: '/no/such/library.so',
      'BASH_FUNC_umask%%': '() { echo taken; }',
      PATH: '/none',
    };
    await launcher.run({
      runAs: null,
      signal: new AbortController().signal,
      onLine: (line) => void lines.push(line),
      command: (cwd) => ({ file: '/usr/bin/env', args: [], cwd, env }),
    });
    expect(lines.filter((line) => line.includes('cannot be preloaded'))).toHaveLength(1);
    expect(lines).toContain('PATH=/none');
    expect(lines.join()).not.toContain('BASH_FUNC');
    expect(lines.join()).not.toContain('taken');
  });

  it('receives its variables unchanged, with special characters', async () => {
    const lines: string[] = [];
    const value = `$(id) 'quoted' "twice" \\ \`x\` !\ttab`;
    await launcher.run({
      runAs: null,
      signal: new AbortController().signal,
      onLine: (line) => void lines.push(line),
      command: (cwd) => ({ file: 'printenv', args: ['VALUE'], cwd, env: { VALUE: value } }),
    });
    expect(lines).toEqual([value]);
  });

  it('sees neither hidden paths nor a forbidden network', async () => {
    if (!launcher.isolation.mounts) return;
    const lines: string[] = [];
    const script =
      'cat /etc/os-release; ls /etc/apt; cat /proc/net/dev | tail -n +3 | grep -cv lo:; test -r /etc/passwd && echo yes';
    const ending: Ending = await launcher.run({
      ...shell(script, lines),
      signal: new AbortController().signal,
    });
    expect(lines.join('\n')).not.toContain('ID=');
    expect(lines.slice(-2)).toEqual(['0', 'yes']);
    expect(ending.code).toBe(0);
  });
});

it('hidingMounts hides only paths that would be visible', () => {
  const mounts = hidingMounts(['/etc/passwd', '/etc/apt', '/tmp/elsewhere', '/etc/absent']);
  expect(mounts.join(' ')).toBe('--ro-bind /dev/null /etc/passwd --tmpfs /etc/apt');
  // A link, over which nothing can be mounted.
  expect(hidingMounts(['/etc/os-release']).join(' ')).toBe('--ro-bind /dev/null /usr/lib/os-release');
});

it('content sees the formats of TeX, without which no report becomes a PDF', () => {
  expect(isOfSystem('/var/lib/texmf/web2c/pdftex/pdflatex.fmt')).toBe(true);
  expect(isOfSystem('/var/lib/pressroom')).toBe(false);
});

describe('Output lines', () => {
  function split(chunks: (string | Buffer)[], now: () => number = () => 0): string[] {
    const lines: string[] = [];
    const splitter = createLineSplitter((line) => void lines.push(line), now);
    for (const chunk of chunks) splitter.write(Buffer.from(chunk));
    splitter.end();
    return lines;
  }

  it('are joined across chunks, also within a character', () => {
    const euro = Buffer.from('€');
    expect(split(['a', 'b\nc', euro.subarray(0, 1), euro.subarray(1), '\n\nlast'])).toEqual([
      'ab',
      'c€',
      '',
      'last',
    ]);
  });

  it('show the last state of a progress bar', () => {
    expect(split(['10%\r50%\r100%\nnext\r\n'])).toEqual(['100%', 'next']);
  });

  it('are cut when long and dropped in a flood, with a note', () => {
    expect(split(['x'.repeat(20_000)])[0]).toHaveLength(8192);
    let time = 0;
    const flood = Array.from({ length: 40 }, () => `${'y'.repeat(99_999)}\n`);
    const lines = split([...flood, 'z'], () => (time += 10));
    expect(lines.length).toBeLessThan(30);
    expect(lines.at(-1)).toMatch(/bytes of output were dropped/);
  });

  it('keep the last ones of a flood: the reason of a failure is at the end', () => {
    const flood = Array.from({ length: 30_000 }, (_, i) => `line ${i}\n`).join('');
    const lines = split([flood, flood, 'Traceback:\nValue', 'Error: bad', ' column\n']);
    expect(lines.slice(9_999, 10_001)).toEqual(['line 9999', '…']);
    expect(lines.slice(-4)).toEqual([
      'line 29999',
      'Traceback:',
      'ValueError: bad column',
      expect.stringMatching(/^\(5\d{5} bytes of output were dropped/),
    ]);
    expect(lines.length).toBeLessThan(10_100);
    // The next second goes on where the flood was cut.
    let time = 0;
    const later = split([flood, 'Traceback:\nValue', 'Error: bad', ' column\n'], () => (time += 400));
    expect(later.slice(-3)).toEqual([
      'Traceback:',
      expect.stringContaining('were dropped'),
      'ValueError: bad column',
    ]);
  });

  it('are dropped above 10,000 in a second, however short', () => {
    const lines = split(['\n'.repeat(9000), '\n'.repeat(60_000), '\n'.repeat(60_000)]);
    expect(lines).toHaveLength(10_001);
    expect(lines.at(-1)).toBe(
      '(119000 bytes of output were dropped: more than 2097152, or 10000 lines, in a second)',
    );
    let time = 0;
    expect(split(Array<string>(10).fill('\n'.repeat(5000)), () => (time += 1000))).toHaveLength(50_000);
  });
});
