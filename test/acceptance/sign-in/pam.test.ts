// Covers PAM with the libpam of the machine: its own service, and a real account where tests may create one.
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestServer } from '@pressroom/testkit';
import { pino, type Logger } from 'pino';
import { expect, test } from 'vitest';
import { look } from '../../../packages/server/src/runtime/sandbox/descendants.ts';
import { createPamHelper } from '../../../packages/server/src/sign-in/providers/pam/helper-process.ts';
import { describeProvider } from './conformance.ts';
import { formRig } from './form-rig.ts';
import { makeKnownService, makeService } from './pam-service.ts';

const isRoot = process.getuid?.() === 0;

const serverOf = (service: string, log?: Logger) =>
  startTestServer({
    settings: { 'Authentication.Provider': 'pam', 'PAM.Service': service },
    ...(log && { log }),
    pause: async () => undefined,
  });

/** The response to a failed attempt, and what the log says of it. */
async function failureOf(service: string) {
  const lines: { level: number; msg: string; why?: string }[] = [];
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) });
  await using server = await serverOf(service, log);
  const { body } = await server.anonymous('POST', '//__login__', {
    body: { username: 'somebody', password: 'something' },
  });
  return {
    code: body.code,
    logged: { why: undefined, ...lines.find(({ msg }) => msg === 'sign-in failed') },
  };
}

