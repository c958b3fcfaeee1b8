// Many concurrent deploys in one workspace, with kills of the bot: announced once, correct at the end, within the
// budget.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openBotStore, type BotStore } from '@pressroom/slack';
import { createDatabase, freePort, startTestServer, type Person } from '@pressroom/testkit';
import { startSlackDouble, type DoubleMessage, type SlackDouble } from '@pressroom/testkit/slack';
import { botEnvironment, startBotProcess } from '../processes/slack/bot-process.ts';
import { EVENTS_SECRET, publish, startTask, textOf, type ControlledTask } from '../processes/slack/world.ts';

export interface DeploysReport {
  readonly deploys: number;
  readonly kills: number;
  /** chat.update calls in the busiest minute; Slack allows 50. */
  readonly mostEdits: number;
  readonly refusedEdits: number;
  /** Seconds from the end of a task until its message showed it, for the slowest; only without kills. */
  readonly slowestFinal: number;
  /** Violations; empty if there are none. */
  readonly faults: string[];
}

export interface DeploysOptions {
  readonly deploys: number;
  readonly kills: number;
  /** Duration of the deploys in seconds. */
  readonly seconds: number;
  /** Several share a PostgreSQL database; then the first is killed once and not restarted. */
  readonly bots?: number;
}

const CHANNELS = 8;
const MINUTE = 60_000;

interface Watched {
  readonly task: ControlledTask;
  readonly channel: string;
  readonly fails: boolean;
  ended: number;
  shown: number;
}

export async function slackDeploys({
  deploys,
  kills,
  seconds,
  bots = 1,
}: DeploysOptions): Promise<DeploysReport> {
  await using stack = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-slack-soak-'));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const ports = await Promise.all(Array.from({ length: bots }, freePort));
  const settings = {
    'Events.Webhooks': ports.map((port) => `http://127.0.0.1:${port}/hooks/events`).join(' '),
    'Events.WebhookSecret': EVENTS_SECRET,
  };
  const server = stack.use(await startTestServer({ engine: 'sqlite', settings }));
  const slack = stack.use(await startSlackDouble());
  const person = await server.person('publisher');
  const serviceKey = (await server.administrator()).key;
  const database = bots > 1 ? stack.use(await createDatabase()) : null;
  const store = database?.url ?? join(directory, 'slack.sqlite');
  const env = botEnvironment({ server: server.url, serviceKey, store, slack });
  const startNumber = (i: number) =>
    startBotProcess({ ...env, PRESSROOM_SLACK_LISTEN: `127.0.0.1:${ports[i]}` });
  const channels = Array.from({ length: CHANNELS }, (_, i) => slack.channel(`channel-${i}`));

  const contents = await Promise.all(channels.map((_, i) => publish(person, `report-${i}`)));
  const keys = env.PRESSROOM_SLACK_KEYS;
  await subscribe(await openBotStore(store, keys), slack, channels, contents, person);

  const running = await Promise.all(ports.map((_, i) => startNumber(i)));
  stack.defer(async () => void (await Promise.all(running.map((bot) => bot.stop('SIGKILL')))));
  const faults: string[] = [];
  const watched: Watched[] = await Promise.all(
    Array.from({ length: deploys }, async (_, i) => {
      const { guid } = contents[i % CHANNELS]!;
      const task = await startTask({ server }, person, guid);
      return { task, channel: channels[i % CHANNELS]!, fails: i % 3 === 0, ended: 0, shown: 0 };
    }),
  );
  const off = slack.space.onChange(() => note(slack, watched));
  stack.defer(off);

  const ending = watched.map(async (item, i) => {
    const until = Date.now() + seconds * 1000;
    for (let n = 0; Date.now() < until; n += 1) {
      item.task.log(`line ${n} of deploy ${i}`);
      await delay(500);
    }
    await item.task.end(item.fails ? `no good ${i}` : undefined);
    item.ended = Date.now();
    note(slack, watched);
  });
  for (let kill = 0; kill < kills; kill += 1) {
    await delay((seconds * 1000 * (0.5 + Math.random())) / Math.max(1, kills));
    const one = kill % bots;
    await running[one]!.stop('SIGKILL');
    // The others take over its work, without a restart.
    if (bots === 1) running[one] = await startNumber(one);
    else break;
  }
  await Promise.all(ending);
  await slack.until(() => watched.every(({ shown }) => shown > 0), 4 * MINUTE).catch(() => undefined);
  await settle(slack, watched);
  check(slack, watched, faults);
  const code = await running.at(-1)!.stop('SIGTERM');
  if (code !== 0) faults.push(`SIGTERM ended the bot with ${code}`);

  const edits = slack.space.calls.filter(({ method }) => method === 'chat.update');
  const mostEdits = Math.max(
    0,
    ...edits.map(
      ({ time }) => edits.filter((other) => other.time > time - MINUTE && other.time <= time).length,
    ),
  );
  const refusedEdits = edits.filter(({ result }) => result === 'ratelimited').length;
  if (mostEdits > 50 || refusedEdits > 0)
    faults.push(`${mostEdits} edits in a minute, ${refusedEdits} refused`);
  const slowestFinal = Math.max(...watched.map(({ ended, shown }) => (shown - ended) / 1000));
  // A busy machine may be slow: over a minute counts as lost.
  if (kills === 0 && slowestFinal > 60) faults.push(`a final state came after ${slowestFinal.toFixed(1)} s`);
  return { deploys, kills, mostEdits, refusedEdits, slowestFinal, faults };
}

