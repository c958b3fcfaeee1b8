import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readRecords, writeRecord } from '@pressroom/api/publish';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startFakeServer, TEST_KEY, type FakeServer } from '../../api/src/client/testing/fake-server.ts';
import { json, refuse } from '../../api/src/client/testing/responses.ts';
import type { AnyCommand } from './command.ts';
import { COMMANDS } from './commands/index.ts';
import { runCommandLine } from './run.ts';
import { runHere } from './testing/run-here.ts';

const BIN = fileURLToPath(new URL('../bin/pressroom.mjs', import.meta.url));
/** Each test's HOME is new, so the command would be compiled for each. */
const COMPILED = { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] };
let home: string;
let dir: string;
let fake: FakeServer;
beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'pressroom-cli-'));
  dir = path.join(home, 'site');
  await mkdir(dir);
  await writeFile(path.join(dir, 'index.html'), '<h1>Hello</h1>');
  fake = await startFakeServer();
});
afterEach(async () => {
  await fake.close();
  await rm(home, { recursive: true });
});

interface RunOptions {
  env?: Record<string, string>;
  input?: string;
  /** Called with all of standard error so far. */
  onStderr?: (text: string, kill: (signal: NodeJS.Signals) => void) => void;
}

interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

function pressroom(args: string[], options: RunOptions = {}): Promise<Outcome> {
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    XDG_CONFIG_HOME: path.join(home, 'config'),
    ...options.env,
  };
  return options.onStderr
    ? inProcess(args, env, options)
    : runHere(args, { env, cwd: home, input: options.input });
}

/** Runs the command as a child process, which receives signals. */
async function inProcess(
  args: string[],
  env: Record<string, string | undefined>,
  options: RunOptions,
): Promise<Outcome> {
  const child = spawn(process.execPath, [BIN, ...args], { env: { ...COMPILED, ...env }, cwd: home });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  let killed = false;
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
    options.onStderr?.(stderr, (signal) => {
      // Send the signal once: a second one would force an immediate exit.
      if (!killed) child.kill(signal);
      killed = true;
    });
  });
  child.stdin.end(options.input ?? '');
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, stdout, stderr };
}

const connected = () => ({ env: { CONNECT_SERVER: fake.url, CONNECT_API_KEY: TEST_KEY } });
const jsonLines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const credentials = async () =>
  JSON.parse(await readFile(path.join(home, 'config', 'pressroom', 'credentials.json'), 'utf8')) as unknown;

