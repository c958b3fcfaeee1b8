// Covers a server started by root: a supervisor keeps root, and everything else has an account of its own.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  builtProgram,
  firstAdministrator,
  KNOWN_PEOPLE,
  manifestOf,
  publish,
  startServerProcess,
  type ListeningProcess,
  type Person,
} from '@pressroom/testkit';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { makeKnownService } from '../acceptance/sign-in/pam-service.ts';
import { ASGI, asgi } from '../runtime/python-content.ts';
import { runBackup } from '../storage/run-backup.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'pressroom-separation-'));
  chmodSync(directory, 0o755);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const statusOf = (pid: number) => readFileSync(`/proc/${pid}/status`, 'utf8');
const uidOf = (pid: number) => Number(/^Uid:\s+(\d+)/m.exec(statusOf(pid))?.[1]);
const childrenOf = (pid: number) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);

function isThere(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(statusOf(pid));
  } catch {
    return false;
  }
}

function findServing(supervisor: number): number | undefined {
  return childrenOf(supervisor).find((child) => {
    try {
      // Until it is another program, a new process looks like its parent.
      return readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('serve.mjs') && uidOf(child) !== 0;
    } catch {
      return false;
    }
  });
}

/** Returns the process that handles requests. */
function servingOf({ pid }: ListeningProcess): number {
  const serving = findServing(pid);
  if (serving === undefined) throw new Error('no process serves');
  return serving;
}

const WHO = { '/': 'answer = [os.getuid(), STARTED]' };

async function publishWho(administrator: Person) {
  const files = { ...asgi(WHO), 'notes.txt': 'deployed' };
  const { task, path } = await publish(administrator, files, { metadata: ASGI });
  expect(task).toMatchObject({ code: 0 });
  return path;
}

describe('Server started by root', () => {
  let server: ListeningProcess;
  let administrator: Person;
  let dataDir: string;
  let lock: string;
  const printed: string[] = [];
  beforeAll(async () => {
    // Below a directory that only root may enter, such as root's home.
    const home = join(directory, 'home');
    mkdirSync(home, { mode: 0o700 });
    dataDir = join(home, 'data');
    // So is root's temporary directory, with libpam-tmpdir.
    const temporary = join(home, 'tmp');
    mkdirSync(temporary, { mode: 0o700 });
    lock = join(directory, 'a-lock');
    const open = openSync(lock, 'w');
    const onLine = (line: string) => void printed.push(line);
    server = await startServerProcess(dataDir, { TMPDIR: temporary }, onLine, [open]);
    closeSync(open);
    administrator = await firstAdministrator(() => server.url);
  });
  afterAll(async () => void (await server.stop('SIGTERM')));

  test('handles requests as an unprivileged account, and runs content as a third one', async () => {
    const serving = servingOf(server);
    const account = uidOf(serving);
    expect(uidOf(server.pid)).toBe(0);
    expect(account).not.toBe(0);
    expect(statusOf(serving)).toMatch(/^CapEff:\s+0+$/m);
    expect(statusOf(serving)).toMatch(/^NoNewPrivs:\s+1$/m);
    for (const name of ['.', 'pressroom.sqlite', 'secret.key', 'content'])
      expect(statSync(join(dataDir, name)).uid, name).toBe(account);
    const path = await publishWho(administrator);
    const [content] = (await administrator.call('GET', path)).body as number[];
    expect([0, account]).not.toContain(content);
  });

  test('content gets no file descriptor from whatever started the server', async () => {
    const names = `answer = [os.readlink(f"/proc/self/fd/{fd}") for fd in range(100) if os.path.lexists(f"/proc/self/fd/{fd}")]`;
    const { path } = await publish(administrator, asgi({ '/': names }), { metadata: ASGI });
    const { body } = await administrator.call('GET', path);
    expect(body).toContain('/dev/null');
    expect(body).not.toContain(lock);
  });

  test('SIGUSR1 opens no debugger, neither of the supervisor nor of the server', async () => {
    for (const pid of [server.pid, servingOf(server)]) process.kill(pid, 'SIGUSR1');
    const ignored = () => printed.filter((line) => line.startsWith('SIGUSR1 is ignored'));
    await expect.poll(ignored).toHaveLength(2);
  });

  test('renders, redeploys and deletes files owned by the content account', async () => {
    const notebook = JSON.stringify({
      cells: [
        { cell_type: 'code', metadata: {}, execution_count: null, outputs: [], source: ['print(6 * 7)'] },
      ],
      metadata: { kernelspec: { name: 'python3', display_name: 'Python 3', language: 'python' } },
      nbformat: 4,
      nbformat_minor: 5,
    });
    const metadata = { appmode: 'jupyter-static', entrypoint: 'n.ipynb' };
    const rendered = await publish(administrator, { 'n.ipynb': notebook }, { metadata });
    expect(rendered.task).toMatchObject({ code: 0 });
    const page = await fetch(`${server.url}${rendered.path.slice(1)}`);
    expect(await page.text()).toContain('42');
    const first = await publish(administrator, asgi(WHO), { metadata: ASGI });
    for (let again = 0; again < 3; again++) {
      const next = await publish(administrator, asgi(WHO), { metadata: ASGI, guid: first.guid });
      expect(next.task).toMatchObject({ code: 0 });
    }
    expect((await administrator.call('DELETE', `/v1/content/${first.guid}`)).status).toBe(204);
    const left = execFileSync('find', [join(dataDir, 'content'), '-name', first.guid]);
    expect(String(left)).toBe('');
  });

  test('installs the packages of a bundle, whose files then belong to the server account', async () => {
    const files = { ...asgi({ '/': 'import brought\nanswer = brought.WHO' }), ...bundledPackage() };
    const { task, path } = await publish(administrator, files, { metadata: ASGI });
    expect(task).toMatchObject({ code: 0 });
    expect((await administrator.call('GET', path)).body).toBe('brought by the bundle');
    const account = uidOf(servingOf(server));
    const others = execFileSync('find', [join(dataDir, 'environments'), '!', '-uid', String(account)]);
    expect(String(others)).toBe('');
  });

  test.each(['supervisor', 'server'])(
    'a killed %s ends the other processes, and the next start works',
    async (which) => {
      const path = await publishWho(administrator);
      await administrator.call('GET', path);
      const processes = [server.pid, servingOf(server), ...childrenOf(server.pid)];
      process.kill(which === 'server' ? servingOf(server) : server.pid, 'SIGKILL');
      await expect.poll(() => processes.filter(isThere)).toEqual([]);
      server = await startServerProcess(dataDir);
      const response = await fetch(`${server.url}${path.slice(1)}`);
      expect(response.status).toBe(200);
    },
  );

  test('SIGTERM exits with 0 and ends the content', async () => {
    const path = await publishWho(administrator);
    await administrator.call('GET', path);
    const processes = [server.pid, servingOf(server), ...childrenOf(server.pid)];
    expect(await server.stop('SIGTERM')).toBe(0);
    await expect.poll(() => processes.filter(isThere)).toEqual([]);
  });
});

