// What `npm run cluster` runs in its own process group: starts the servers, publishes, and stops them.
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createClient, type Client } from '@pressroom/api/client';
import { deploy } from '@pressroom/api/publish';
import { firstAdministrator } from '../test-server.ts';
import { hasStore, startConstellation, type Constellation } from './start-constellation.ts';

const EXAMPLES = join(import.meta.dirname, '../../../../examples');

/** @param port of the proxy, which nothing else listens on */
export async function runCluster(names: readonly string[], port: number): Promise<void> {
  const isStopped = Promise.race([once(process, 'SIGTERM'), once(process, 'disconnect')]);
  // A second Ctrl-C during shutdown must leave nothing running, either.
  process.on('SIGTERM', () => undefined);
  const usesStore = !names.includes('--directory');
  const wanted = names.filter((name) => !name.startsWith('--'));
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
