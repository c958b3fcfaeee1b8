// Covers the supervisor: it does what needs root, and nothing that would help an attacker who controls the server.
import { once } from 'node:events';
import { chown, mkdir, mkdtemp, realpath, rm, rmdir, stat, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../../platform/clock.ts';
import { processesWith } from '../../testing.ts';
import { accountOfContent, findAccount, type Account } from '../accounts.ts';
import type { Command } from '../command.ts';
import { createLocalStarter } from '../local-starter.ts';
import type { Starter } from '../starter.ts';
import { createRemoteStarter, type RemoteStarter } from './remote-starter.ts';
import { createSupervisor } from './supervisor.ts';

const NOBODY = findAccount('nobody')!;
/** Stands for the server's account: neither root nor the account of content. */
const SERVER: Account = findAccount('daemon')!;

let directory: string;
let starter: Starter;
let server: Server;
let remote: RemoteStarter;
let socket: string;

beforeAll(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), 'pressroom-supervisor-test-')));
  await mkdir(join(directory, 'content'), { mode: 0o755 });
  starter = await createLocalStarter({
    dataDir: directory,
    isAlone: true,
    mode: 'auto',
    runAs: '',
    id: systemIds().taskId(),
    memory: 0,
    processes: 0,
    disk: 0,
    hidden: [],
    network: true,
    server: SERVER,
    grace: 500,
  });
  socket = join(directory, 's');
  server = createSupervisor({
    starter,
    server: SERVER,
    mayRunAs: (account) => account.name !== 'games',
    owned: [join(directory, 'content')],
    shown: ['/usr/share/doc'],
    pam: null,
  });
  await once(server.listen(socket), 'listening');
  remote = await createRemoteStarter(socket);
});