describe('Usage', () => {
  test('help exits with 0 on request, and with 2 without a command', async () => {
    const [asked, bare] = await Promise.all([pressroom(['--help']), pressroom([])]);
    expect(asked.code).toBe(0);
    expect(bare.code).toBe(2);
    expect(bare.stdout).toBe(asked.stdout);
    expect(asked.stdout).toContain('130  cancelled');
    const lines = asked.stdout.split('\n');
    const rows = lines.map((line) => line.trim().split(/ {2,}/));
    for (const { name, summary } of COMMANDS) expect(rows).toContainEqual([name, summary]);
    expect(lines.filter((line) => line.length > 110)).toEqual([]);
  });

  test.each([
    [['nonsense'], 'Unknown command: nonsense.'],
    [['constructor'], 'Unknown command: constructor.'],
    [['bundle', 'site'], 'Did you mean: bundles'],
    [['admin', 'groups', 'ad'], 'Did you mean: admin groups add'],
    [['publish', 'site'], 'See: pressroom deploy --help'],
    [['admin', 'users', 'delete', 'ada'], 'See: pressroom admin users --help'],
    [['rollback', 'site'], 'pressroom rollback --content site'],
    [['variables', 'site', 'TOKEN=secret'], 'pressroom variables site --from -'],
    [['variables', 'site', 'other'], 'Unexpected argument: other.'],
    [['variables', 'site', '--env', 'TOKEN=secret'], 'pressroom variables site --from -'],
    [
      ['variables', 'site', '--env', 'TOKEN'],
      'TOKEN is not set in the environment of this command, or empty.',
    ],
    [['deploy'], 'pressroom deploy DIR'],
    [['deploy', 'site', '--nmae', 'x'], "Error: Unknown option '--nmae'.\nSee: pressroom deploy --help\n"],
    [['deploy', 'site', '--name', 'a b'], '--name must be'],
    [['logs', 'x', '--first', '-'], '--first'],
    [['approvals', 'site', '--remove', '--require', '2'], '--remove cannot be used with other options.'],
    [['approvals', 'site', '--remove', '--by-anyone'], '--remove cannot be used with other options.'],
    [['tags', '--all', '--add', 'Sales'], '--all cannot be used with other options.'],
    [['share', '--edit'], '--edit requires a user or group.'],
    [['trust', 'site', '--branch', 'main'], '--branch requires --add REPOSITORY.'],
    [['trust', 'site', '--drafts-only', '--remove', '1'], '--drafts-only requires --add REPOSITORY.'],
    [['render', 'site', '--timezone', 'Europe/Zurich'], '--timezone requires --schedule WHEN.'],
    [['render', 'site', '--list', '--no-schedule'], '--list cannot be used with other options.'],
    [['deploy', 'site', '--new', '--guid', 'x'], '--new creates content, and --guid updates it: use one.'],
    [['admin', 'backup', 'missing/backup.tar'], 'There is no directory'],
    [['download', 'site', '--file', '-'], 'A download goes to a file.'],
    [['whoami', '--server', 'ftp://x'], 'ftp'],
    [['whoami'], 'No server is configured'],
  ])('%j is a usage error', async (args, text) => {
    const { code, stderr } = await pressroom(args);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(text) as string });
  });

  test('a value that an option does not have is a usage error of every command', async () => {
    const refused: string[] = [];
    const walk = async (commands: readonly AnyCommand[], path: string[]): Promise<void> => {
      for (const command of commands) {
        const words = [...path, command.name];
        if ('commands' in command) await walk(command.commands, words);
        else
          for (const [option, known] of Object.entries(command.choices ?? {})) {
            const args = [...words, ...Array<string>(command.positionals[0]).fill('x'), `--${option}`, 'zzz'];
            const { code, stderr } = await pressroom(args, connected());
            expect({ code, stderr }, args.join(' ')).toEqual({
              code: 2,
              stderr: `Error: Unknown value of --${option}: zzz.\nUse one of: ${known.join(', ')}\n`,
            });
            refused.push(args.join(' '));
          }
      }
    };
    await walk(COMMANDS, []);
    expect(refused).toContain('deploy x --type zzz');
    expect(fake.requests).toEqual([]);
  });

  test('every command has help, by --help and by help', async () => {
    const { stdout } = await pressroom(['rollback', '--help']);
    expect(stdout).toContain('Usage: pressroom rollback [BUNDLE]');
    expect(stdout).toContain('--content');
    expect((await pressroom(['help', 'rollback'])).stdout).toBe(stdout);
    const walk = async (commands: readonly AnyCommand[], path: string[]): Promise<void> => {
      for (const command of commands) {
        const words = [...path, command.name];
        const help = await pressroom([...words, '--help']);
        expect(help, words.join(' ')).toMatchObject({ code: 0, stderr: '' });
        expect(help.stdout).toContain(`Usage: pressroom ${command.synopsis}`);
        expect(command.synopsis.split(' ').slice(0, words.length)).toEqual(words);
        expect((await pressroom(['help', ...words])).stdout).toBe(help.stdout);
        if ('commands' in command) await walk(command.commands, words);
        else
          for (const option of Object.keys(command.options ?? {}))
            expect(help.stdout).toContain(`--${option}`);
      }
    };
    await walk(COMMANDS, []);
  });

  test('help explains topics, and an unknown topic is a usage error', async () => {
    const { stdout } = await pressroom(['help']);
    for (const topic of ['content', 'environment', 'exit-codes', 'output']) {
      expect(stdout).toContain(topic);
      expect((await pressroom(['help', topic])).code).toBe(0);
    }
    expect((await pressroom(['help', 'environment'])).stdout).toContain('CONNECT_API_KEY');
    expect((await pressroom(['help', 'exit-codes'])).stdout).toContain('130  cancelled');
    expect(await pressroom(['help', 'nonsense'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no help for nonsense.') as string,
    });
  });

  test('a group of commands lists them and rejects others', async () => {
    const bare = await pressroom(['token']);
    expect(bare.code).toBe(2);
    expect(bare.stdout).toContain('token create NAME');
    expect(await pressroom(['admin', 'users', 'nonsense'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Unknown command: admin users nonsense.') as string,
    });
  });

  test.each([
    [['whoami', '--output', 'xml'], 'Unknown output: xml.'],
    [['whoami', '--output', 'table', '--json'], '--json and --output table cannot be used together'],
  ])('the output option %j is a usage error', async (args, text) => {
    expect(await pressroom(args, connected())).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(text) as string,
    });
  });

  test('an account without a home directory takes the key of the environment', async () => {
    const env = { ...connected().env, HOME: '/dev/null', XDG_CONFIG_HOME: '' };
    expect(await pressroom(['whoami', '--json'], { env })).toMatchObject({ code: 0 });
  });

  test('names a report that comment cannot read', async () => {
    const env = {
      CI_API_V4_URL: `${fake.url}/api/v4`,
      CI_MERGE_REQUEST_PROJECT_ID: '1',
      CI_MERGE_REQUEST_IID: '7',
      PRESSROOM_GITLAB_TOKEN: 'glpat-1',
    };
    const result = await pressroom(['comment', 'none.md'], { env });
    expect(result).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('Cannot read none.md (ENOENT).'),
    });
  });

  test('--output json equals --json, and table is the default', async () => {
    const [long, short, table, bare] = await Promise.all(
      [['--output', 'json'], ['--json'], ['--output=table'], []].map((options) =>
        pressroom(['whoami', ...options], connected()),
      ),
    );
    expect(long!.stdout).toBe(short!.stdout);
    expect(jsonLines(long!.stdout)[0]).toMatchObject({ user: { username: 'ada' } });
    expect(table!.stdout).toBe(bare!.stdout);
    expect(bare!.stdout).toContain('Account');
  });
});

