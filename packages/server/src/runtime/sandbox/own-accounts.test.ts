// Covers a server started by root: each content item has its own account, so that it cannot use up what the kernel has
// for an account, and without bubblewrap, as in a plain container, cannot read files, variables or keys of another.
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../platform/clock.ts';
import { accountOfContent, findNumbered } from './accounts.ts';
import { EACH } from './isolation.ts';
import { createLauncher, type Launcher } from './launcher.ts';
import { createLocalStarter } from './local-starter.ts';
import { giveFiles } from './run-directory.ts';
import type { Starter } from './starter.ts';
import { findTools } from './tools.ts';

const ids = systemIds();
const [ONE, OTHER] = [ids.uuid(), ids.uuid()];
let directory: string;
let starter: Starter;
let launcher: Launcher;

beforeAll(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), 'pressroom-accounts-')));
  // Every account may traverse the directory, as with a data directory.
  await chmod(directory, 0o711);
  await mkdir(join(directory, 'content'), { mode: 0o711 });
  starter = await startStarter({ runAs: '', tools: { ...findTools(), bwrap: null } });
  launcher = createLauncher({ starter, ids, memory: 0, disk: 0 });
});
afterAll(async () => {
  await starter[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

function startStarter(settings: Pick<Parameters<typeof createLocalStarter>[0], 'runAs' | 'tools'>) {
  return createLocalStarter({
    dataDir: directory,
    isAlone: false,
    mode: 'auto',
    id: ids.taskId(),
    memory: 0,
    processes: 0,
    disk: 0,
    hidden: [],
    network: true,
    grace: 500,
    ...settings,
  });
}

async function run(content: string, script: string, cwd = '/', by = launcher): Promise<string[]> {
  const lines: string[] = [];
  await by.run({
    runAs: null,
    content,
    signal: new AbortController().signal,
    onLine: (line) => void lines.push(line),
    command: () => ({ file: 'sh', args: ['-c', script], cwd }),
  });
  return lines;
}

describe('Content without bubblewrap', () => {
  it('runs as an account of its own, which the report states', async () => {
    expect(starter.isolation.ownAccounts).toBe(true);
    expect((await run(ONE, 'id -u'))[0]).toBe(String(accountOfContent(ONE).uid));
    expect((await run(OTHER, 'id -u'))[0]).toBe(String(accountOfContent(OTHER).uid));
    const said = starter.isolation.report.map((item) => item.message).join('\n');
    expect(said).toContain('each content item runs as an account of its own');
    expect(said).toContain('apt-get install bubblewrap');
    expect(said).not.toContain('variables and their keys');
  });

  it('reads and changes its own files and none of other content', async () => {
    const site = join(directory, 'content', 'site');
    await mkdir(join(site, 'below'), { recursive: true });
    await writeFile(join(site, 'below', 'data'), 'secret', { mode: 0o644 });
    await launcher.give(site, null, ONE);
    expect((await stat(site)).mode & 0o777).toBe(0o750);
    expect(await run(ONE, 'cat below/data; echo more >> below/data && echo written', site)).toEqual([
      'secretwritten',
    ]);
    const lines = await run(OTHER, `cat ${site}/below/data; ls ${site}; cd ${site} && echo entered`);
    expect(lines.join()).toContain('Permission denied');
    expect(lines.join()).not.toMatch(/secret|entered/);
    await launcher.takeBack(site);
    expect((await stat(site)).uid).toBe(process.getuid!());
  });

  it('lets the server read its files after the isolation has changed', async () => {
    const server = findNumbered('#2099999999')!;
    const site = join(directory, 'content', 'isolated');
    await mkdir(site);
    await writeFile(join(site, 'data'), 'of the content');
    await giveFiles(site, accountOfContent(ONE), { server, isClosed: true });
    const nobody = { name: 'nobody', uid: 65_534, gid: 65_534 };
    await giveFiles(site, nobody, { server, isClosed: false });
    const { uid, gid } = server;
    expect(execFileSync('cat', [join(site, 'data')], { uid, gid, encoding: 'utf8' })).toBe('of the content');
  });

  it('cannot read the variables of other content or end it', async () => {
    const ready = Promise.withResolvers<void>();
    const running = await launcher.launch({
      runAs: null,
      content: ONE,
      onLine: () => ready.resolve(),
      command: (cwd) => ({
        file: 'sh',
        args: ['-c', 'echo ready; while :; do sleep 0.02; done'],
        cwd,
        env: { SECRET: 'of the first' },
      }),
    });
    await ready.promise;
    const lines = await run(
      OTHER,
      `cat /proc/${running.pid}/environ; kill -9 ${running.pid}; ls ${running.directory}`,
    );
    expect(lines.join()).not.toContain('of the first');
    expect(lines.filter((line) => /denied|not permitted/i.test(line))).toHaveLength(3);
    await running.stop();
  });
});

describe('Content with bubblewrap', () => {
  it('has an account of its own, and leaves what the kernel has for an account to the others', async () => {
    await using own = await startStarter({ runAs: '', tools: findTools() });
    expect(own.isolation).toMatchObject({ mounts: true, ownAccounts: true });
    const both = createLauncher({ starter: own, ids, memory: 0, disk: 0 });
    const python = async (content: string, code: string, onLine: (line: string) => void) => {
      const command = (cwd: string) => ({ file: 'python3', args: ['-c', code], cwd });
      return both.launch({ runAs: null, content, onLine, command });
    };
    const taken = Promise.withResolvers<string>();
    const greedy = await python(ONE, TAKE_ALL, taken.resolve);
    expect(await taken.promise).toBe(`${accountOfContent(ONE).uid} has no more`);
    const got = Promise.withResolvers<string>();
    const modest = await python(OTHER, TAKE_ONE, got.resolve);
    expect(await got.promise).toBe(`${accountOfContent(OTHER).uid} got one`);
    await Promise.all([greedy.stop(), modest.stop()]);
  });

  it('finds the name and home of its account, as programs such as ssh do', async () => {
    await using own = await startStarter({ runAs: '', tools: findTools() });
    const both = createLauncher({ starter: own, ids, memory: 0, disk: 0 });
    for (const content of [ONE, OTHER]) {
      const lines = await run(content, 'id -u; id -un; id -u nobody; echo ~content', '/', both);
      expect(lines).toEqual([String(accountOfContent(content).uid), 'content', '65534', '/tmp']);
    }
  });

  it('shares an account if the settings name one', async () => {
    await using shared = await startStarter({ runAs: 'nobody', tools: findTools() });
    const both = createLauncher({ starter: shared, ids, memory: 0, disk: 0 });
    for (const content of [ONE, OTHER]) expect(await run(content, 'id -un', '/', both)).toEqual(['nobody']);
  });
});

describe('A machine without accounts for content', () => {
  const tools = { ...findTools(), setpriv: '/bin/false' };

  it('runs all content as nobody, which the report states', async () => {
    await using shared = await startStarter({ runAs: '', tools });
    expect(shared.isolation).toMatchObject({ ownAccounts: false, account: { name: 'nobody' } });
    expect(shared.isolation.report.map(({ message }) => message).join('\n')).toContain(
      'content runs as nobody, all of it',
    );
  });

  it('is refused with Applications.RunAs = *', async () => {
    await expect(startStarter({ runAs: EACH, tools })).rejects.toThrow('Applications.RunAs is *');
  });

  it('is refused without setpriv: content would run as root', async () => {
    const without = { ...findTools(), setpriv: null };
    await expect(startStarter({ runAs: '', tools: without })).rejects.toThrow('setpriv is missing');
  });
});

/** The kernel has a few of these for each account, whatever its namespaces. */
const TAKE_ONE = `
import ctypes, os, time
take = ctypes.CDLL(None).inotify_init
print(os.getuid(), "got one" if take() >= 0 else "got none", flush=True)
time.sleep(600)
`;
const TAKE_ALL = `
import ctypes, os, time
take = ctypes.CDLL(None).inotify_init
while take() >= 0: pass
print(os.getuid(), "has no more", flush=True)
time.sleep(600)
`;

it('findNumbered accepts only numbered accounts of its range', () => {
  expect(findNumbered(accountOfContent(ONE).name)).toEqual(accountOfContent(ONE));
  // Of a directory (SSSD, FreeIPA) up to #2000200000, and of files from other machines (systemd) from #2147352576.
  const ofOthers = ['#1879048192', '#2000200000', '#2147352576'];
  for (const name of ['#0', '#0000000000', '#1000', '#4294967295', 'root', ...ofOthers])
    expect(findNumbered(name), name).toBeNull();
});