test('SIGTERM before the server listens is no failure, and leaves no process', async () => {
  const dataDir = mkdtempSync(join(directory, 'early-'));
  const env = {
    PATH: process.env.PATH,
    PRESSROOM_SERVER_DATADIR: dataDir,
    PRESSROOM_HTTP_LISTEN: '127.0.0.1:0',
  };
  const supervisor = spawn(process.execPath, [await builtProgram('serve')], { env, stdio: 'ignore' });
  const ended = once(supervisor, 'exit');
  const serving = await vi.waitUntil(() => findServing(supervisor.pid!), { timeout: 60_000, interval: 5 });
  supervisor.kill('SIGTERM');
  // By the signal itself if it came before the supervisor listens to signals.
  expect([
    [0, null],
    [null, 'SIGTERM'],
  ]).toContainEqual(await ended);
  await expect.poll(() => isThere(serving)).toBe(false);
});

test('each content item has an account of its own, which installs the packages of its bundle', async () => {
  const dataDir = join(directory, 'own');
  const start = (at: string, more = {}) =>
    startServerProcess(at, { PRESSROOM_APPLICATIONS_RUNAS: '*', ...more });
  await using own = await start(dataDir);
  const owner = await firstAdministrator(() => own.url);
  const files = {
    ...asgi({ '/': 'import brought\nanswer = [os.getuid(), brought.WHO]' }),
    ...bundledPackage(),
  };
  const uids: number[] = [];
  const paths: string[] = [];
  const sites: string[] = [];
  for (let item = 0; item < 2; item++) {
    const { task, path, guid } = await publish(owner, files, { metadata: ASGI });
    expect(task).toMatchObject({ code: 0 });
    sites.push(`content/${guid}/${readdirSync(join(dataDir, 'content', guid))[0]}`);
    const [uid, who] = (await owner.call('GET', path)).body as [number, string];
    expect(who).toBe('brought by the bundle');
    uids.push(uid);
    paths.push(path.slice(1));
  }
  expect(uids[0]).not.toBe(uids[1]);
  await own.stop('SIGTERM');
  // A copy, as on another machine or in a new image: the server has another account, and the packages are elsewhere.
  const copy = join(directory, 'copy');
  execFileSync('cp', ['-a', dataDir, copy]);
  await using copied = await start(copy, { PRESSROOM_SERVER_ACCOUNT: 'games' });
  // The server can read what was not visited yet, as for a backup over the network.
  for (const site of sites) expect(statSync(join(copy, site)).gid).toBe(statSync(copy).gid);
  expect(await (await fetch(copied.url + paths[0])).json()).toEqual([uids[0], 'brought by the bundle']);
  await copied.stop('SIGTERM');
});