describe('deploy', () => {
  test('publishes, prints the URL, and goes to the same content the next time', async () => {
    const first = await pressroom(['deploy', 'site', '--name', 'hello'], connected());
    expect(first).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^http.*\/content\/.*\/\n$/) as string,
    });
    expect(first.stderr).toContain('Building static content...');
    const second = await pressroom(['deploy', 'site', '--json'], connected());
    expect(second.code).toBe(0);
    const events = jsonLines(second.stdout);
    expect(events.find(({ type }) => type === 'target')).toMatchObject({ name: 'hello', created: false });
    expect(events.at(-1)).toMatchObject({ type: 'done' });
    expect(fake.contents.size).toBe(1);
  });

  test('requires no server for a dry run', async () => {
    const { code, stdout } = await pressroom(['deploy', 'site', '--dry-run', '--json']);
    expect(code).toBe(0);
    expect(jsonLines(stdout).find(({ type }) => type === 'collect')).toMatchObject({ files: ['index.html'] });
    expect(fake.requests).toEqual([]);
  });

  test('takes the record of the same server in a dry run as in a deploy', async () => {
    await writeFile(path.join(dir, 'other.html'), '<h1>Other</h1>');
    await pressroom(['deploy', 'site', '--entrypoint', 'other.html'], connected());
    const newer = { server: 'https://newer.example.com', app_mode: 'static', bundle_id: '1' };
    await writeRecord(dir, {
      ...newer,
      guid: '00000000-0000-4000-8000-000000000001',
      name: 'newer',
      entrypoint: 'index.html',
      deployed_time: '2099-01-01T00:00:00Z',
    });
    const entrypointOf = async (args: string[], options?: RunOptions) =>
      jsonLines((await pressroom([...args, '--json'], options)).stdout).find(
        ({ type }) => type === 'collect',
      );
    for (const args of [
      ['deploy', 'site', '--dry-run'],
      ['deploy', 'site'],
    ])
      expect(await entrypointOf(args, connected())).toMatchObject({ entrypoint: 'other.html' });
    const alone = await entrypointOf(['deploy', 'site', '--dry-run']);
    expect(alone).toMatchObject({ entrypoint: 'index.html' });
  });

  test('lists every file on standard output in a dry run, and all exclusions', async () => {
    for (const name of ['b.txt', 'c.txt', 'd.txt']) await writeFile(path.join(dir, name), 'x');
    for (let i = 0; i < 12; i += 1) await writeFile(path.join(dir, `.env.${i}`), 'x');
    const { stdout, stderr } = await pressroom(['deploy', 'site', '--dry-run']);
    expect(stdout).toBe('b.txt\nc.txt\nd.txt\nindex.html\n');
    expect(stderr.match(/^Excluded: \.env\.\d+ \(.+\)$/gm)).toHaveLength(12);
  });

  test('includes and excludes files by options', async () => {
    await writeFile(path.join(dir, 'big.bin'), 'x');
    await writeFile(path.join(dir, '.env'), 'x');
    const args = ['deploy', 'site', '--dry-run', '--json', '--exclude', 'big.*', '--include', '.env'];
    const { stdout } = await pressroom(args);
    expect(jsonLines(stdout).find(({ type }) => type === 'collect')).toMatchObject({
      files: ['.env', 'index.html'],
    });
  });

  test.each([[['--type', 'shiny'], 'content of type shiny (Shiny application)']])(
    'names what cannot be published: %j',
    async (options, text) => {
      await rm(path.join(dir, 'index.html'));
      await writeFile(path.join(dir, 'server.py'), 'from shiny import App\n');
      const { code, stderr } = await pressroom(['deploy', 'site', '--dry-run', ...options]);
      expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(text) as string });
    },
  );

  test('without requirements.txt names --write-requirements, which writes the file', async () => {
    await rm(path.join(dir, 'index.html'));
    await writeFile(path.join(dir, 'app.py'), 'from fastapi import FastAPI\napp = FastAPI()\n');
    await writeFile(path.join(dir, '.python-version'), '3.11.2\n');
    await writeFile(
      path.join(dir, 'pyproject.toml'),
      '[project]\nname = "site"\nversion = "1"\ndependencies = ["fastapi>=0.100", "pandas"]\n',
    );
    const list = path.join(dir, 'requirements.txt');
    const missing = await pressroom(['deploy', 'site'], connected());
    expect(missing).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--write-requirements') as string,
    });
    const dry = await pressroom(['deploy', 'site', '--write-requirements', '--dry-run'], connected());
    expect(dry.code).toBe(2);
    await expect(stat(list)).rejects.toThrow('ENOENT');
    const written = await pressroom(['deploy', 'site', '--write-requirements'], connected());
    expect(written).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Wrote requirements.txt from pyproject.toml: 2 packages.') as string,
    });
    expect(await readFile(list, 'utf8')).toBe('fastapi>=0.100\npandas\n');
    await writeFile(list, 'fastapi\n');
    expect((await pressroom(['deploy', 'site', '--write-requirements'], connected())).code).toBe(0);
    expect(await readFile(list, 'utf8')).toBe('fastapi\n');
    await writeFile(path.join(dir, '.pressroomignore'), '*.txt\n');
    expect(await pressroom(['deploy', 'site', '--write-requirements'], connected())).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is a requirements.txt, but it is excluded.') as string,
    });
  });

  test('exits with 1 and shows the cause when it fails on the server', async () => {
    await fake.close();
    fake = await startFakeServer({
      task: { lines: ['Rendering', 'Error in f(): no'], code: 1, error: 'render failed' },
    });
    const { code, stderr } = await pressroom(['deploy', 'site'], connected());
    expect(code).toBe(1);
    expect(stderr).toContain('Failed (code 1): render failed');
    expect(stderr).toContain('Cause, line 2 of the output: Error in f(): no');
    await fake.close();
    const none = 'ERROR: Could not find a version that satisfies the requirement a==9 (from versions: ';
    fake = await startFakeServer({
      task: { lines: [`${none}1, 2, 3, 4, 5, 6)`], code: 1, error: 'packages do not install' },
    });
    expect((await pressroom(['deploy', 'site'], connected())).stderr).toContain(
      `Cause, line 1 of the output: ${none}…, 2, 3, 4, 5, 6)`,
    );
    await fake.close();
    const lines = ['Quitting from lines 6-8 (index.html)', 'Error in f() : no', 'Execution halted'];
    fake = await startFakeServer({ task: { lines, code: 1, error: 'render failed' } });
    expect((await pressroom(['deploy', 'site'], connected())).stderr).toContain(
      'Cause, index.html line 6: Error in f() : no',
    );
  });

  test('does not ask for the type of an empty directory', async () => {
    await rm(path.join(dir, 'index.html'));
    const { code, stderr } = await pressroom(['deploy', 'site'], connected());
    expect(code).toBe(2);
    expect(stderr).toContain('There are no files to publish');
    expect(stderr).not.toContain('--type');
  });

  test('says how to choose the type of a directory of no known kind', async () => {
    await rm(path.join(dir, 'index.html'));
    await writeFile(path.join(dir, 'package.json'), '{"scripts":{"test":"node --test"}}');
    const { code, stderr } = await pressroom(['deploy', 'site'], connected());
    expect(code).toBe(2);
    expect(stderr).toContain('package.json has no start script that serves');
    expect(stderr).toContain('With --type and --entrypoint, you choose them');
  });

  test.each([[[]], [['--dry-run']]])('refuses a canary of a page before the upload: %j', async (more) => {
    const { code, stderr } = await pressroom(['deploy', 'site', '--canary', '10%', ...more], connected());
    expect(code).toBe(2);
    expect(stderr).toContain('Only applications and APIs have canaries');
    expect(fake.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  test('says how to name the entry point of a chosen type', async () => {
    await rm(path.join(dir, 'index.html'));
    await writeFile(path.join(dir, 'script.py'), 'print(1)');
    const { code, stderr } = await pressroom(['deploy', 'site', '--type', 'python-fastapi'], connected());
    expect(code).toBe(2);
    expect(stderr).toContain('The main file is unknown');
    expect(stderr).toContain('With --entrypoint, you choose it, such as app:app or report.Rmd.');
  });

  test('does not blame the content for what the server lacks', async () => {
    await fake.close();
    fake = await startFakeServer({ task: { lines: ['Building'], code: 39, error: 'no Quarto' } });
    const { stderr } = await pressroom(['deploy', 'site'], connected());
    expect(stderr).toContain('The content need not change');
    expect(stderr).not.toContain('correct the content');
  });

  test('exits with 3 when the server rejects it', async () => {
    fake.on('POST', /^\/v1\/content$/, (_request, response) => refuse(response, 403, 22, 'publishers only'));
    const { code, stderr } = await pressroom(['deploy', 'site'], connected());
    expect({ code, stderr }).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('(code 22): publishers only') as string,
    });
  });

  test('exits with 2 for a missing directory, as for other wrong usage, and says so', async () => {
    const { code, stderr } = await pressroom(['deploy', 'nowhere'], connected());
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no directory') as string,
    });
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('exits with 130 on %s and leaves nothing', async (signal) => {
    fake.on('GET', /tasks/, ({ path: asked }, response) => {
      const first = asked.includes('first=0');
      const result = {
        id: 't',
        finished: false,
        code: 0,
        error: '',
        output: first ? ['Building'] : [],
        last: 1,
      };
      // Only the first line arrives. Then the server waits, as for a long task.
      if (first) json(response, 200, result);
    });
    const { code, stderr } = await pressroom(['deploy', 'site'], {
      ...connected(),
      onStderr: (text, kill) => {
        if (text.includes('  Building')) kill(signal);
      },
    });
    expect({ code, stderr }).toMatchObject({
      code: 130,
      stderr: expect.stringContaining('Cancelled.') as string,
    });
    expect(fake.contents.size).toBe(0);
  });

  test('removes control characters that a server sends', async () => {
    await fake.close();
    fake = await startFakeServer({ task: { lines: ['\u001B[2Jgone\u0007\u202Etxt'] } });
    const { stderr } = await pressroom(['deploy', 'site'], connected());
    expect(stderr).toContain('[2Jgonetxt');
    for (const character of ['\u001B', '\u0007', '\u202E']) expect(stderr).not.toContain(character);
  });
});

