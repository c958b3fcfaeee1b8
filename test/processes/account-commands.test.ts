// Covers the commands for keys, administrators and running applications with a real server: token, admin, restart, logs.
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import {
  finishedTask,
  makeQuickRenderer,
  publish,
  QUICK_DOCUMENT,
  quickDocument,
  startTestServer,
  type Person,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runHere } from '../../packages/cli/src/testing/run-here.ts';

const stack = new AsyncDisposableStack();
let server: TestServer;
let owner: Person;
let admin: Person;
beforeAll(async () => {
  const { settings } = stack.use(await makeQuickRenderer());
  server = stack.use(await startTestServer({ settings }));
  owner = await server.person('publisher');
  admin = await server.administrator();
});
afterAll(() => stack.disposeAsync());

interface Options {
  readonly person?: Person;
  readonly input?: string;
  readonly until?: (stdout: string) => boolean;
  readonly onNote?: (stderr: string) => void;
}

async function pressroom(args: string[], { person = owner, ...options }: Options = {}) {
  const env = { CONNECT_SERVER: server.url, CONNECT_API_KEY: person.key, HOME: server.dataDir };
  const { code, stdout: out, stderr: said } = await runHere(args, { env, cwd: server.dataDir, ...options });
  return { code, out, said };
}
const asAdmin = (args: string[], input = '') => pressroom(args, { person: admin, input });

describe('pressroom token', () => {
  test('prints a new key once, to standard output only, and revokes it', async () => {
    const made = await pressroom(['token', 'create', 'CI', '--role', 'viewer', '--expires', '90d']);
    expect(made.code).toBe(0);
    const key = made.out.trim();
    expect(made.said).not.toContain(key);
    const own = { ...owner, key };
    const me = await pressroom(['whoami', '--output', 'json'], { person: own });
    expect(JSON.parse(me.out).user.username).toBe(owner.username);
    const listed = await pressroom(['token', 'list']);
    expect(listed.out).toMatch(/^ID +NAME +ROLE[^]*\d+ +CI +viewer/);
    const all = await pressroom(['token', 'list', '--output', 'json']);
    const found = JSON.parse(all.out).find(({ name }: { name: string }) => name === 'CI');
    expect(found).toMatchObject({ role: 'viewer', user_guid: owner.guid });
    expect(Date.parse(found.expires_time) - Date.now()).toBeGreaterThan(89 * 86_400_000);
    expect(listed.out + all.out).not.toContain(key);
    expect(await pressroom(['token', 'revoke', 'CI'])).toMatchObject({
      code: 0,
      said: expect.stringContaining('Revoked API key CI'),
    });
    expect(await pressroom(['whoami'], { person: own })).toMatchObject({ code: 3 });
  });

  test('a key that expires on a day works to the end of it, as share --until', async () => {
    const args = ['token', 'create', 'day', '--expires', '2127-01-31', '--output', 'json'];
    const { id } = JSON.parse((await pressroom(args)).out);
    const all = JSON.parse((await pressroom(['token', 'list', '--output', 'json'])).out);
    const { expires_time } = all.find((key: { id: string }) => key.id === id);
    expect(Date.parse(expires_time)).toBe(new Date('2127-01-31T23:59:59').getTime());
  });

  test('prints the API response as JSON', async () => {
    const { out, said } = await pressroom(['token', 'create', 'json', '--output', 'json']);
    expect(JSON.parse(out)).toMatchObject({ name: 'json', key: expect.any(String), role: null });
    expect(said).toBe('');
  });

  test.each([
    [['token', 'create', 'x', '--role', 'king'], 'Unknown value of --role: king.'],
    [['token', 'create', 'x', '--expires', 'soon'], 'Not a time: soon.'],
    [['token', 'create', 'x', '--expires', '2020-01-31'], '2020-01-31 is in the past.'],
    [['token', 'revoke', 'none-of-these'], 'You have no API key none-of-these.'],
  ])('rejects %j as wrong usage', async (args, text) => {
    expect(await pressroom(args)).toMatchObject({ code: 2, said: expect.stringContaining(text) });
  });
});