test('a backup that root restores to the emptied data directory runs', async () => {
  const dataDir = join(directory, 'emptied');
  const env = { PRESSROOM_SERVER_DATADIR: dataDir };
  await using server = await startServerProcess(dataDir);
  const path = await publishWho(await firstAdministrator(() => server.url));
  expect(await runBackup('backup', 'all.tar', { env, cwd: directory })).toMatchObject({ code: 0 });
  await server.stop('SIGTERM');
  // The directory itself stays, and belongs to the account of the server.
  for (const name of readdirSync(dataDir)) rmSync(join(dataDir, name), { recursive: true });
  expect(await runBackup('restore', 'all.tar', { env, cwd: directory })).toMatchObject({ code: 0 });
  await using restored = await startServerProcess(dataDir);
  expect(await (await fetch(restored.url + path.slice(1))).json()).toEqual([
    expect.any(Number),
    expect.any(Number),
  ]);
  await restored.stop('SIGTERM');
});

test('a start that is killed while it takes over the files of root is made up for by the next one', async () => {
  const dataDir = join(directory, 'taken');
  const environments = join(dataDir, 'environments');
  for (let i = 0; i < 400; i++) mkdirSync(join(environments, String(i), 'in'), { recursive: true });
  const env = { PRESSROOM_SERVER_DATADIR: dataDir, PRESSROOM_HTTP_LISTEN: '127.0.0.1:0' };
  // A group of its own: what changes the owners ends with it.
  const options = { env: { PATH: process.env.PATH, ...env }, stdio: 'ignore', detached: true } as const;
  const killed = spawn(process.execPath, [await builtProgram('serve')], options);
  const ended = once(killed, 'exit');
  const isTaken = (i: number) => statSync(join(environments, String(i), 'in')).uid !== 0;
  const all = Array.from({ length: 400 }, (_, i) => i);
  await vi.waitUntil(() => all.some(isTaken), { timeout: 60_000, interval: 5 });
  process.kill(-killed.pid!, 'SIGKILL');
  await ended;
  await using server = await startServerProcess(dataDir);
  expect(all.filter((i) => !isTaken(i))).toEqual([]);
  await server.stop('SIGTERM');
});

test.each(['KILL', 'SETUID', 'DAC_OVERRIDE'])('root without the capability %s is refused', async (name) => {
  const serve = await builtProgram('serve');
  const args = [`--bounding-set=-${name.toLowerCase()}`, process.execPath, serve];
  const dataDir = join(directory, 'refused');
  const env = {
    PATH: process.env.PATH,
    PRESSROOM_SERVER_DATADIR: dataDir,
    PRESSROOM_HTTP_LISTEN: '127.0.0.1:0',
  };
  const { status, stderr } = spawnSync('setpriv', args, {
    env,
    encoding: 'utf8',
    timeout: 20_000,
    killSignal: 'SIGKILL',
  });
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: `Pressroom did not start: root lacks capabilities here: give the container ${name} (--cap-add)\n`,
  });
  expect(existsSync(dataDir)).toBe(false);
});

test('a server started by root uses PAM through its supervisor', async () => {
  using service = makeKnownService();
  await using other = await startServerProcess(join(directory, 'pam'), {
    PRESSROOM_AUTHENTICATION_PROVIDER: 'pam',
    PRESSROOM_PAM_SERVICE: service.name,
  });
  const [person] = Object.values(KNOWN_PEOPLE);
  const signIn = (password: string) =>
    fetch(`${other.url}/__login__`, {
      method: 'POST',
      body: JSON.stringify({ username: person!.username, password }),
    });
  expect((await signIn('wrong')).status).toBe(401);
  expect((await signIn(person!.password)).status).toBe(200);
  await other.stop('SIGTERM');
});

test('an application gets another Python once its own is no longer in the settings', async () => {
  const python = join(directory, 'python', 'bin', 'python3');
  mkdirSync(dirname(python), { recursive: true });
  const claim = '"$3" in *version_info*) set -- -I -c "import sys; sys.version_info = (3, 99, 0)\n$3";; esac';
  writeFileSync(python, `#!/bin/sh\ncase ${claim}\nexec /usr/bin/python3 "$@"\n`, { mode: 0o755 });
  const dataDir = join(directory, 'listed');
  const start = (list: string) => startServerProcess(dataDir, { PRESSROOM_PYTHON_EXECUTABLE: list });
  const files = asgi({ '/': 'answer = sys.prefix != sys.base_prefix or "VIRTUAL_ENV" in os.environ' });
  const manifest = { ...JSON.parse(manifestOf(files, ASGI)), python: { version: '3.99' } };
  let path: string;
  {
    await using server = await start(`/usr/bin/python3,${python}`);
    const administrator = await firstAdministrator(() => server.url);
    const published = await publish(administrator, { 'manifest.json': JSON.stringify(manifest), ...files });
    expect(published.task.output.join('\n')).toContain(`using ${python}`);
    path = published.path.slice(1);
    expect(await (await fetch(server.url + path)).json()).toBe(true);
    await server.stop('SIGTERM');
  }
  await using server = await start('/usr/bin/python3');
  const response = await fetch(server.url + path);
  expect([response.status, await response.json()]).toEqual([200, false]);
  await server.stop('SIGTERM');
});

