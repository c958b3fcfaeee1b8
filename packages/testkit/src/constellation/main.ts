// `npm run cluster`: several servers on this machine with everything they share, and the examples published, until
// Ctrl-C. `npm run cluster -- static-page` publishes only these; `--directory` uses no S3 store.
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createClient, type Client } from '@pressroom/api/client';
import { deploy } from '@pressroom/api/publish';
import { runInOwnGroup } from '../own-group.ts';
import { firstAdministrator } from '../test-server.ts';
import { hasStore, startConstellation, type Constellation } from './start-constellation.ts';

const EXAMPLES = join(import.meta.dirname, '../../../../examples');
const PORT = 3939;

if (!process.connected) process.exit(await runInOwnGroup(import.meta.filename));
await run(process.argv.slice(2));
// The channel to the parent process would keep it running.
process.exit(0);

async function run(names: readonly string[]): Promise<void> {
  const isStopped = Promise.race([once(process, 'SIGTERM'), once(process, 'disconnect')]);
  // A second Ctrl-C during shutdown must leave nothing running, either.
  process.on('SIGTERM', () => undefined);
  const usesStore = !names.includes('--directory');
  const wanted = names.filter((name) => !name.startsWith('--'));
  const port = Number(process.env.PRESSROOM_CLUSTER_PORT ?? PORT);
  if (!(await isFree(port))) {
    // Another listener would be taken for the proxy, and get an administrator with a known password.
    console.error(
      `Port ${port} is in use: stop what listens there, or set PRESSROOM_CLUSTER_PORT to another port.`,
    );
    process.exit(1);
  }
  console.log('Starting PostgreSQL, the store, two servers and nginx …');
  await using constellation = await startConstellation({ store: usesStore && hasStore(), port });
  await Promise.race([isStopped, publishAll(constellation, wanted)]);
  await isStopped;
  console.log('Stopping …');
}

async function publishAll(constellation: Constellation, wanted: readonly string[]): Promise<void> {
  const { key } = await firstAdministrator(() => constellation.url);
  const client = createClient({ url: constellation.url, apiKey: key });
  const contents: string[] = [];
  for (const name of wanted.length > 0 ? wanted : readdirSync(EXAMPLES).sort())
    contents.push(`${name.padEnd(18)} ${await publish(client, name)}`);
  console.log(summary(constellation, contents, key));
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}

async function publish(client: Client, name: string): Promise<string> {
  console.log(`Publishing ${name} …`);
  const dir = join(EXAMPLES, name);
  for await (const event of deploy({ client, dir, name, access_type: 'all', record: false })) {
    if (event.type === 'done') return event.url;
    if (event.type === 'failed' || event.type === 'unknown') return `not live: ${event.error}`;
  }
  return 'not live: cancelled';
}

function summary({ url, servers, database, store }: Constellation, contents: readonly string[], key: string) {
  return `
  Pressroom is running at ${url}, on two servers (Ctrl-C stops everything and removes it)

  Content
${contents.map((line) => `    ${line}`).join('\n')}

  Servers        ${servers.map((server) => `${server.url} (process ${server.pid})`).join('\n                 ')}
  PostgreSQL     ${database}
  Store          ${store?.endpoint ?? 'none: Swift is not installed (npm run setup), so the servers share a directory'}
  Dashboard      ${url}/__dashboard__/, user admin, password "correct horse"
  Command line   CONNECT_SERVER=${url} CONNECT_API_KEY=${key} npx pressroom deploy DIR

  To see one take over from the other: kill -9 ${servers[0]?.pid ?? ''}
`;
}
