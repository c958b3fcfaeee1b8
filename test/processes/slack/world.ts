// A content server, a Slack workspace and the bot, for one test.
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type ClientClock, systemClock } from '@pressroom/api/client';
import { errors } from '@pressroom/api/contract';
import { openBotStore, startBot, type BotConfig, type RunningBot } from '@pressroom/slack';
import { freePort, startTestServer, testLog, upload, type Person, type TestServer } from '@pressroom/testkit';
import {
  startSlackDouble,
  type DoubleMessage,
  type DoubleUser,
  type SlackDouble,
  type SlackDoubleOptions,
} from '@pressroom/testkit/slack';
import type { TaskContext } from '../../../packages/server/src/tasks/run-task.ts';

export interface World extends AsyncDisposable {
  readonly server: TestServer;
  readonly slack: SlackDouble;
  readonly bot: RunningBot;
  readonly config: BotConfig;
  readonly channel: string;
  /** A Slack user, linked to the account with its key. */
  linked(person: Person, name?: string): Promise<DoubleUser>;
  /** Types a line and returns the ephemeral response. */
  say(user: DoubleUser, text: string): Promise<DoubleMessage>;
  /** Presses a button and returns the ephemeral response. */
  press(user: DoubleUser, on: DoubleMessage, action: string, selected?: string): Promise<DoubleMessage>;
  /** Stops the bot and starts another over the same store. */
  restartBot(): Promise<void>;
  /** Advances the bot's clock, in milliseconds. */
  later(milliseconds: number): void;
}

export interface WorldOptions extends SlackDoubleOptions {
  readonly config?: Partial<BotConfig>;
  /** Settings of the content server. */
  readonly settings?: Readonly<Record<string, string | number | boolean>>;
  readonly socket?: boolean;
  /** Whether there is a guest key, a viewer's, for people who are not linked. */
  readonly guest?: boolean;
  /** Whether the server sends events to the bot, which otherwise reads the audit log; true by default. */
  readonly events?: boolean;
  /** Maximum queued commands and clicks, before people are told to try again. */
  readonly backlog?: number;
  /** Factor of the bot's clock; without events, whose signatures would be expired. */
  readonly faster?: number;
}

/** Said by a command that takes long. */
const STILL_WAITING = /^:hourglass_flowing_sand: (Still waiting|Der Content-Server braucht)/;

export const EVENTS_SECRET = 'events secret of the test';

export async function makeWorld(options: WorldOptions = {}): Promise<World> {
  await using stack = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-slack-'));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const events = options.events ?? true;
  const port = events ? await freePort() : 0;
  const eventSettings = {
    'Events.Webhooks': `http://127.0.0.1:${port}/hooks/events`,
    'Events.WebhookSecret': EVENTS_SECRET,
  };
  const settings = { ...options.settings, ...(events && eventSettings) };
  const server = stack.use(await startTestServer({ engine: 'sqlite', settings }));
  const slack = stack.use(await startSlackDouble(options));
  const store = join(directory, 'slack.sqlite');
  await writeFile(store, await (readyStore ??= makeReadyStore()));
  const config = botConfig({
    server: server.url,
    serviceKey: (await server.administrator()).key,
    store,
    slack,
    socket: options.socket === true,
    more: {
      ...(options.guest === true && { guestKey: (await server.person('viewer')).key }),
      ...(events && { eventsSecrets: [EVENTS_SECRET], listen: { host: '127.0.0.1', port } }),
      ...options.config,
    },
  });
  let ahead = 0;
  const began = Date.now();
  const { faster = 1 } = options;
  const clock: ClientClock = {
    ...systemClock,
    now: () => began + (Date.now() - began) * faster + ahead,
    async sleep(milliseconds, signal) {
      await setTimeout(milliseconds / faster, undefined, signal && { signal });
    },
  };
  let bot = await startBot({
    config,
    log: testLog(),
    clock,
    ...(options.backlog !== undefined && { backlog: options.backlog }),
  });
  stack.defer(() => bot[Symbol.asyncDispose]());
  slack.connect(`${bot.url}/slack/events`);
  if (options.socket === true) await slack.until(() => slack.sockets > 0);
  const channel = slack.channel('data-science');
  const resources = stack.move();

  /** What an action shows to a person, after what is shown while it takes long. */
  async function shown(
    user: DoubleUser,
    where: string,
    work: () => Promise<unknown>,
  ): Promise<DoubleMessage> {
    const before = new Map(slack.whispers(user, where).map((message) => [message.ts, message.edited]));
    await work();
    return slack.until(() =>
      slack
        .whispers(user, where)
        .findLast(
          (message) => before.get(message.ts) !== message.edited && !STILL_WAITING.test(message.text),
        ),
    );
  }

  return {
    server,
    slack,
    get bot() {
      return bot;
    },
    config,
    channel,
    async linked(person, name = person.username) {
      const user = slack.user(name, `${person.username}@example.com`);
      await bot.services.store.saveLink({
        team: slack.space.team,
        slack_user: user.id,
        slack_name: name,
        server_user: person.guid,
        username: person.username,
        key: person.key,
      });
      return user;
    },
    say: (user, text) => shown(user, channel, () => slack.command(user, channel, text)),
    press: (user, on, action, selected) =>
      shown(user, on.channel, () => slack.click(user, on, action, selected)),
    later(milliseconds) {
      ahead += milliseconds;
    },
    async restartBot() {
      await bot[Symbol.asyncDispose]();
      bot = await startBot({
        config,
        log: testLog(),
        clock,
        ...(options.backlog !== undefined && { backlog: options.backlog }),
      });
      slack.connect(`${bot.url}/slack/events`);
    },
    [Symbol.asyncDispose]: () => resources[Symbol.asyncDispose](),
  };
}