describe('pressroom admin', () => {
  test('adds a user with a password link, changes the role, locks and unlocks', async () => {
    const added = await asAdmin(['admin', 'users', 'add', 'grace', '--email', 'grace@example.com']);
    expect([added.code, added.said]).toEqual([0, expect.stringContaining('Added grace')]);
    expect(added.out.trim()).toMatch(/^http.*\/__login__\/password/);
    expect(added.said).not.toContain(added.out.trim());
    expect((await asAdmin(['admin', 'users', 'role', 'grace@example.com', 'publisher'])).said).toBe(
      'grace is publisher now.\n',
    );
    const locked = await asAdmin(['admin', 'users', 'lock', 'grace', '--output', 'json']);
    expect(JSON.parse(locked.out)).toMatchObject({ username: 'grace', locked: true, user_role: 'publisher' });
    expect((await asAdmin(['admin', 'users', 'list', '--locked'])).out).toMatch(
      /LAST USE[^]*\ngrace +publisher +locked +never +grace@example.com\n$/,
    );
    expect((await asAdmin(['admin', 'users', 'unlock', 'grace'])).said).toBe('Unlocked grace.\n');
    expect((await asAdmin(['admin', 'users', 'list', '--locked'])).out).not.toContain('grace');
    expect(await asAdmin(['admin', 'users', 'role', 'nobody-here', 'viewer'])).toMatchObject({ code: 2 });
    // A new account does not count as unused for a day.
    expect((await asAdmin(['admin', 'users', 'list', '--unused', '1'])).out).not.toContain('grace');
  });

  test('prints a link that sets a password once', async () => {
    const { out, said } = await asAdmin(['admin', 'reset-password', owner.username]);
    const token = new URL(out.trim()).hash.slice(1) || new URL(out.trim()).searchParams.get('token');
    expect(said).toContain(`Send this link to ${owner.username}.`);
    const body = { token: token!.replace(/^token=/, ''), password: 'a long enough passphrase' };
    expect((await server.anonymous('PUT', '/v1/password_reset', { body })).status).toBe(204);
    expect((await server.anonymous('PUT', '/v1/password_reset', { body })).status).toBe(403);
  });

  test('adds and removes groups and members; a wrong name changes nothing', async () => {
    expect((await asAdmin(['admin', 'groups', 'add', 'Analysts'])).said).toBe('Added group Analysts.\n');
    const members = ['admin', 'groups', 'members', 'analysts'];
    expect(await asAdmin([...members, '--add', owner.username, '--add', 'nobody-here'])).toMatchObject({
      code: 2,
      said: expect.stringContaining('No user is called nobody-here'),
    });
    expect(await asAdmin([...members, '--add', admin.username, '--remove', owner.username])).toMatchObject({
      code: 2,
      said: expect.stringContaining(`${owner.username} is not a member of Analysts. Nothing was changed.`),
    });
    expect((await asAdmin(members)).out).toBe('USERNAME  NAME  ROLE\n');
    expect((await asAdmin([...members, '--add', owner.username])).out).toContain(owner.username);
    const list = await asAdmin([...members, '--remove', owner.username, '--output', 'json']);
    expect(JSON.parse(list.out)).toEqual([]);
    expect((await asAdmin(['admin', 'groups', 'list', 'ana'])).out).toContain('Analysts');
    expect(await asAdmin(['admin', 'groups', 'remove', 'Analysts'], 'wrong\n')).toMatchObject({ code: 2 });
    expect((await asAdmin(['admin', 'groups', 'remove', 'Analysts'], 'Analysts\n')).code).toBe(0);
    expect(await asAdmin(members)).toMatchObject({ code: 2 });
  });

  test('is restricted to administrators', async () => {
    for (const args of [
      ['users', 'add', 'mallory'],
      ['users', 'lock', admin.username],
      ['reset-password', admin.username],
    ])
      expect(await pressroom(['admin', ...args])).toMatchObject({
        code: 3,
        said: expect.stringMatching(/^Use the API key of an administrator\.$/m),
      });
  });
});