test('compiled sources are kept below the home directory', async () => {
  const env = { PATH: process.env['PATH'], HOME: home, XDG_CACHE_HOME: path.join(home, 'caches') };
  await promisify(execFile)(process.execPath, [BIN, '--version'], { env });
  expect(await readdir(path.join(home, 'caches/pressroom'))).toHaveLength(1);
});

describe('Closed standard output', () => {
  /** Runs the command and closes the pipe after its first output. */
  async function unread(args: string[]): Promise<number | null> {
    const env = { PATH: process.env['PATH'], HOME: home, ...connected().env };
    const child = spawn(process.execPath, [BIN, ...args], {
      env,
      cwd: home,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    child.stdout.once('data', () => child.stdout.destroy());
    return new Promise((resolve) => child.once('exit', resolve));
  }

  test('does not interrupt a deploy', async () => {
    expect(await unread(['deploy', 'site', '--name', 'hello', '--json'])).toBe(0);
    const [content] = fake.contents.values();
    expect(content).toMatchObject({ name: 'hello', bundle_id: expect.any(String) as string });
    expect(await readRecords(dir)).toHaveLength(1);
  });

  test('that is full fails with a reason', async () => {
    const env = { PATH: process.env['PATH'], HOME: home, ...COMPILED };
    const child = spawn('sh', ['-c', 'exec "$0" "$@" > /dev/full', process.execPath, BIN, '--version'], {
      env,
    });
    const [said, code] = await Promise.all([
      text(child.stderr),
      new Promise((resolve) => child.once('exit', resolve)),
    ]);
    expect({ said, code }).toEqual({ said: 'Error: The output cannot be written (ENOSPC).\n', code: 1 });
  });

  test('ends a command that only reads', async () => {
    let last = 0;
    fake.on('GET', /tasks/, (_request, response) => {
      last += 1;
      const output = [`line ${last}`];
      json(response, 200, { id: 't', finished: false, code: 0, error: '', output, last });
    });
    expect(await unread(['logs', 'task1', '--json'])).toBe(0);
  });
});

describe('login', () => {
  test('stores a key that the server accepts, readable by this account only', async () => {
    const { code, stdout } = await pressroom(['login', fake.url], { input: `${TEST_KEY}\n` });
    expect(code).toBe(0);
    expect(stdout).toContain('as ada');
    expect(stdout).not.toContain(TEST_KEY);
    expect(await credentials()).toMatchObject({
      default: fake.url,
      servers: { [fake.url]: { api_key: TEST_KEY } },
    });
    const { mode } = await stat(path.join(home, 'config', 'pressroom', 'credentials.json'));
    expect(mode & 0o777).toBe(0o600);
    expect((await pressroom(['whoami'])).stdout).toContain('ada (Ada L)');
  });

  test('makes no key that cannot be stored', async () => {
    const file = path.join(home, 'config', 'pressroom', 'credentials.json');
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, '{');
    const { code, stderr } = await pressroom(['login', fake.url], { input: '\nada\nsecret\n' });
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is damaged') as string,
    });
    expect(fake.requests).toEqual([]);
  });

  test('stores no key that the server rejects', async () => {
    const { code } = await pressroom(['login', fake.url], { input: 'wrong\n' });
    expect(code).toBe(3);
    await expect(credentials()).rejects.toThrow('ENOENT');
  });

  test('creates a key through a session from name and password', async () => {
    fake.on('POST', /^\/__login__$/, ({ body }, response) => {
      if (!body.toString().includes('secret')) return refuse(response, 401, 30);
      response.setHeader('set-cookie', ['session=s; Path=/', 'RSC-XSRF=x; Path=/']);
      json(response, 200, {});
    });
    fake.on('POST', /^\/keys$/, ({ headers }, response) =>
      headers['x-rsc-xsrf'] === 'x'
        ? json(response, 200, { id: '1', key: TEST_KEY })
        : refuse(response, 403, 92),
    );
    const { code } = await pressroom(['login'], { input: `${fake.url}\n\nada\nsecret\n` });
    expect(code).toBe(0);
    expect(await credentials()).toMatchObject({
      servers: { [fake.url]: { api_key: TEST_KEY, username: 'ada' } },
    });
    expect((await pressroom(['login', fake.url], { input: '\nada\nwrong\n' })).code).toBe(3);
  });

  test('stores a key that the server has made although it is gone then', async () => {
    fake.on('POST', /^\/__login__$/, (_request, response) => json(response, 200, {}));
    fake.on('POST', /^\/keys$/, (_request, response) => json(response, 200, { id: '1', key: TEST_KEY }));
    fake.on('GET', /./, (_request, response) => json(response, 503, { message: 'restarting' }));
    const { code, stdout } = await pressroom(['login', fake.url], { input: '\nada\nsecret\n' });
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Signed in to \S+\. The key is in /) as string,
    });
    expect(await credentials()).toMatchObject({
      servers: { [fake.url]: { api_key: TEST_KEY, username: '' } },
    });
    // Pasted keys are checked.
    expect((await pressroom(['login', fake.url], { input: `${TEST_KEY}\n` })).code).toBe(3);
  });

  test('in the browser shows page and code, waits, and stores the allowed key', async () => {
    let polls = 0;
    fake.on('GET', /^\/server_settings$/, (_request, response) =>
      json(response, 200, { device_sign_in: true }),
    );
    fake.on('POST', /^\/v1\/device_sign_in$/, (_request, response) => {
      const page = `${fake.url}/__dashboard__/device`;
      json(response, 200, {
        device_code: 'DEVICE',
        user_code: 'BCDF-GHJK',
        verification_uri: page,
        verification_uri_complete: `${page}?code=BCDF-GHJK`,
        expires_in: 600,
        interval: 0.01,
      });
    });
    fake.on('POST', /^\/v1\/device_sign_in\/token$/, (_request, response) => {
      polls += 1;
      if (polls === 3) json(response, 200, { id: '1', key: TEST_KEY });
      else if (polls < 3) json(response, 400, { code: 25, error: 'authorization_pending', payload: null });
      else json(response, 400, { code: 25, error: 'access_denied', payload: null });
    });
    const { code, stdout, stderr } = await pressroom(['login', fake.url, '--browser']);
    expect(code).toBe(0);
    expect(stderr).toContain(`Open ${fake.url}/__dashboard__/device?code=BCDF-GHJK`);
    expect(stdout + stderr).not.toContain(TEST_KEY);
    expect(await credentials()).toMatchObject({ servers: { [fake.url]: { api_key: TEST_KEY } } });
    const denied = await pressroom(['login', fake.url, '--browser']);
    expect([denied.code, denied.stderr]).toEqual([3, expect.stringContaining('was denied in the browser')]);
  });

  test('asks for a key when the server has no sign-in in the browser', async () => {
    const { code, stderr } = await pressroom(['login', fake.url, '--browser'], { input: `${TEST_KEY}\n` });
    expect(code).toBe(0);
    expect(stderr).toContain(
      'This server does not support signing in through the browser. Create an API key',
    );
  });

  test('is a usage error when the input ends early', async () => {
    expect((await pressroom(['login', fake.url])).code).toBe(2);
  });
});

