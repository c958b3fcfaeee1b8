// The Slack bot under load: acknowledgement times, and the gain of summarising usage in slices.
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '@pressroom/api/client';
import { summarizeUsage } from '@pressroom/api/usage';
import { openBotStore } from '@pressroom/slack';
import { startServerProcess, startTestServer, firstAdministrator } from '@pressroom/testkit';
import { startSlackDouble } from '@pressroom/testkit/slack';
import { sql } from 'kysely';
import { botEnvironment, startBotProcess } from '../processes/slack/bot-process.ts';

const VISITS = 1_000_000;
/** Commands per second, and seconds. */
const RATE = 200;
const SECONDS = 60;
const DAYS = 60;
/** The best of this many rounds: the machine has other load. */
const ROUNDS = 2;
/** Stands for the server's own summary. */
const BY_SERVER = 0;
/** Milliseconds to a remote server, one way. */
const ONE_WAY = 10;

/** Returns the lines to print. */
export async function slackBench(): Promise<string[]> {
  return [...(await commandsBench()), ...(await usageBench())];
}

/** 200 commands a second for a minute: acks, answers, memory of the bot. */
export async function commandsBench(rate = RATE, seconds = SECONDS): Promise<string[]> {
  await using stack = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-slack-bench-'));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const server = await startServerProcess(join(directory, 'server'));
  stack.defer(async () => void (await server.stop('SIGKILL')));
  const admin = await firstAdministrator(() => server.url);
  const slack = stack.use(await startSlackDouble({ rates: false }));
  const store = join(directory, 'slack.sqlite');
  const env = botEnvironment({ server: server.url, serviceKey: admin.key, store, slack });
  const bot = await startBotProcess(env);
  stack.defer(async () => void (await bot.stop('SIGKILL')));
  slack.connect(`${bot.url}/slack/events`);
  const channel = slack.channel('load');
  const users = Array.from({ length: 20 }, (_, i) => slack.user(`user${i}`));
  {
    await using links = await openBotStore(store, env.PRESSROOM_SLACK_KEYS);
    for (const user of users) {
      const { team } = slack.space;
      const { guid: server_user, username, key } = admin;
      await links.saveLink({ team, slack_user: user.id, slack_name: user.name, server_user, username, key });
    }
  }
  const lines = ['help', 'status', 'subscriptions', 'stauts', 'help deploy'];
  const acks: number[] = [];
  const memory: number[] = [];
  const sent: Promise<void>[] = [];
  const began = performance.now();
  for (let i = 0; i < rate * seconds; i += 1) {
    const due = began + (i * 1000) / rate;
    const wait = due - performance.now();
    if (wait > 1) await delay(wait);
    if (i % (rate * 5) === 0) memory.push(await residentMegabytes(bot.pid));
    sent.push(
      slack
        .command(users[i % users.length]!, channel, lines[i % lines.length]!)
        .then(({ status, milliseconds }) => {
          acks.push(status === 200 ? milliseconds : Infinity);
        }),
    );
  }
  await Promise.all(sent);
  // A busy bot refuses in its acknowledgement.
  const refused = async () =>
    Number(
      /^pressroom_slack_refused_total (\d+)$/m.exec(await (await fetch(`${bot.url}/metrics`)).text())?.[1],
    );
  const busy = await refused();
  const answered = () => slack.space.messages.length + busy >= rate * seconds;
  await slack.until(answered, 60_000).catch(() => undefined);
  memory.push(await residentMegabytes(bot.pid));
  acks.sort((a, b) => a - b);
  const at = (share: number) => acks[Math.min(acks.length - 1, Math.floor(acks.length * share))]!.toFixed(0);
  const shown = memory.map((megabytes) => megabytes.toFixed(0)).join(' ');
  return [
    `Slack: ${rate} commands a second for ${seconds} s: ack p50 ${at(0.5)} ms, p99 ${at(0.99)} ms (goal < 500), ` +
      `longest ${at(1)} ms; ${slack.space.messages.length} of ${rate * seconds} answered, ${busy} told to try again; memory of the bot in MB: ${shown}`,
  ];
}

