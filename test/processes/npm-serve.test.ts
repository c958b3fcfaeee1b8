// Covers `npm run serve` under a supervisor, which only knows npm's process.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';

test.each([
  ['that does not exist', { PRESSROOM_HTTP_LISTN: '127.0.0.1:0' }],
  ['that a provider lacks', { PRESSROOM_AUTHENTICATION_PROVIDER: 'ldap' }],
  ['given as an argument', {}, ['--port', '8080']],
])('a setting %s exits with the code that prevents systemd from restarting', async (_, env, args = []) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'pressroom-npm-serve-'));
  const root = join(import.meta.dirname, '../../packages/server');
  const unit = await readFile(join(root, 'packaging/pressroom.service'), 'utf8');
  const server = spawn(process.execPath, [join(root, 'src/main/serve.ts'), ...args], {
    stdio: 'ignore',
    env: {
      PATH: process.env.PATH,
      PRESSROOM_SERVER_DATADIR: dataDir,
      PRESSROOM_HTTP_LISTEN: '127.0.0.1:0',
      ...env,
    },
  });
  const [code] = (await once(server, 'exit')) as [number];
  expect(code).toBe(Number(/^RestartPreventExitStatus=(\d+)$/m.exec(unit)?.[1]));
  await rm(dataDir, { recursive: true, force: true });
});

test('npm start refuses an argument that it does not know, and starts nothing', () => {
  const start = join(import.meta.dirname, '../../.ci/start.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [start, '--port', '8080'], {
    encoding: 'utf8',
  });
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toContain('not --port');
});

/** A clone in a directory of root, for root that may mount nothing. Instead of /var/lib it has a directory of the test. */
const IN_CLOSED_CLONE = `
set -eu
cd "$1"
mkdir -p lib clone/packages clone/examples clone/node_modules
chmod 700 clone
for name in packages examples node_modules; do mount --bind "$0/$name" clone/$name; done
cp -r "$0/.ci" "$0/package.json" "$0/package-lock.json" clone
mount --bind lib /var/lib
cd clone
exec setpriv --bounding-set=-sys_admin "$2" --input-type=module --eval '
  import { spawn } from "node:child_process";
  import { reachableProgram } from "./.ci/reachable-program.mjs";
  const { node, script, cwd } = reachableProgram(process.cwd());
  spawn(node, [script], { cwd, stdio: "inherit" });
'`;

test.runIf(process.getuid?.() === 0)(
  'npm start of root in a closed directory serves a copy of it where mounts are not permitted',
  async () => {
    const directory = await mkdtemp(join(tmpdir(), 'pressroom-npm-start-'));
    const repository = join(import.meta.dirname, '../..');
    const { PRESSROOM_CONFIG: _, PRESSROOM_SERVER_DATADIR: __, ...env } = process.env;
    const inClone = ['sh', '-c', IN_CLOSED_CLONE, repository, directory, process.execPath];
    const start = spawn('unshare', ['--mount', '--pid', '--fork', '--kill-child', ...inClone], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...env, PRESSROOM_HTTP_LISTEN: '127.0.0.1:0' },
    });
    const closed = once(start.stdout, 'close');
    const lines = [];
    for await (const line of createInterface({ input: start.stdout })) {
      lines.push(line);
      if (/ files, /.test(line)) break;
    }
    start.kill('SIGKILL');
    // All its processes have ended then.
    start.stdout.resume();
    await closed;
    await rm(directory, { recursive: true, force: true });
    expect(lines[0]).toMatch(/^Other accounts cannot enter .*\/clone, so the server runs from a copy/);
    // The server publishes the first example to itself.
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}\d+ files, \d+ bytes/));
  },
);

test('SIGTERM to npm stops the server, too', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'pressroom-npm-serve-'));
  const npm = spawn('npm', ['run', '--silent', 'serve'], {
    cwd: join(import.meta.dirname, '../..'),
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      PRESSROOM_SERVER_DATADIR: dataDir,
      PRESSROOM_HTTP_LISTEN: '127.0.0.1:0',
      PRESSROOM_LOG_LEVEL: 'error',
      // No account separation: this test is about processes.
      PRESSROOM_SERVER_ACCOUNT: 'root',
    },
  });
  try {
    let url = '';
    const lines = createInterface({ input: npm.stdout });
    for await (const line of lines) {
      url = /listens on (\S+)/.exec(line)?.[1] ?? '';
      if (url !== '') break;
    }
    expect((await fetch(`${url}/__ping__`)).status).toBe(200);
    // The pipe closes when every process that holds it has exited.
    const closed = once(npm.stdout, 'close');
    npm.stdout.resume();
    npm.kill('SIGTERM');
    await closed;
    await expect(fetch(`${url}/__ping__`)).rejects.toThrow('fetch failed');
  } finally {
    try {
      process.kill(-npm.pid!, 'SIGKILL');
    } catch {
      // The whole process group has exited already.
    }
    await rm(dataDir, { recursive: true, force: true });
  }
});