/** A store with migrated tables, as creating them for each bot takes a tenth of a test. */
let readyStore: Promise<Buffer> | undefined;

async function makeReadyStore(): Promise<Buffer> {
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-slack-ready-'));
  try {
    const file = join(directory, 'slack.sqlite');
    const store = await openBotStore(file, `test:${randomBytes(32).toString('base64')}`);
    await store[Symbol.asyncDispose]();
    return await readFile(file);
  } finally {
    await rm(directory, { recursive: true });
  }
}

interface ConfigParts {
  readonly server: string;
  readonly serviceKey: string | null;
  readonly store: string;
  readonly slack: SlackDouble;
  readonly socket: boolean;
  readonly more: Partial<BotConfig>;
}

export function botConfig({ server, serviceKey, store, slack, socket, more }: ConfigParts): BotConfig {
  return {
    server,
    serviceKey,
    guestKey: null,
    unlinked: [],
    slack: { kind: 'token', token: slack.botToken },
    teams: [],
    receive: socket
      ? { kind: 'socket', appToken: slack.appToken }
      : { kind: 'http', signingSecrets: [slack.signingSecret] },
    slackApiUrl: slack.apiUrl,
    command: '/pressroom',
    language: 'en',
    store,
    keys: `test:${randomBytes(32).toString('base64')}`,
    eventsSecrets: [],
    auditUrl: `${server}/__dashboard__/audit?text={task}`,
    channel: null,
    listen: { host: '127.0.0.1', port: 0 },
    budget: 45,
    watchEvery: 300_000,
    logLevel: 'silent',
    ...more,
  };
}

/** All visible text of a message. */
export function textOf(message: Pick<DoubleMessage, 'blocks' | 'text'>): string {
  const parts: string[] = [];
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, item] of Object.entries(value)) {
      if (key === 'text' && typeof item === 'string') parts.push(item);
      else walk(item);
    }
  };
  walk(message.blocks);
  return parts.join('\n');
}

/** Content with several deployed bundles, the last one active. */
export async function publish(
  person: Person,
  name: string,
  versions = 1,
  more: Record<string, unknown> = {},
) {
  const created = await person.call('POST', '/v1/content', { body: { name, access_type: 'all', ...more } });
  const { guid } = created.body as { guid: string };
  const bundles: string[] = [];
  for (let version = 1; version <= versions; version += 1) {
    bundles.push(await upload(person, guid, { 'index.html': `<p>${name} ${version}</p>` }));
    const { body } = await person.call('POST', `/v1/content/${guid}/deploy`, {
      body: { bundle_id: bundles.at(-1) },
    });
    await person.call('GET', `/v1/tasks/${body.task_id}?wait=20`);
  }
  return { guid, bundles };
}

export interface ControlledTask extends Pick<TaskContext, 'log' | 'stage'> {
  readonly id: string;
  /** Ends it: successfully, or with this error. */
  end(error?: string): Promise<void>;
}

/** A deploy task of the real server, controlled by the test. */
export async function startTask(
  world: Pick<World, 'server'>,
  person: Person,
  guid: string,
): Promise<ControlledTask> {
  const { tasks, storage } = world.server.running.services;
  const subject = { kind: 'deploy', content_guid: guid, bundle_id: 1, user_guid: person.guid } as const;
  const id = await storage.write((tx) => tasks.create(tx, subject));
  const ended = Promise.withResolvers<string | null>();
  const ready = Promise.withResolvers<TaskContext>();
  const done = tasks.run(id, async (context) => {
    ready.resolve(context);
    context.signal.addEventListener('abort', () => ended.resolve('The server stops'));
    const error = await ended.promise;
    if (error !== null) throw errors.bundleNotExtracted({ message: error });
    return async () => undefined;
  });
  const { log, stage } = await ready.promise;
  return {
    id,
    log,
    stage,
    async end(error) {
      ended.resolve(error ?? null);
      await done;
    },
  };
}

/** Waits until the bot has processed all events of the server. */
export async function told({ server }: Pick<World, 'server'>): Promise<void> {
  const { db } = server.running.services.storage;
  const newest = await db.selectFrom('outgoing_head').select('seq').executeTakeFirst();
  const taken = () =>
    db.selectFrom('audit_cursor').select('id').where('sink', 'like', 'events %').executeTakeFirst();
  for (let now = await taken(); (now?.id ?? 0) < (newest?.seq ?? 0); now = await taken())
    await setTimeout(25);
}