/** A million visits, summarised in concurrent slices compared with page after page; both must agree. */
export async function usageBench(visits = VISITS): Promise<string[]> {
  await using stack = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-usage-bench-'));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const to = Date.parse('2026-03-01T00:00:00Z');
  const from = to - (DAYS / 2) * 86_400_000;
  const dataDir = await seeded(visits, to);
  stack.defer(() => dataDir.remove());
  // A separate process: client and server share no event loop, as in production.
  const server = await startServerProcess(dataDir.path);
  stack.defer(async () => void (await server.stop('SIGKILL')));
  const lines = [`usage of ${visits.toLocaleString('en')} visits against page after page, best of ${ROUNDS}`];
  const far = stack.use(await farAway(server.url));
  for (const [where, url] of [
    ['on this machine', server.url],
    [`${2 * ONE_WAY} ms away`, far.url],
  ] as const) {
    await using client = createClient({ url, apiKey: dataDir.key });
    const timed = async (parallel: number) => {
      const start = performance.now();
      const { each } = client;
      const reader = parallel === BY_SERVER ? client : { each };
      const summary = await summarizeUsage({ client: reader, from, to, by: 'user', parallel });
      return { summary, seconds: (performance.now() - start) / 1000 };
    };
    const runs = new Map<number, Awaited<ReturnType<typeof timed>>[]>(
      [1, 4, 8, BY_SERVER].map((parallel) => [parallel, []]),
    );
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [parallel, list] of runs) list.push(await timed(parallel));
    }
    const best = (parallel: number) => runs.get(parallel)!.toSorted((a, b) => a.seconds - b.seconds)[0]!;
    const one = best(1);
    for (const parallel of [4, 8, BY_SERVER]) {
      const many = best(parallel);
      const equal = JSON.stringify(many.summary) === JSON.stringify(one.summary);
      lines.push(
        `  ${where}, ${parallel === BY_SERVER ? 'summed up by the server (goal ≤ 0.03)' : `${parallel} requests at once`}: ${(many.seconds / one.seconds).toFixed(3)} ` +
          `(${many.seconds.toFixed(2)} and ${one.seconds.toFixed(1)} s), results ${equal ? 'equal' : 'DIFFER'}`,
      );
    }
  }
  return lines;
}

/** The same server behind a network with latency in both directions. */
async function farAway(url: string): Promise<AsyncDisposable & { url: string }> {
  const { hostname, port } = new URL(url);
  const late = (from: Socket, to: Socket) => {
    from.on('data', (bytes) => void setTimeout(() => void (to.destroyed || to.write(bytes)), ONE_WAY));
    from.on('close', () => void setTimeout(() => to.destroy(), ONE_WAY));
    from.on('error', () => to.destroy());
  };
  const proxy = createServer((near) => {
    const away = connect(Number(port), hostname);
    late(near, away);
    late(away, near);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      proxy.close();
    },
  };
}

/** A data directory with this many visits in the days before `to`. */
async function seeded(visits: number, to: number) {
  const server = await startTestServer({ durable: true, engine: 'sqlite' });
  const admin = await server.administrator();
  const { db } = server.running.services.storage;
  const start = (to - DAYS * 86_400_000) * 1000;
  const step = Math.floor((DAYS * 86_400_000_000) / visits);
  await sql`
    with recursive n(i) as (select 0 union all select i + 1 from n where i < ${visits - 1})
    insert into visit (content_guid, user_guid, time, bundle_id, rendering_id, variant_key, data_version)
    select 'c0ffee00-0000-4000-8000-' || printf('%012d', i % 100), 'abcdef00-0000-4000-8000-' || printf('%012d', i * 7919 % 1000),
      ${start} + i * ${step}, 1, null, null, 1 from n
  `.execute(db);
  const path = server.dataDir;
  // The next process opens this data.
  await server.running[Symbol.asyncDispose]();
  return { path, key: admin.key, remove: () => rm(path, { recursive: true, force: true }) };
}

async function residentMegabytes(pid: number): Promise<number> {
  const pages = Number((await readFile(`/proc/${pid}/statm`, 'utf8')).split(' ')[1]);
  return (pages * 4096) / 1e6;
}