async function subscribe(
  store: BotStore,
  slack: SlackDouble,
  channels: readonly string[],
  contents: readonly { guid: string }[],
  person: Person,
): Promise<void> {
  const { team } = slack.space;
  const { guid: server_user, username, key } = person;
  await store.saveLink({ team, slack_user: 'U1', slack_name: 'ada', server_user, username, key });
  for (const [i, channel] of channels.entries()) {
    await store.saveSubscription({
      team,
      channel,
      content: contents[i]!.guid,
      title: `report-${i}`,
      filters: 'deploys',
      quiet: null,
      slack_user: 'U1',
      slack_name: 'ada',
    });
  }
  await store[Symbol.asyncDispose]();
}

const messagesOf = (slack: SlackDouble, { task, channel }: Watched): DoubleMessage[] =>
  slack.inChannel(channel).filter((message) => textOf(message).includes(task.id));

const isRight = (message: DoubleMessage, { fails }: Watched): boolean =>
  textOf(message).includes(fails ? 'failed to deploy' : 'is live');

/** Records when each message first shows the end. */
function note(slack: SlackDouble, watched: readonly Watched[]): void {
  for (const item of watched) {
    if (item.ended === 0 || item.shown > 0) continue;
    if (messagesOf(slack, item).some((message) => isRight(message, item))) item.shown = Date.now();
  }
}

/** Until every message is correct, and the log of every failure is in its thread. */
async function settle(slack: SlackDouble, watched: readonly Watched[]): Promise<void> {
  const done = () =>
    watched.every((item) => {
      const [message] = messagesOf(slack, item);
      return (
        message !== undefined &&
        isRight(message, item) &&
        (!item.fails || slack.thread(item.channel, message.ts).some(({ files }) => files !== undefined))
      );
    });
  await slack.until(done, 2 * MINUTE).catch(() => undefined);
}

function check(slack: SlackDouble, watched: readonly Watched[], faults: string[]): void {
  for (const [i, item] of watched.entries()) {
    const messages = messagesOf(slack, item);
    if (messages.length !== 1) faults.push(`deploy ${i} was announced ${messages.length} times`);
    const [message] = messages;
    if (!message) continue;
    if (!isRight(message, item)) faults.push(`deploy ${i} ended wrong: ${message.text}`);
    const replies = slack.thread(item.channel, message.ts);
    const results = replies.filter(({ files }) => files === undefined).length;
    const logs = replies.length - results;
    const wanted = item.fails ? 1 : 0;
    if (results !== wanted || logs !== wanted)
      faults.push(`deploy ${i} has ${results} results and ${logs} logs`);
  }
}