if (isRoot) {
  describeProvider('pam', {
    async start() {
      const service = makeKnownService();
      return formRig(
        { 'PAM.Service': service.name },
        { [Symbol.asyncDispose]: async () => service[Symbol.dispose]() },
      );
    },
    firstUser: 'signs in',
    failure: 30,
    byPassword: true,
    profile: 'kept here',
    creation: 'push',
    groups: 'kept here',
    remoteGroups: false,
  });

  test('a system account signs in with its password until it expires', async () => {
    const username = `pr${randomBytes(6).toString('hex')}`;
    const password = `pa'"$(x)\\ss wörd`;
    execFileSync('useradd', ['--no-create-home', '--shell', '/bin/sh', username]);
    try {
      execFileSync('chpasswd', { input: `${username}:${password}\n` });
      using service = makeService('auth required pam_unix.so\naccount required pam_unix.so\n');
      const logged: string[] = [];
      await using server = await serverOf(
        service.name,
        pino({ level: 'warn' }, { write: (line) => void logged.push(line) }),
      );
      const signIn = async (body: object) => (await server.anonymous('POST', '//__login__', { body })).body;
      const whyRefused = async () => {
        expect(await signIn({ username, password })).toMatchObject({ code: 30 });
        return (JSON.parse(logged.at(-1)!) as { why: string }).why;
      };
      expect(await signIn({ username, password })).toMatchObject({ username, user_role: 'administrator' });
      execFileSync('chage', ['--lastday', '0', username]);
      expect(await whyRefused()).toMatch(/^PAM: .*new one required/);
      execFileSync('usermod', ['--expiredate', '1', username]);
      expect(await whyRefused()).toMatch(/^PAM: .*account has expired/);
    } finally {
      execFileSync('userdel', [username]);
    }
  });

  test('system accounts whose names differ only in case are different people', async () => {
    const username = `pr${randomBytes(6).toString('hex')}`;
    const other = username.replace('pr', 'Pr');
    const password = 'correct-horse';
    try {
      for (const name of [username, other]) {
        execFileSync('useradd', ['--badname', '--no-create-home', '--shell', '/bin/sh', name]);
        execFileSync('chpasswd', { input: `${name}:${password}\n` });
      }
      using service = makeService('auth required pam_unix.so\naccount required pam_unix.so\n');
      await using server = await serverOf(service.name);
      const signIn = (name: string) =>
        server.anonymous('POST', '//__login__', { body: { username: name, password } });
      expect(await signIn(username)).toMatchObject({ status: 200, body: { username } });
      expect(await signIn(other)).toMatchObject({ status: 409, body: { code: 8 } });
      execFileSync('userdel', [username]);
      // Now the name has one spelling only.
      expect(await signIn(other)).toMatchObject({ status: 200, body: { username } });
    } finally {
      for (const name of [username, other]) spawnSync('userdel', [name]);
    }
  });

  test('the delay of PAM after a failure does not block other requests', async () => {
    using service = makeService(
      'auth optional pam_faildelay.so delay=5000000\nauth required pam_deny.so\naccount required pam_deny.so\n',
    );
    await using server = await serverOf(service.name);
    const order: string[] = [];
    const body = { username: 'somebody', password: 'something' };
    const refused = server.anonymous('POST', '//__login__', { body }).then(({ body: { code } }) => {
      order.push(`refused ${code}`);
    });
    for (let i = 0; i < 5; i += 1) await server.anonymous('GET', '//__ping__');
    order.push('five answers');
    await refused;
    expect(order).toEqual(['five answers', 'refused 30']);
  });

  test('a program of pam_exec that ends with an error refuses the attempt', async () => {
    using service = makeService('auth required pam_exec.so quiet /bin/false\n');
    await using helper = createPamHelper(service.name);
    expect(await helper.authenticate('somebody', 'wrong')).toEqual({
      refused: expect.any(String),
      isGuess: false,
    });
  });

  test.each([
    ['a wrong password', 'auth required pam_deny.so\n', 30, { level: 30, why: undefined }],
    [
      'an account that may not sign in',
      'auth required pam_permit.so\naccount required pam_deny.so\n',
      30,
      { level: 40, why: expect.stringMatching(/^PAM: /) },
    ],
    [
      'a missing module',
      'auth required pam_is_not_there.so\n',
      98,
      { level: 40, why: expect.stringMatching(/^PAM: Module is unknown/) },
    ],
  ])('in the log, %s is a warning only if it is no guess', async (_what, rules, code, logged) => {
    using service = makeService(rules);
    expect(await failureOf(service.name)).toEqual({ code, logged: expect.objectContaining(logged) });
  });

  test('an attempt whose module crashes fails with the reason', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'pressroom-pam-'));
    const script = join(directory, 'crash');
    writeFileSync(script, '#!/bin/sh\nkill -SEGV $PPID\n', { mode: 0o755 });
    using service = makeService(`auth required pam_exec.so quiet ${script}\n`);
    try {
      await using helper = createPamHelper(service.name);
      await expect(helper.authenticate('somebody', 'something')).rejects.toThrow('crashed');
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  test('a program started by a module ends at the time limit of the attempt', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'pressroom-pam-'));
    const seen = join(directory, 'pid');
    const script = join(directory, 'hang');
    writeFileSync(script, `#!/bin/sh\necho $$ > ${seen}\nexec sleep 600\n`, { mode: 0o755 });
    using service = makeService(`auth required pam_exec.so quiet ${script}\n`);
    try {
      await using helper = createPamHelper(service.name, 1500);
      await expect(helper.authenticate('somebody', 'something')).rejects.toThrow('in time');
      const pid = Number(readFileSync(seen, 'utf8'));
      await expect.poll(async () => (await look(pid))?.isOver ?? true).toBe(true);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
}

test.each([
  { username: 'no-such-account-here', password: 'x' },
  { username: 'root', password: '' },
  { username: '', password: 'x' },
])('rejects unknown accounts and empty passwords: %j', async (body) => {
  await using server = await serverOf('other');
  const response = await server.anonymous('POST', '//__login__', { body });
  expect(response).toMatchObject({ status: 401, body: { code: 30 } });
});

test('a service without a file is a warning: PAM uses another one', async () => {
  expect(await failureOf('is-not-there')).toEqual({
    code: 30,
    logged: expect.objectContaining({
      level: 40,
      why: 'PAM.Service: there is no /etc/pam.d/is-not-there, so PAM uses its service "other"',
    }),
  });
});

test('rejects a path as the name of a service', async () => {
  await expect(serverOf('../shadow')).rejects.toThrow('PAM.Service');
});