describe('Logs and restarts', () => {
  const metadata = { appmode: 'python-api', entrypoint: 'app:app' };
  const app = `
import os
print("hello from", os.getppid(), flush=True)
def app(environ, start_response):
    print("asked for", environ["PATH_INFO"], flush=True)
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [b"x"]
`;

  test('restarts an application, and follows its log from one process to the next', async () => {
    const { guid, path } = await publish(owner, { 'app.py': app }, { metadata });
    const log = await pressroom(['logs', guid]);
    expect(log.out).toMatch(/^\S+Z {2}Launching Python API\.\.\.\n/);
    let step = 0;
    const following = pressroom(['logs', guid, '--follow'], {
      until(out) {
        if (step === 0 && out.includes('hello from')) {
          step = 1;
          void server.anonymous('GET', `${path}one`);
        }
        if (step === 1 && out.includes('asked for /one')) {
          step = 2;
          void pressroom(['restart', guid]).then(() => server.anonymous('GET', `${path}two`));
        }
        return out.includes('asked for /two');
      },
    });
    const followed = await following;
    expect(followed.code).toBe(130);
    expect(followed.out.match(/asked for \/one/g)).toHaveLength(1);
    expect(followed.out.match(/Launching/g)).toHaveLength(2);
    expect(followed.said).toMatch(/Process \w+ started\./);
    const [, first] = JSON.parse((await pressroom(['processes', guid, '--output', 'json'])).out);
    const ended = await pressroom(['logs', guid, '--follow', '--process', first.key, '--output', 'json']);
    expect(ended.code).toBe(0);
    const lines = ended.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({ process: first.key, data: 'Launching Python API...' });
    expect(lines.at(-1).data).toContain('The process');
  });

  test('lists the renderings of a document, and follows their logs from one to the next', async () => {
    const { guid, task } = await publish(owner, quickDocument('log("rendered")'), {
      metadata: QUICK_DOCUMENT,
    });
    const { out } = await pressroom(['processes', guid]);
    expect(out).toMatch(new RegExp(`^KEY +BUNDLE .*\n${task.id} +\\d+ +\\S+Z +\\S+Z +succeeded\n$`));
    expect((await pressroom(['logs', guid])).out).toMatch(/^\S+Z {2}rendered$/m);
    let second = '';
    const followed = await pressroom(['logs', guid, '--follow'], {
      until(printed) {
        if (second === '' && printed.includes('rendered')) {
          second = 'wanted';
          void owner.call('POST', `/v1/content/${guid}/render`).then(({ body }) => (second = body.task_id));
        }
        return printed.match(/rendered/g)?.length === 2;
      },
    });
    expect(followed.said).toContain(`Rendering ${second} started.`);
    await finishedTask(owner, second);
    expect((await pressroom(['processes', guid, '--log', task.id])).out).toContain('rendered');
  });

  test('rejects a restart of a page, which has no log', async () => {
    const { guid } = await publish(owner, { 'index.html': '<p>' });
    expect(await pressroom(['restart', guid])).toMatchObject({
      code: 3,
      said: expect.stringContaining('only applications and APIs'),
    });
    expect(await pressroom(['logs', guid])).toMatchObject({
      code: 0,
      said: expect.stringContaining('No process has run this content yet.'),
    });
  });
});

