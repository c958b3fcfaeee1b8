// Covers a server killed while it starts processes: none is left.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findTools } from './tools.ts';

/** The content prints nothing, since a closed pipe would end it. */
const PROGRAM = `
  import { createLocalStarter } from '${import.meta.dirname}/local-starter.ts';
  import { findTools } from '${import.meta.dirname}/tools.ts';
  const [dataDir, bwrap] = process.argv.slice(1);
  const limits = { memory: 0, processes: 0, disk: 0 };
  const tools = { ...findTools(), bwrap };
  const starter = await createLocalStarter({ dataDir, isAlone: true, mode: 'auto', runAs: '', id: 'test', hidden: [], network: false, tools, ...limits });
  const command = { file: 'sh', args: ['-c', ': content runs; exec sleep 1000'], cwd: '/' };
  await starter.start({ id: 'content', account: null, command }, (chunk) => process.stdout.write(chunk));
`;

let directory: string;

beforeEach(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), 'pressroom-killed-server-')));
});
afterEach(() => rm(directory, { recursive: true }));

it('a killed server leaves no process, even before bubblewrap has started', async () => {
  const [alive, gate, bwrap] = ['alive', 'gate', 'bwrap'].map((name) => join(directory, name));
  execFileSync('mkfifo', [alive!, gate!]);
  // Waits before it executes bubblewrap. All its descendants keep the pipe open.
  const waits = `case "$*" in *"content runs"*) exec 9>'${alive}'; echo waits >&9; read -r _ <'${gate}';; esac`;
  await writeFile(bwrap!, `#!/bin/sh\n${waits}\nexec '${findTools().bwrap}' "$@"\n`, { mode: 0o755 });
  const server = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, directory, bwrap!], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = once(server, 'exit');
  // A child process, since it can be killed: opening the pipe in this process could block forever.
  const holders = spawn('cat', [alive!]);
  try {
    const ended = once(holders, 'exit');
    const waiting = once(holders.stdout, 'data').then(() => true);
    expect(await Promise.race([waiting, exited.then(() => false)])).toBe(true);
    await using opened = await open(gate!, 'w');
    server.kill('SIGKILL');
    await exited;
    await opened.write('go on\n');
    await opened.close();
    await expect(ended).resolves.toEqual([0, null]);
  } finally {
    holders.kill();
  }
});
