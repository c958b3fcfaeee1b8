// Covers git-backed content over SSH, with a real sshd that has its own host key and a forced command.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import {
  finishedTask,
  freePort,
  startGitServer,
  startTestServer,
  type Person,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';

const SSHD = '/usr/sbin/sshd';
const user = userInfo().username;
let server: TestServer;
let owner: Person;
let root: string;
let sshd: ChildProcess;
let port: number;

async function startSshd(): Promise<void> {
  const started = spawn(SSHD, ['-D', '-e', '-f', join(root, 'sshd_config')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  sshd = started;
  await new Promise<void>((resolve, reject) => {
    let printed = '';
    started.stderr.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      if (printed.includes('Server listening')) resolve();
    });
    started.once('exit', () => reject(new Error(printed)));
  });
}
async function stopSshd(): Promise<void> {
  const ended = new Promise((resolve) => sshd.once('exit', resolve));
  sshd.kill();
  await ended;
}
function newHostKey(): void {
  rmSync(join(root, 'host'), { force: true });
  rmSync(join(root, 'host.pub'), { force: true });
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(root, 'host')]);
}
const allow = (key: string) =>
  writeFileSync(join(root, 'authorized'), `restrict,command="${root}/serve" ${key}\n`, { mode: 0o600 });
/** Writes the forced command of the host: it runs git, or returns the address of large files. */
const serve = (large: string) =>
  writeFileSync(
    join(root, 'serve'),
    `#!/bin/sh
case "$SSH_ORIGINAL_COMMAND" in
"git-lfs-authenticate '/reports.git' download") ${large} ;;
*) exec git-upload-pack ${root}/reports.git ;;
esac
`,
    { mode: 0o755 },
  );

const git = (...args: string[]) => execFileSync('git', args, { stdio: 'pipe' });
function commit(name: string, content: string): void {
  const work = join(root, 'work');
  writeFileSync(join(work, name), content);
  git('-C', work, 'add', '-A');
  git('-C', work, '-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '-q', '-m', 'Change');
  git('-C', work, 'push', '-q', join(root, 'reports.git'), 'HEAD:refs/heads/main');
}

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'git-ssh-'));
  port = await freePort();
  if (!existsSync('/run/sshd')) mkdirSync('/run/sshd', { recursive: true });
  newHostKey();
  const settings = [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${root}/host`,
    `AuthorizedKeysFile ${root}/authorized`,
    'StrictModes no',
    'UsePAM no',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PermitRootLogin prohibit-password',
    `PidFile ${root}/pid`,
  ];
  writeFileSync(join(root, 'sshd_config'), `${settings.join('\n')}\n`);
  allow('');
  serve('exit 1');
  git('init', '-q', '-b', 'main', join(root, 'work'));
  git('init', '-q', '--bare', join(root, 'reports.git'));
  commit('index.html', '<p>over ssh');
  await startSshd();
  server = await startTestServer({
    settings: { 'Applications.GitEnabled': true, 'Git.PrivateHosts': '127.0.0.1', 'Git.Timeout': 60 },
  });
  owner = await server.person('publisher');
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await stopSshd();
  rmSync(root, { recursive: true });
});

test('deploys over SSH with a deploy key, and rejects a changed host key', async () => {
  const guid = (await owner.call('POST', '/v1/content', { body: { name: 'by-ssh' } })).body.guid;
  const path = `/v1/content/${guid}/repository`;
  const deploy = async () => {
    const started = await owner.call('POST', `${path}/deploy`, { body: { force: true } });
    return finishedTask(owner, started.body.task_id);
  };
  const page = async (name = '') =>
    (
      await fetch(`${server.url}/content/${guid}/${name}`, { headers: { Authorization: `Key ${owner.key}` } })
    ).text();
  const repository = `ssh://${user}@127.0.0.1:${port}/reports.git`;
  const connected = await owner.call('PUT', path, { body: { repository } });
  expect(connected, JSON.stringify(connected.body)).toMatchObject({
    status: 200,
    body: { public_key: expect.stringMatching(/^ssh-ed25519 \S+ pressroom-by-ssh$/), host_keys: [] },
  });
  expect(JSON.stringify(connected.body)).not.toContain('PRIVATE');
  expect((await deploy()).error).toMatch(/host key: .* is not trusted yet.*SHA256:/);
  const offered: string[] = (await owner.call('GET', path)).body.offered_host_keys;
  const shown = execFileSync('ssh-keygen', ['-lf', join(root, 'host.pub')], { encoding: 'utf8' });
  expect(offered).toEqual([`ssh-ed25519 ${shown.split(' ')[1]}`]);
  expect(await owner.call('PATCH', path, { body: { host_keys: offered } })).toMatchObject({
    body: { host_keys: offered },
  });
  expect((await deploy()).error).toMatch(/refuses the deploy key/);
  allow(connected.body.public_key);
  expect(await deploy()).toMatchObject({ code: 0 });
  expect(await page()).toContain('over ssh');

  // Large files: over SSH, the host returns their address and the credentials.
  await using large = await startGitServer();
  large.credentials = 'deploy:for-an-hour';
  const pointer = large.keepLarge(Buffer.from('a large file'));
  commit('large.txt', pointer);
  expect((await deploy()).error).toMatch(/gives no large files over ssh/);
  const Authorization = `Basic ${Buffer.from(large.credentials).toString('base64')}`;
  serve(`echo '${JSON.stringify({ href: `${large.url}/info/lfs`, header: { Authorization } })}'`);
  expect(await deploy()).toMatchObject({ code: 0 });
  expect(await page('large.txt')).toBe('a large file');
  await stopSshd();
  newHostKey();
  await startSshd();
  expect((await deploy()).error).toMatch(/host key changed/);
});