afterAll(async () => {
  await remote[Symbol.asyncDispose]();
  server.close();
  await starter[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

const ids = systemIds();
const shell = (script: string, more: Partial<Command> = {}): Command => ({
  file: 'sh',
  args: ['-c', script],
  cwd: '/tmp',
  ...more,
});

async function run(command: Command, account: Account | null = NOBODY, id = ids.taskId()) {
  let output = '';
  const started = await remote.start({ id, account, command }, (chunk) => (output += String(chunk)));
  const exit = await started.exited;
  return { exit, output };
}

it('says whether the container engine responds now, not when it was described', async () => {
  let responds = true;
  const images = { images: [], hostAddress: '127.0.0.1', sharesNetwork: false };
  const containers = { ...images, responds: async () => responds };
  const other = createSupervisor({
    starter: { ...starter, containers },
    server: SERVER,
    mayRunAs: () => false,
    owned: [],
    shown: [],
    pam: null,
  });
  await once(other.listen(join(directory, 'o')), 'listening');
  try {
    const described = (await createRemoteStarter(join(directory, 'o'))).containers!;
    expect(described).toMatchObject(images);
    expect(await described.responds()).toBe(true);
    responds = false;
    expect(await described.responds()).toBe(false);
  } finally {
    other.close();
  }
});

describe('Process started through the supervisor', () => {
  it('runs as the content account with its variables, and returns output and exit status', async () => {
    const { exit, output } = await run(
      shell('id -un; echo "$GREETING"; exit 3', { env: { GREETING: "it's" } }),
    );
    expect(output.split('\n').slice(0, 2)).toEqual(['nobody', "it's"]);
    expect(exit).toMatchObject({ code: 3, signal: null });
  });

  it('looks up only the hosts that it is given, also with an account that has no name', async () => {
    const script = 'cat /etc/hosts; getent hosts git.example | head -1; getent hosts localhost || id -un';
    const hosts = { 'git.example': ['192.0.2.1', '192.0.2.2'] };
    const found = '192.0.2.1 git.example\n192.0.2.2 git.example\n';
    const plain = await run(shell(script, { hosts }));
    expect(plain.output.replaceAll(/ +/g, ' ')).toBe(`${found}192.0.2.1 git.example\nnobody\n`);
    const own = await run(shell(script, { hosts }), accountOfContent('a-content-item'));
    expect(own.output.replaceAll(/ +/g, ' ')).toBe(`${found}192.0.2.1 git.example\ncontent\n`);
  });

  it('stops on request and when its server disconnects', async () => {
    const ready = Promise.withResolvers<void>();
    const command = shell('trap "exit 7" INT; echo ready; while :; do sleep 0.02; done');
    const started = await remote.start({ id: ids.taskId(), account: NOBODY, command }, () => ready.resolve());
    await ready.promise;
    started.stop();
    expect((await started.exited).code).toBe(7);

    // The fraction distinguishes this sleep from those of other tests.
    const seconds = `1000.${process.pid}`;
    const alone = connect(socket);
    const request = {
      op: 'start',
      id: ids.taskId(),
      account: 'nobody',
      command: shell(`sleep ${seconds} & echo; wait`),
    };
    alone.write(`${JSON.stringify(request)}\n`);
    await expect.poll(() => processesWith(`sleep ${seconds}`)).not.toEqual([]);
    alone.destroy();
    await expect.poll(() => processesWith(`sleep ${seconds}`)).toEqual([]);
  });

  it('delivers large output completely', async () => {
    const { output } = await run(shell('head -c 3000000 /dev/zero | tr "\\0" x'));
    expect(output).toHaveLength(3_000_000);
  });
});

describe('Supervisor', () => {
  const refusal = (command: Command, account: Account | null = NOBODY, id?: string) =>
    run(command, account, id).then(
      () => 'started',
      (error: Error) => error.message,
    );

  it.each([
    ['root', { name: 'root', uid: 0, gid: 0 }],
    ['the account of the server', SERVER],
    ['an account that the settings prohibit', findAccount('games')!],
    ['an account that does not exist', { name: 'no-such-account', uid: 1, gid: 1 }],
    ['no account', null],
  ])('refuses to start a process as %s', async (_what, account) => {
    expect(await refusal(shell('id'), account)).toMatch(/^(content (is not allowed|needs)|there is no)/);
  });

  it('refuses access to paths outside the server’s directories, also through links', async () => {
    await symlink('/etc', join(directory, 'content', 'link'));
    expect(await refusal(shell('id', { writable: ['/etc'] }))).toContain(
      'is outside the directories of the server',
    );
    expect(await refusal(shell('id', { readable: ['/root'] }))).toContain(
      'is outside the directories of the server',
    );
    expect(await refusal(shell('id', { writable: [join(directory, 'content/link')] }))).toContain(
      'outside the directories',
    );
    expect(await refusal(shell('id', { writable: [`${directory}/content/../../etc`] }))).toContain('plain');
    expect(await refusal(shell('id', { readable: ['/usr/share/doc'] }))).toBe('started');
  });

  it('refuses to run when a link has replaced a checked path', async () => {
    const path = join(directory, 'content', 'swapped');
    await mkdir(path);
    const secret = join(directory, 'secret');
    await mkdir(secret, { mode: 0o755 });
    await writeFile(join(secret, 'file'), 'of somebody else');
    // A compromised server replaces the path as soon as its request was checked.
    const swapping: Starter = {
      ...starter,
      async start(request, onOutput) {
        await rmdir(path);
        await symlink(secret, path);
        return starter.start(request, onOutput);
      },
    };
    const options = { server: SERVER, mayRunAs: () => true, shown: [], pam: null };
    const other = createSupervisor({ ...options, starter: swapping, owned: [join(directory, 'content')] });
    await once(other.listen(join(directory, 'o')), 'listening');
    const taken = await createRemoteStarter(join(directory, 'o'));
    let output = '';
    const command = shell(`cat ${path}/file; echo ran`, { writable: [path] });
    const started = await taken.start({ id: ids.taskId(), account: NOBODY, command }, (chunk) => {
      output += String(chunk);
    });
    expect((await started.exited).code).toBe(126);
    expect(output).toBe('');
    other.close();
  });

  it('rejects invalid ids and variable names, and unknown operations', async () => {
    expect(await refusal(shell('id'), NOBODY, '../../etc/x')).toContain('id');
    expect(await refusal(shell('id', { env: { 'A\nB': '1' } }))).toContain('variable name');
    expect(await refusal(shell('id', { hosts: { 'a\n10.0.0.1 b': [] } }))).toContain('host name');
    expect(await refusal(shell('id', { hosts: { a: ['10.0.0.1 b'] } }))).toContain('IP address');
    const asked = async (line: string) => {
      const client = connect(socket);
      client.end(`${line}\n`);
      let text = '';
      for await (const chunk of client) text += String(chunk);
      return text;
    };
    expect(await asked('{"op":"run","file":"/bin/sh"}')).toContain('unknown operation');
    expect(await asked('not JSON')).toContain('JSON');
    expect(await asked('[]')).toContain('not an object');
    expect(await asked(JSON.stringify({ op: 'pam', username: 'a', password: 'b' }))).toContain('PAM is not');
  });

  it('rejects a fork of an unprepared process or with an invalid id', async () => {
    const fork = (of: string, id = ids.taskId()) =>
      remote.fork({ id, of, args: [], env: {} }, () => undefined);
    await expect(fork(ids.taskId())).rejects.toThrow('no such prepared process');
    await expect(fork('../../etc')).rejects.toThrow('id');
    await expect(fork(ids.taskId(), '../x')).rejects.toThrow('id');
  });

  it('refuses to give away files that are not the server’s, also through links', async () => {
    await expect(remote.give('/etc', NOBODY)).rejects.toThrow('outside the directories');
    await expect(remote.give(join(directory, 'content/link'), NOBODY)).rejects.toThrow(
      'outside the directories',
    );
    expect((await stat('/etc')).uid).toBe(0);
  });
});

describe('Files given away by the supervisor', () => {
  it('change their owner to the account and back, without following links', async () => {
    const tree = join(directory, 'content', 'tree');
    await mkdir(join(tree, 'below'), { recursive: true });
    await writeFile(join(tree, 'below', 'file'), '');
    const outside = join(directory, 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'file'), '');
    await symlink(outside, join(tree, 'away'));
    await remote.give(tree, NOBODY);
    for (const path of [tree, join(tree, 'below'), join(tree, 'below/file')])
      expect((await stat(path)).uid).toBe(NOBODY.uid);
    expect((await stat(join(outside, 'file'))).uid).toBe(process.getuid!());
    await chown(join(tree, 'below'), NOBODY.uid, NOBODY.gid);
    await remote.give(tree, null);
    expect((await stat(join(tree, 'below/file'))).uid).toBe(SERVER.uid);
  });
});