describe('API keys', () => {
  test('from the environment are not sent to another server', async () => {
    const other = await startFakeServer();
    const { code } = await pressroom(['whoami', '--server', other.url], connected());
    expect(code).toBe(2);
    expect(other.requests).toEqual([]);
    await other.close();
  });

  test('from the environment are not sent to the server of a record', async () => {
    await pressroom(['deploy', 'site'], connected());
    const before = fake.requests.length;
    const { code } = await pressroom(['status', 'site'], { env: { CONNECT_API_KEY: 'for somebody else' } });
    expect(code).toBe(2);
    expect(fake.requests).toHaveLength(before);
  });

  test('from the command line are not sent to a server that only a record names', async () => {
    await pressroom(['deploy', 'site'], connected());
    const before = fake.requests.length;
    for (const args of [
      ['deploy', 'site'],
      ['status', 'site'],
    ]) {
      const { code, stderr } = await pressroom([...args, '--api-key', 'for-somebody-else']);
      expect({ code, stderr }).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(fake.url) as string,
      });
      expect(stderr).not.toContain('for-somebody-else');
    }
    const other = await startFakeServer();
    await pressroom(['login', other.url], { input: `${TEST_KEY}\n` });
    const { stderr } = await pressroom(['deploy', 'site', '--api-key', TEST_KEY]);
    expect(stderr).toContain(
      `names the server ${fake.url}, which you are not signed in to. You are signed in to ${other.url}`,
    );
    await other.close();
    expect(fake.requests).toHaveLength(before);
    const named = ['deploy', 'site', '--api-key', TEST_KEY, '--server', fake.url];
    expect((await pressroom(named)).code).toBe(0);
  });

  test('from the command line take precedence', async () => {
    const env = { CONNECT_SERVER: 'http://127.0.0.1:1', CONNECT_API_KEY: 'other' };
    const { code } = await pressroom(['whoami', '--server', fake.url, '--api-key', TEST_KEY], { env });
    expect(code).toBe(0);
  });

  test('may start with a dash', async () => {
    const key = `-${TEST_KEY}`;
    const { code, stderr } = await pressroom(['whoami', '--server', fake.url, '--api-key', key], {});
    expect({ code, stderr }).toMatchObject({ code: 3, stderr: expect.not.stringContaining(key) as string });
    expect(await pressroom(['whoami', '--api-key', '--json'], {})).toMatchObject({ code: 2 });
  });

  test('stored for the server of a record are used for it', async () => {
    await pressroom(['login', fake.url], { input: `${TEST_KEY}\n` });
    await pressroom(['deploy', 'site']);
    const { code, stdout } = await pressroom(['status', 'site', '--json']);
    expect(code).toBe(0);
    expect(jsonLines(stdout)[0]).toMatchObject({ server: fake.url, up_to_date: true });
  });
});

