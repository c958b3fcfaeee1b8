// `npm start`: the server on embedded storage, its first administrator, and the examples published as a client would.
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Client, type ContentItem, createClient } from '@pressroom/api/client';
import { deploy } from '@pressroom/api/publish';
import { pino } from 'pino';
import pretty from 'pino-pretty';
import { firstAdministrator } from './first-administrator.ts';
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
    const apiKey = await firstAdministrator(server.url, ADMINISTRATOR, dataDir);
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
