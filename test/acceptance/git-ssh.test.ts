// Git-backed content over ssh, against a real sshd with a host key of its own and a forced command.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { finishedTask, freePort, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
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
  writeFileSync(join(root, 'authorized'), `restrict,command="git-upload-pack ${root}/reports.git" ${key}\n`, {
    mode: 0o600,
  });

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
  const git = (...args: string[]) => execFileSync('git', args, { stdio: 'pipe' });
  git('init', '-q', '-b', 'main', join(root, 'work'));
  writeFileSync(join(root, 'work/index.html'), '<p>over ssh');
  git('-C', join(root, 'work'), 'add', '-A');
  const by = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
  git('-C', join(root, 'work'), ...by, 'commit', '-q', '-m', 'First');
  git('clone', '-q', '--bare', join(root, 'work'), join(root, 'reports.git'));
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

test('a deploy key is made, the host key trusted by its owner, and another host key refused', async () => {
  const guid = (await owner.call('POST', '/v1/content', { body: { name: 'by-ssh' } })).body.guid;
  const path = `/v1/content/${guid}/repository`;
  const deploy = async () => {
    const started = await owner.call('POST', `${path}/deploy`, { body: { force: true } });
    return finishedTask(owner, started.body.task_id);
  };
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
  const answer = await fetch(`${server.url}/content/${guid}/`, {
    headers: { Authorization: `Key ${owner.key}` },
  });
  expect(await answer.text()).toContain('over ssh');
  await stopSshd();
  newHostKey();
  await startSshd();
  expect((await deploy()).error).toMatch(/host key changed/);
});