describe('Published content', () => {
  test('works with status, bundles, rollback, open and logs', async () => {
    await pressroom(['deploy', 'site'], connected());
    await pressroom(['deploy', 'site'], connected());
    const content = [...fake.contents.values()][0];
    const ids = content?.bundles.map(({ id }) => id) ?? [];
    const list = await pressroom(['bundles', 'site'], connected());
    expect(list.stdout).toMatch(new RegExp(`\\n +${ids[0]} .*\\n\\* +${ids[1]} `));
    const back = await pressroom(['rollback', '--content', 'site'], connected());
    expect(back).toMatchObject({ code: 0, stdout: '' });
    expect(back.stderr).toContain(`Bundle ${ids[0]} is live.`);
    expect(content?.bundle_id).toBe(ids[0]);
    const status = await pressroom(['status', 'site'], connected());
    expect(status.stdout).toContain(content?.guid);
    // The rollback updated the record, so status does not report another active bundle.
    expect(status.stderr).not.toContain('is active');
    content!.bundle_id = ids[1]!;
    expect((await pressroom(['status', 'site'], connected())).stderr).toContain(
      `Bundle ${ids[0]} was the last one published from this directory, but ${ids[1]} is active.`,
    );
    content!.bundle_id = ids[0]!;
    expect((await pressroom(['rollback', '--content', 'site'], connected())).code).toBe(2);
    expect((await pressroom(['rollback', '999999', '--content', 'site'], connected())).code).toBe(2);
    const opened = await pressroom(['open', 'site', '--print'], connected());
    expect(opened.stdout).toBe(`${fake.url}/content/${content?.guid}/\n`);
    const dashboard = await pressroom(['open', content?.guid ?? '', '--dashboard', '--print'], connected());
    expect(dashboard.stdout).toContain('/connect/#/apps/');
    const task = [...fake.tasks.keys()][0] as string;
    const logs = await pressroom(['logs', task, '--first', '1'], connected());
    expect(logs).toMatchObject({ code: 0, stdout: 'Done.\n' });
  });

  test('is live after a rollback, though a damaged record here cannot note it', async () => {
    await pressroom(['deploy', 'site'], connected());
    await pressroom(['deploy', 'site'], connected());
    const content = [...fake.contents.values()][0];
    await mkdir(path.join(home, '.pressroom/deployments'), { recursive: true });
    await writeFile(path.join(home, '.pressroom/deployments/other.toml'), '<<<<<<< HEAD\n');
    const args = ['rollback', '--content', content?.guid ?? ''];
    const back = await pressroom(args, connected());
    expect(back).toMatchObject({ code: 0, stderr: expect.stringContaining('is live.') as string });
    expect(back.stderr).toContain('Warning: The deployment record could not be written: ');
    const [, forward] = content?.bundles.map(({ id }) => id) ?? [];
    const asJson = ['activate', forward ?? '', '--content', content?.guid ?? '', '--json'];
    const again = await pressroom(asJson, connected());
    expect(again.code).toBe(0);
    expect(jsonLines(again.stderr)).toEqual([
      { warning: expect.stringContaining('merge conflicts') as string },
    ]);
  });

  test.each([
    ['text', []],
    ['JSON', ['--json']],
  ])('goes live after Ctrl-C during a rollback, which says so as %s', async (_as, options) => {
    await pressroom(['deploy', 'site'], connected());
    await pressroom(['deploy', 'site'], connected());
    const stop = new AbortController();
    // The task runs on, and the command waits for it.
    fake.on('GET', /tasks/, () => stop.abort());
    const env = { PATH: process.env['PATH'], HOME: home, ...connected().env };
    const args = ['rollback', '--content', 'site', ...options];
    const { code, stderr } = await runHere(args, { env, cwd: home, signal: stop.signal });
    const task = [...fake.tasks.keys()].at(-1) ?? '';
    expect({ code, stderr }).toMatchObject({
      code: 130,
      stderr: expect.stringContaining(
        `Task ${task} continues on the server. To follow it, run: pressroom logs ${task}`,
      ) as string,
    });
    if (options.length > 0)
      expect(jsonLines(stderr).map((line) => Object.keys(line)[0])).toEqual(['warning', 'error']);
  });

  test('without a process has no log, which is null as JSON', async () => {
    await pressroom(['deploy', 'site'], connected());
    fake.on('GET', /jobs$/, (_request, response) => json(response, 200, []));
    for (const args of [
      ['logs', 'site'],
      ['processes', 'site', '--log', 'latest'],
    ]) {
      const { code, stdout } = await pressroom([...args, '--json'], connected());
      expect({ code, stdout }).toEqual({ code: 0, stdout: 'null\n' });
    }
  });

  test.each([
    ['sitee', 404, 141],
    ['no-site', 400, 3],
  ])('logs says that the misspelled name %s is neither a task nor content', async (name, status, refusal) => {
    await pressroom(['deploy', 'site'], connected());
    fake.on('GET', /tasks/, (_request, response) => refuse(response, status, refusal));
    const { code, stdout, stderr } = await pressroom(['logs', name, '--json'], connected());
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(jsonLines(stderr)).toEqual([
      expect.objectContaining({
        error: expect.stringContaining(
          `There is no directory ${name} here, no such task, and no content of that`,
        ),
      }),
    ]);
  });

  test('logs of content whose name could be a task are shown', async () => {
    await pressroom(['deploy', 'site', '--name', 'salesreport12345'], connected());
    fake.on('GET', /tasks/, (_request, response) => refuse(response, 404, 141));
    fake.on('GET', /jobs$/, (_request, response) => json(response, 200, []));
    expect(await pressroom(['logs', 'salesreport12345', '--json'], connected())).toMatchObject({
      code: 0,
      stdout: 'null\n',
    });
  });

  test('of a misspelled name is suggested', async () => {
    await pressroom(['deploy', 'site', '--name', 'sales-report'], connected());
    for (const command of ['logs', 'status']) {
      fake.on('GET', /tasks/, (_request, response) => refuse(response, 400, 3));
      const { code, stderr } = await pressroom([command, 'sales-repotr'], connected());
      expect({ code, stderr }).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('Did you mean: sales-report\n'),
      });
    }
  });

  test('of a directory that was not published is published with the command that is shown', async () => {
    const { stderr } = await pressroom(['status', 'site'], connected());
    expect(stderr).toMatch(/publish the directory with: pressroom deploy site\n$/);
  });

  test('is not downloaded to where nothing can be written', async () => {
    await pressroom(['deploy', 'site'], connected());
    fake.on('GET', /download/, (_request, response) => response.end('archive'));
    const { code, stderr } = await pressroom(
      ['download', 'site', '--bundle', '1', '--file', '/proc/x.gz'],
      connected(),
    );
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'Error: Cannot read or write /proc/x.gz.tmp (ENOENT).\n',
    });
  });

  test('with an empty name is not that of the current directory', async () => {
    const { code, stderr } = await pressroom(['status', ' '], connected());
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('name of the content is empty'),
    });
  });

  test('logs of a directory whose name could be a task are those of its content', async () => {
    const named = 'salesreport12345';
    await rename(path.join(home, 'site'), path.join(home, named));
    await pressroom(['deploy', named], connected());
    fake.on('GET', /jobs$/, (_request, response) => json(response, 200, []));
    expect(await pressroom(['logs', named, '--json'], connected())).toMatchObject({
      code: 0,
      stdout: 'null\n',
    });
  });

  test('is not opened at an address that is not a web page', async () => {
    await pressroom(['deploy', 'site'], connected());
    fake.on('GET', /^\/v1\/content\//, (_request, response) =>
      json(response, 200, { guid: 'x', content_url: 'file:///etc/passwd' }),
    );
    expect((await pressroom(['open', 'site', '--print'], connected())).code).toBe(2);
  });

  test('is found by its address, name or title, in any case, and a directory here takes precedence', async () => {
    await pressroom(['deploy', 'site', '--title', 'Sales of today'], connected());
    const [content] = fake.contents.values();
    const address = `${fake.url}/content/${content!.guid}/`;
    const statusOf = (argument: string) => pressroom(['status', argument], connected());
    for (const argument of [address, `${address}report.html?year=2026`, 'sales OF today'])
      expect(await statusOf(argument)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(content!.guid) as string,
      });
    content!.name = 'Named';
    expect((await statusOf('named')).stdout).toContain(content!.guid);
    const missing = await statusOf('reports');
    expect(missing).toMatchObject({ code: 2, stdout: '' });
    expect(missing.stderr).toContain('There is no directory reports here, and no content of that name');
    await mkdir(path.join(home, 'named'));
    expect((await statusOf('named')).stderr).toContain('has not been published');
  });

  test('with a name that several have is a usage error with their GUIDs', async () => {
    await pressroom(['deploy', 'site', '--title', 'Sales', '--new'], connected());
    await pressroom(['deploy', 'site', '--title', 'Sales', '--new'], connected());
    const guids = [...fake.contents.keys()];
    expect(guids).toHaveLength(2);
    const { code, stderr } = await pressroom(['delete', 'sales', '--yes'], connected());
    expect(code).toBe(2);
    for (const guid of guids) expect(stderr).toContain(guid);
    expect(fake.contents.size).toBe(2);
  });

  test('a directory that was never published is a usage error', async () => {
    expect((await pressroom(['status', 'site'], connected())).code).toBe(2);
  });

  test('usage counts the records of all pages and compares with the period before', async () => {
    const guid = 'cccccccc-0000-4000-8000-000000000009';
    const nobody = '00000000-0000-0000-0000-000000000000';
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    fake.on('GET', /visits/, ({ path: asked }, response) => {
      const second = asked.includes('next=p2');
      const results = [nobody, guid].map((user_guid) => ({
        content_guid: guid,
        user_guid,
        time: daysAgo(second ? 2 : 40),
      }));
      const next = second ? null : 'p2';
      json(response, 200, { paging: { next: next && `http://x/?next=${next}`, cursors: { next } }, results });
    });
    const session = { content_guid: guid, user_guid: guid, started: daysAgo(1), ended: null };
    fake.on('GET', /shiny/, (_request, response) =>
      json(response, 200, { paging: { next: null, cursors: {} }, results: [session] }),
    );
    const content = { app_mode: 'python-shiny' };
    fake.on('GET', new RegExp(`/content/${guid}$`), (_request, response) =>
      json(response, 200, { guid, ...content }),
    );
    const { stdout } = await pressroom(['usage', guid, '--json'], connected());
    expect(jsonLines(stdout)[0]).toMatchObject({
      visits: 2,
      sessions: 1,
      unique_users: 1,
      anonymous: 1,
      previous: 2,
      trend: 0.5,
    });
    const shown = await pressroom(['usage', guid, '--by', 'user'], connected());
    expect(shown.stdout).toMatch(/2 +1 +1 +1 +2 \+50 %/);
    expect(shown.stdout).toContain(guid);
    expect((await pressroom(['usage', guid, '--by', 'moon'], connected())).code).toBe(2);
    expect(shown.stderr).toBe('');
    content.app_mode = 'python-fastapi';
    const ofApi = await pressroom(['usage', guid], connected());
    expect(ofApi.stderr).toContain('Requests to an API are neither visits nor sessions');
  });
});

