// A content server for one test: with its own data directory, database and port, removed at the end.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createInstallations,
  createPasswords,
  loadConfig,
  startServer,
  type Config,
  type RunningServer,
  type StartOptions,
} from '@pressroom/server';
import { sql } from 'kysely';
import { caller, type Call } from './call.ts';
import { createReadyDatabase, writeReadyFile } from './ready-database.ts';
import { testLog } from './test-log.ts';

export interface Person {
  readonly guid: string;
  readonly username: string;
  readonly key: string;
  readonly call: Call;
}

export interface TestServer extends AsyncDisposable {
  readonly url: string;
  readonly dataDir: string;
  readonly running: RunningServer;
  /** Calls without credentials. */
  readonly anonymous: Call;
  /** The first administrator, created over HTTP at the first call. */
  administrator(): Promise<Person>;
  /** A new person with a key. */
  person(role: 'administrator' | 'publisher' | 'viewer', fields?: Record<string, unknown>): Promise<Person>;
  /** Restarts over the same data; `url` changes. */
  restart(settings?: Partial<Config>): Promise<void>;
}

export interface TestServerOptions extends Omit<StartOptions, 'config'> {
  readonly settings?: Partial<Config>;
  readonly engine?: 'sqlite' | 'postgres';
  /** Not the server of PRESSROOM_TEST_URL: the test relies on existing data, or removes rights. */
  readonly own?: true;
  /** With durable writes and the real cost of passwords: for measurements. */
  readonly durable?: boolean;
}

/** Password of all people created by a test server. */
export const PASSWORD = 'correct horse';
/** Runtimes of this machine: detected once per test run. */
const INSTALLED = createInstallations();
const NAMES_OTHERS = /^(R|Python|TensorFlow)\.(Executable|Uv|Server)$/;

/**
 * The engine comes from PRESSROOM_TEST_ENGINE, so that suites can run on each. If PRESSROOM_TEST_URL names a server
 * (and PRESSROOM_TEST_KEY an administrator's key), tests without special requirements run against it.
 */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const {
    settings = {},
    engine = process.env.PRESSROOM_TEST_ENGINE ?? 'sqlite',
    durable = false,
    own: _own,
    ...rest
  } = options;
  const remote = process.env.PRESSROOM_TEST_URL;
  if (remote && Object.keys(options).length === 0) return remoteServer(remote.replace(/\/+$/, ''));
  await using stack = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'pressroom-test-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const database = engine === 'postgres' ? stack.use(await createReadyDatabase()) : null;
  if (database === null && !settings['Database.URL']) await writeReadyFile(join(dataDir, 'pressroom.sqlite'));
  const start = async (more: Partial<Config> = {}) => {
    const started = await startServer({
      log: testLog(),
      ...(!durable && { passwords: createPasswords({ memory: 64, passes: 1, parallelism: 1 }) }),
      ...(!Object.keys({ ...settings, ...more }).some((name) => NAMES_OTHERS.test(name)) && {
        installations: INSTALLED,
      }),
      ...rest,
      config: loadConfig(
        {},
        {
          'Server.DataDir': dataDir,
          'HTTP.Listen': '127.0.0.1:0',
          'HTTP.ShutdownTimeout': 1,
          // The default of 5 s ends processes between two steps of a test on a busy machine.
          'Scheduler.IdleTimeout': 60,
          'Applications.Pictures': false,
          'Applications.PreparedProcesses': 0,
          'Applications.DiskLimit': 0,
          ...(database && { 'Database.URL': database.url }),
          ...settings,
          ...more,
        },
      ),
    });
    // Tests would otherwise wait for the disk.
    const { name, db } = started.services.storage;
    if (name === 'SQLite' && !durable) await sql`pragma synchronous = off`.execute(db);
    return started;
  };
  let running = await start();
  stack.defer(() => running[Symbol.asyncDispose]());
  const opened = stack.move();
  let first: Promise<Person> | null = null;
  let people = 0;

  const server: TestServer = {
    get url() {
      return running.url;
    },
    get running() {
      return running;
    },
    dataDir,
    get anonymous() {
      return caller(() => running.url, null);
    },
    administrator() {
      first ??= firstAdministrator(() => running.url);
      return first;
    },
    async person(role, fields = {}) {
      people += 1;
      return makePerson(() => running.url, await server.administrator(), `${role}${people}`, role, fields);
    },
    async restart(more) {
      await running[Symbol.asyncDispose]();
      running = await start(more);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
  return server;
}

/** Creates the first administrator of a new server, with a key, over HTTP. */
export async function firstAdministrator(url: () => string): Promise<Person> {
  const anonymous = caller(url, null);
  const body = { username: 'admin', email: 'admin@example.com', first_name: 'Ada', password: PASSWORD };
  const created = await anonymous('POST', '/v1/users', { body });
  expectOk(created);
  const signedIn = await anonymous('POST', '//__login__', {
    body: { username: 'admin', password: PASSWORD },
  });
  expectOk(signedIn);
  const cookies = signedIn.headers.getSetCookie().map((cookie) => cookie.split(';')[0]!);
  const xsrf = cookies.find((cookie) => cookie.startsWith('RSC-XSRF='))!.slice('RSC-XSRF='.length);
  const headers = { cookie: cookies.join('; '), 'X-RSC-XSRF': xsrf };
  const made = await anonymous('POST', '/keys', { body: { name: 'test' }, headers });
  expectOk(made);
  return personOf(url, created.body, made.body.key);
}

async function makePerson(
  url: () => string,
  administrator: Person,
  username: string,
  role: string,
  fields: Record<string, unknown>,
): Promise<Person> {
  const body = { username, email: `${username}@example.com`, password: PASSWORD, user_role: role, ...fields };
  const created = await administrator.call('POST', '/v1/users', { body });
  expectOk(created);
  const path = `/v1/users/${created.body.guid}/keys`;
  const made = await administrator.call('POST', path, { body: { name: 'test' } });
  expectOk(made);
  return personOf(url, created.body, made.body.key);
}

/** Set for each test of a run against an external server. */
export const elsewhere: { skip: ((why: string) => void) | null } = { skip: null };

/** An external server: people get new names in every run. */
function remoteServer(address: string): TestServer {
  const url = () => address;
  const run = Date.now().toString(36);
  let people = 0;
  let first: Promise<Person> | null = null;
  const ours = (): never => {
    const why = 'this test needs a server of its own';
    elsewhere.skip?.(why);
    throw new Error(why);
  };
  const administrator = async () => {
    const key = process.env.PRESSROOM_TEST_KEY ?? ours();
    return personOf(url, (await caller(url, key)('GET', '/v1/user')).body, key);
  };
  const server: TestServer = {
    url: address,
    anonymous: caller(url, null),
    get dataDir() {
      return ours();
    },
    get running() {
      return ours();
    },
    administrator: () => (first ??= administrator()),
    async person(role, fields = {}) {
      people += 1;
      return makePerson(url, await server.administrator(), `${role}-${run}-${people}`, role, fields);
    },
    restart: ours,
    [Symbol.asyncDispose]: async () => undefined,
  };
  return server;
}

function personOf(
  url: () => string,
  { guid, username }: { guid: string; username: string },
  key: string,
): Person {
  return { guid, username, key, call: caller(url, key) };
}

function expectOk({ status, body }: { status: number; body: unknown }): void {
  if (status !== 200) throw new Error(`the test server answered ${status}: ${JSON.stringify(body)}`);
}