/** A package contained in the bundle. */
function bundledPackage(): Record<string, string> {
  return {
    'requirements.txt': './brought\n',
    'brought/pyproject.toml':
      '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n[project]\nname = "brought"\nversion = "1.0"\n',
    'brought/backend.py': `
import zipfile
def build_wheel(directory, config_settings=None, metadata_directory=None):
    name = "brought-1.0-py3-none-any.whl"
    with zipfile.ZipFile(directory + "/" + name, "w") as wheel:
        wheel.writestr("brought.py", "WHO = 'brought by the bundle'\\n")
        wheel.writestr("brought-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: brought\\nVersion: 1.0\\n")
        wheel.writestr("brought-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr("brought-1.0.dist-info/RECORD", "brought.py,,\\n")
    return name
`,
  };
}

describe('Report of isolation', () => {
  let node: string;
  let probe: string;
  beforeAll(async () => {
    // Where every account may execute it.
    node = join(directory, 'node');
    copyFileSync(process.execPath, node);
    chmodSync(node, 0o755);
    probe = join(directory, 'probe.mjs');
    const processes = join(import.meta.dirname, '../../packages/server/src/runtime/sandbox');
    await build({
      stdin: {
        contents: `import { probeIsolation } from './isolation.ts';
import { findTools } from './tools.ts';
const mode = process.argv[2] ?? 'auto';
try {
  const { isolation } = await probeIsolation({ mode, runAs: '', tools: findTools(), separated: process.getuid() === 0 });
  console.log(JSON.stringify(isolation.report));
} catch (error) { console.log(JSON.stringify(error.message)); }`,
        resolveDir: processes,
        loader: 'ts',
      },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: probe,
    });
    const filter = join(directory, 'no-namespaces.mjs');
    await build({
      stdin: {
        contents: `import { seccompFilter } from './seccomp.ts';
import { writeFileSync } from 'node:fs';
writeFileSync(process.argv[2], seccompFilter());`,
        resolveDir: processes,
        loader: 'ts',
      },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: filter,
    });
    execFileSync(node, [filter, join(directory, 'filter')]);
  });

  const NOBODY = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];
  /** As in a container that forbids namespaces. */
  const CONTAINER = (filter: string) =>
    `exec 9< ${filter}; exec bwrap --dev-bind / / --seccomp 9 -- ${NOBODY.join(' ')} "$@"`;

  function report(
    before: readonly string[],
    mode = 'auto',
  ): { protected: boolean; message: string }[] | string {
    const [file, ...args] = [...before, node, probe, mode];
    const { stdout } = spawnSync(file!, args, { cwd: '/', encoding: 'utf8' });
    return JSON.parse(stdout);
  }
  const saysOf = (findings: ReturnType<typeof report>, isProtected: boolean) =>
    (findings as { protected: boolean; message: string }[])
      .filter((item) => item.protected === isProtected)
      .map((item) => item.message)
      .join('\n');

  test('reports full protection for root with bubblewrap', () => {
    const findings = report([]);
    expect(saysOf(findings, false)).toBe('');
    expect(report([], 'required')).toEqual(findings);
  });

  test('reports for an ordinary account what is missing, and how to fix it', () => {
    const findings = report(NOBODY);
    expect(saysOf(findings, true)).toContain('content sees its own files only');
    expect(saysOf(findings, false)).toContain('content runs as the account of the server');
    expect(report(NOBODY, 'required')).toContain('Isolation.Mode is required, but');
  });

  test('reports missing isolation when no namespaces can be created', () => {
    const findings = report(['sh', '-c', CONTAINER(join(directory, 'filter')), 'sh']);
    expect(saysOf(findings, false)).toContain('content can read the files of other content');
    expect(saysOf(findings, false)).toContain('bubblewrap may not create namespaces here');
    expect(saysOf(findings, false)).toContain('system calls of content are not filtered');
  });

  test('reports isolation that is turned off', () => {
    expect(saysOf(report([], 'off'), false)).toContain('Isolation.Mode is off');
  });
});