test('an answer that cannot be asked for is an error that names --help', async () => {
  await pressroom(['deploy', 'site'], connected());
  expect(await pressroom(['delete', 'site'], connected())).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      'In a script, use an option that answers them, if the command has one: see --help.',
    ) as string,
  });
});

test('a failure before the question of delete leaves standard input alone: the command ends', async () => {
  await pressroom(['deploy', 'site'], connected());
  fake.on('GET', /visits/, (_request, response) => response.end('<html>'));
  const stdin = new PassThrough();
  const stream = new PassThrough().resume();
  const code = await runCommandLine({
    args: ['delete', 'site'],
    env: connected().env,
    cwd: home,
    stdin,
    stdout: stream,
    stderr: stream,
    signal: new AbortController().signal,
    version: '1',
  });
  expect(code).toBe(4);
  expect(stdin.listenerCount('data')).toBe(0);
});

test('Ctrl-C ends a command that waits for standard input', async () => {
  const stop = new AbortController();
  const written: string[] = [];
  const stream = {
    write(text: string) {
      written.push(text);
      if (text.includes('press Ctrl-D')) stop.abort();
    },
  };
  const code = await runCommandLine({
    args: ['variables', 'site', '--from', '-'],
    env: {},
    cwd: home,
    stdin: Object.assign(new PassThrough(), { isTTY: true }),
    stdout: stream,
    stderr: stream as typeof stream & NodeJS.WritableStream,
    signal: stop.signal,
    version: '1',
  });
  expect({ code, written }).toMatchObject({ code: 130, written: [expect.anything(), 'Cancelled.\n'] });
});