test('completion for bash completes subcommands, values, shells and topics', async () => {
  const { out } = await pressroom(['completion', 'bash']);
  const wordsOf = (...words: string[]) => {
    const line = ['pressroom', ...words].map((word) => `'${word}'`).join(' ');
    const script = `${out}\nCOMP_WORDS=(${line}) COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))\n_pressroom\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = spawnSync('bash', ['-c', script], { encoding: 'utf8', cwd: server.dataDir });
    return stdout.trim().split('\n');
  };
  const complete = (...words: string[]) => wordsOf(...words).join(' ');
  expect(complete('admin', 'users', 'un')).toBe('unlock');
  expect(complete('admin', 'users', 'add', '--em')).toBe('--email');
  expect(complete('token', '')).toBe('create list revoke');
  expect(complete('share', '--access', 'l')).toBe('logged_in');
  expect(complete('list', '--output', '')).toBe('table json');
  expect(complete('completion', 'f')).toBe('fish');
  expect(complete('git', 'disc')).toBe('disconnect');
  expect(complete('repositories', 'cl')).toBe('clear');
  expect(complete('help', 'exit')).toBe('exit-codes');
  expect(complete('status', 'secret')).toBe('secret.key');
  await mkdir(join(server.dataDir, 'a report'));
  expect(wordsOf('deploy', 'a r')).toEqual(['a report']);
});

test('completion for bash completes names of content, and runs nothing that a server put in a name', async () => {
  const { out } = await pressroom(['completion', 'bash']);
  const NAMES = [
    'sales-report',
    'sales_app',
    'other',
    'sales$(touch run)',
    'sales`touch run`',
    'sales of May',
  ];
  const complete = (...words: string[]) => {
    const script = `${out}
pressroom() { test "$*" = "list --names sales" && echo "$NAMES"; }
COMP_WORDS=(pressroom ${words.join(' ')}) COMP_CWORD=${words.length}
_pressroom
echo "\${COMPREPLY[@]}"`;
    const env = { ...process.env, NAMES: NAMES.join('\n') };
    return spawnSync('bash', ['-c', script], { encoding: 'utf8', cwd: server.dataDir, env }).stdout.trim();
  };
  expect(complete('status', 'sales')).toBe('sales-report sales_app');
  expect(complete('share', 'ada', '--content', 'sales')).toBe('sales-report sales_app');
  expect(complete('canary', 'show', 'sales')).toBe('sales-report sales_app');
  expect(complete('deploy', 'sales')).toBe('');
  expect(await readdir(server.dataDir)).not.toContain('run');
});

describe('pressroom admin for servers', () => {
  test('lists, drains and resumes servers, for administrators only', async () => {
    const name = server.running.services.drain.server;
    expect((await asAdmin(['admin', 'servers'])).out).toMatch(new RegExp(`${name} +yes +start\\n`));
    const drained = await asAdmin(['admin', 'drain', '--on', name]);
    expect([drained.code, drained.out]).toEqual([
      0,
      expect.stringMatching(/yes +start no more +20.* +admin/),
    ]);
    const resumed = await asAdmin(['admin', 'resume', '--output', 'json']);
    expect(JSON.parse(resumed.out)).toMatchObject({
      all_draining: false,
      servers: [{ name, draining: false }],
    });
    expect((await pressroom(['admin', 'drain'])).code).toBe(3);
    expect(await asAdmin(['admin', 'drain', '--on', 'elsewhere'])).toMatchObject({
      code: 3,
      said: expect.stringContaining(`Servers: ${name}.\nTo list the servers, run: pressroom admin servers`),
    });
  });

  test('doctor prints findings with remedies, and exits with 1 on problems', async () => {
    const well = await asAdmin(['admin', 'doctor']);
    expect([well.code, well.out]).toEqual([0, expect.stringMatching(/^ok +Node +\d/)]);
    expect(well.said).toMatch(/0 problems, \d+ warnings?\./);
    // Without a place of packages, it starts pip, which asks its index: once is enough.
    await server.restart({ 'Mail.URL': 'smtp://127.0.0.1:1', 'Python.FindLinks': '/usr/share' });
    const ill = await asAdmin(['admin', 'doctor']);
    expect([ill.code, ill.out]).toEqual([1, expect.stringMatching(/BAD +Mail [^]*→ Check host, port/)]);
    const { out, code } = await asAdmin(['admin', 'doctor', '--output', 'json']);
    expect([code, JSON.parse(out).findings.length]).toEqual([1, expect.any(Number)]);
    await server.restart();
  });

  /** Signs in and confirms, as the administrator would in a browser. */
  async function confirmIn(printed: string): Promise<void> {
    const code = /code ([A-Z]{4}-[A-Z]{4})/.exec(printed)![1]!;
    const body = { username: admin.username, password: 'correct horse' };
    const set = (await server.anonymous('POST', '//__login__', { body })).headers.getSetCookie();
    const cookie = set.map((one) => one.split(';')[0]).join('; ');
    const xsrf = /RSC-XSRF=([^;]+)/.exec(cookie)![1]!;
    const raw = new URLSearchParams({ code, decision: 'allowed', xsrf }).toString();
    const headers = { cookie };
    expect((await server.anonymous('POST', '//__dashboard__/device', { raw, headers })).status).toBe(303);
  }

  test('backup requires confirmation in the browser and writes a private file; restore verifies it', async () => {
    await publish(owner, { 'index.html': 'kept' });
    const confirming: Promise<void>[] = [];
    const onNote = (printed: string) => {
      if (/code [A-Z]{4}-[A-Z]{4}/.test(printed) && confirming.length === 0)
        confirming.push(confirmIn(printed));
    };
    const made = await pressroom(['admin', 'backup', 'all.tar'], { person: admin, onNote });
    await Promise.all(confirming);
    expect(made).toMatchObject({ code: 0, out: expect.stringContaining('secret.key') });
    expect(made.said).toContain(`Open ${server.url}/__dashboard__/device?code=`);
    const file = join(server.dataDir, 'all.tar');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const again = await asAdmin(['admin', 'backup', 'all.tar']);
    expect(again).toMatchObject({ code: 2, said: expect.stringContaining('all.tar exists.') });

    const looked = await asAdmin(['admin', 'restore', 'all.tar']);
    expect([looked.code, looked.out]).toEqual([0, expect.stringContaining(`npm run restore -- '${file}'`)]);
    expect(looked.out).toMatch(/the database: users[^]*\d+ bundles, and the files of \d+ deployed/);
    const { out } = await asAdmin(['admin', 'restore', 'all.tar', '--output', 'json']);
    expect(JSON.parse(out)).toMatchObject({ database: 'sqlite', key: 'file', bundles_in: 'here' });
    expect(out).not.toContain('key_check');
    await truncate(file, Math.floor((await stat(file)).size / 2 / 512) * 512);
    expect(await asAdmin(['admin', 'restore', 'all.tar'])).toMatchObject({
      code: 1,
      said: expect.stringMatching(/is not whole|is damaged/),
    });
    expect(await asAdmin(['admin', 'restore', 'absent.tar'])).toMatchObject({
      code: 1,
      said: expect.stringContaining('There is no file'),
    });
    expect((await readdir(server.dataDir)).filter((name) => name.startsWith('all.tar'))).toEqual(['all.tar']);
  });

  test('backup is restricted to administrators, and leaves no file otherwise', async () => {
    expect((await pressroom(['admin', 'backup', 'no.tar'])).code).toBe(3);
    expect((await readdir(server.dataDir)).filter((name) => name.startsWith('no.tar'))).toEqual([]);
  });
});
