// `npm start`: the server on embedded storage, its first administrator, and the examples published as a client would.
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Client, type ContentItem, createClient } from '@pressroom/api/client';
import { deploy } from '@pressroom/api/publish';
import { pino } from 'pino';
import pretty from 'pino-pretty';
import { before } from '../platform/text.ts';
import { summary, type Published } from './quickstart-summary.ts';
import { runServer } from './run-server.ts';
import { untilStopped } from './until-stopped.ts';

/** Relative to the sources, or to the output of `npm run build`. */
const EXAMPLES = ['../../../../examples', '../../../examples']
  .map((path) => resolve(import.meta.dirname, path))
  .find(existsSync)!;
const ADMINISTRATOR = 'admin';

await runServer(import.meta.filename, async (options) => {
  // A supervisor that runs as root loads no serving code.
  const { startServer } = await import('./start-server.ts');
  const { config } = options;
  // For people watching, not for log collectors.
  const lines = pretty({ ignore: 'time,pid,hostname', sync: true });
  const server = await startServer({ ...options, log: pino({ level: 'warn' }, lines) });
  try {
    const dataDir = resolve(config['Server.DataDir']);
    const apiKey = await firstAdministrator(server.url, dataDir);
    const client = createClient({ url: server.url, apiKey });
    const published: Published[] = [];
    for (const name of readdirSync(EXAMPLES).sort()) published.push(await publish(client, name));
    const link = await server.signInLink(ADMINISTRATOR);
    console.log(summary({ url: server.url, administrator: ADMINISTRATOR, dataDir, published, link }));
    await untilStopped(server);
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
});

/** Creates the first administrator and an API key, or reads the key of an earlier start. */
async function firstAdministrator(url: string, dataDir: string): Promise<string> {
  const keyFile = join(dataDir, 'admin-key');
  if (existsSync(keyFile)) return readFileSync(keyFile, 'utf8').trim();
  const password = randomBytes(12).toString('base64url');
  const account = {
    username: ADMINISTRATOR,
    password,
    email: 'admin@localhost.localdomain',
    first_name: 'Admin',
  };
  const created = await post(url, '/__api__/v1/users', account);
  if (created.status === 401) {
    throw new Error(
      `the data directory has users already, but no ${keyFile}: start it with npm run serve instead`,
    );
  }
  await requireOk(created);
  writeFileSync(join(dataDir, 'admin-password'), `${password}\n`, { mode: 0o600 });
  const signedIn = await post(url, '/__login__', { username: ADMINISTRATOR, password });
  await requireOk(signedIn);
  const cookies = signedIn.headers.getSetCookie().map((cookie) => before(cookie, ';'));
  const xsrf = cookies.find((cookie) => cookie.startsWith('RSC-XSRF='))!.slice('RSC-XSRF='.length);
  const headers = { cookie: cookies.join('; '), 'X-RSC-XSRF': xsrf };
  const made = await post(url, '/__api__/keys', { name: 'npm start' }, headers);
  await requireOk(made);
  const { key } = (await made.json()) as { key: string };
  writeFileSync(keyFile, `${key}\n`, { mode: 0o600 });
  return key;
}

function post(
  url: string,
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(url + path, { method: 'POST', body: JSON.stringify(body), headers });
}

async function requireOk(response: Response): Promise<void> {
  if (!response.ok)
    throw new Error(`${new URL(response.url).pathname}: ${response.status} ${await response.text()}`);
}

/** Publishes an example once; a later start finds it. */
async function publish(client: Client, name: string): Promise<Published> {
  const before = await findExample(client, name);
  if (before && before.bundle_id !== null) return { name, url: before.url, note: 'published before' };
  process.stdout.write(`Publishing ${name} …\n`);
  const dir = join(EXAMPLES, name);
  for await (const event of deploy({
    client,
    dir,
    name,
    access_type: 'all',
    record: false,
    guid: before?.guid,
  })) {
    if (event.type === 'collect')
      console.log(`  ${event.count} files, ${event.bytes} bytes, ${event.app_mode}`);
    if (event.type === 'log') console.log(`  ${event.line}`);
    if (event.type === 'done') return { name, url: event.url, note: '' };
    if (event.type === 'failed' || event.type === 'unknown') return { name, url: null, note: event.error };
  }
  return { name, url: null, note: 'cancelled' };
}

async function findExample(client: Client, name: string): Promise<ContentItem | undefined> {
  const { guid } = await client.getCurrentUser();
  const [found] = await client.listContent({ name, owner_guid: guid });
  return found;
}