test('whoami at an address that is no server fails instead of assuming an older server', async () => {
  fake.on('GET', /.*/, (_request, response) => refuse(response, 404, 2));
  expect(await pressroom(['whoami'], connected())).toMatchObject({ code: 3, stdout: '' });
});

test('a working directory that was deleted is reported without a stack trace', async () => {
  const gone = path.join(home, 'gone');
  await mkdir(gone);
  const child = spawn('sh', ['-c', 'rmdir "$PWD" && exec "$0" "$@"', process.execPath, BIN, 'whoami'], {
    cwd: gone,
  });
  const [stderr] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect({ code: child.exitCode, stderr }).toEqual({
    code: 2,
    stderr: expect.stringMatching(/^Error: The current directory no longer exists\.\n.+\n$/) as string,
  });
});

describe('No valid response', () => {
  test('from a closed port exits with 4 and a hint', async () => {
    const env = { CONNECT_SERVER: 'http://127.0.0.1:1', CONNECT_API_KEY: TEST_KEY };
    const { code, stderr } = await pressroom(['whoami'], { env });
    expect({ code, stderr }).toMatchObject({ code: 4, stderr: expect.stringContaining('refused') as string });
    expect(stderr).toContain('Check that the server is running');
    expect(stderr.match(/^Note: .* Trying again …$/gm)).toHaveLength(3);
    expect(stderr).not.toContain(TEST_KEY);
  });

  test('in an HTML page exits with 4, as JSON on request', async () => {
    fake.on('GET', /user$/, (_request, response) => response.end('<html><title>Login</title></html>'));
    const { code, stdout, stderr } = await pressroom(['whoami', '--output', 'json'], connected());
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(jsonLines(stderr)[0]).toMatchObject({
      failure: 'InvalidResponseError',
      kind: 'html',
      status: 200,
    });
  });

  test('about a task exits with 5 and names the command to continue', async () => {
    fake.on('GET', /tasks/, (_request, response) => refuse(response, 401, 24));
    const { code, stderr } = await pressroom(['deploy', 'site'], connected());
    expect({ code, stderr }).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(/pressroom logs task\d+ --first 0/) as string,
    });
  });
});

test('variables of a pipeline, of any number of lines, are set from its environment', async () => {
  let sent: unknown;
  fake.on('PATCH', /environment$/, (request, response) => {
    sent = JSON.parse(request.body.toString());
    json(response, 200, ['A', 'CERTIFICATE', 'TOKEN']);
  });
  const secrets = { CERTIFICATE: 'one\n"two" $three\n', TOKEN: 'of the pipeline' };
  const guid = 'cccccccc-0000-4000-8000-000000000009';
  const { code, stderr } = await pressroom(
    ['variables', guid, '--env', 'CERTIFICATE', '--env', 'TOKEN', '--from', '-'],
    { env: { ...connected().env, ...secrets }, input: 'A=1\nTOKEN=2\n' },
  );
  expect(code, stderr).toBe(0);
  expect(sent).toEqual([
    { name: 'A', value: '1' },
    { name: 'TOKEN', value: secrets.TOKEN },
    { name: 'CERTIFICATE', value: secrets.CERTIFICATE },
  ]);
});

test('a key without its server is not sent to the one that a record names, and the hint says so', async () => {
  await pressroom(['deploy', 'site'], connected());
  const before = fake.requests.length;
  const CONNECT_API_KEY = TEST_KEY;
  const [bare, other] = await Promise.all([
    pressroom(['deploy', 'site'], { env: { CI: 'true', CONNECT_API_KEY } }),
    pressroom(['status', 'site', '--server', fake.url], {
      env: { CONNECT_API_KEY, CONNECT_SERVER: 'http://127.0.0.1:1' },
    }),
  ]);
  expect(bare).toMatchObject({
    code: 2,
    stderr: `Error: There is no API key for ${fake.url}.\nCONNECT_API_KEY was not sent: if it is for that server, set CONNECT_SERVER=${fake.url}, too.\n`,
  });
  expect(other).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('it belongs to the server in CONNECT_SERVER.') as string,
  });
  expect(fake.requests).toHaveLength(before);
});
