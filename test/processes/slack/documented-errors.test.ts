// Covers Slack's documented errors of every method that a deploy needs, with the double and with `emulate`: the final
// message is correct, and posted once.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type ClientClock, systemClock } from '@pressroom/api/client';
import { startEmulatedSlack, startSlackDouble } from '@pressroom/testkit/slack';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import manifest from '../../../packages/slack/manifest.json' with { type: 'json' };
import { createAnnouncer, type Announcer } from '../../../packages/slack/src/deliver/deploys/announcer.ts';
import { clientOptions, createSlackPort } from '../../../packages/slack/src/deliver/transport/slack-port.ts';
import { openBotStore, type BotStore } from '../../../packages/slack/src/store/open-bot-store.ts';
import { en } from '../../../packages/slack/src/texts/en.ts';
import { CASES, isOwn, OF_METHOD, OVER } from './documented.ts';

/** Waits are shorter by this factor: an hour of retries takes seconds. */
const FASTER = 300;

interface Posted {
  readonly ts: string;
  readonly files?: unknown;
}

/** A Slack with injected errors. */
interface Workspace extends AsyncDisposable {
  readonly apiUrl: string;
  readonly token: string;
  readonly team: string;
  channel(name: string): Promise<string>;
  /** Makes the next calls of a method fail with these errors. */
  fail(method: string, words: string[]): void;
  /** Returns the methods called so far. */
  readonly calls: () => readonly string[];
  inChannel(channel: string): Promise<readonly Posted[]>;
  thread(channel: string, ts: string): Promise<readonly Posted[]>;
}

async function double(): Promise<Workspace> {
  const slack = await startSlackDouble({ rates: false });
  return {
    apiUrl: slack.apiUrl,
    token: slack.botToken,
    team: slack.space.team,
    channel: async (name) => slack.channel(name),
    fail: (method, words) => void (slack.faults.words[method] = words),
    calls: () => slack.space.calls.map(({ method }) => method),
    inChannel: async (channel) => slack.inChannel(channel),
    thread: async (channel, ts) => slack.thread(channel, ts),
    [Symbol.asyncDispose]: () => slack[Symbol.asyncDispose](),
  };
}

async function emulate(): Promise<Workspace> {
  const scopes = [...manifest.oauth_config.scopes.bot, 'channels:manage'];
  const slack = await startEmulatedSlack(scopes, { name: 'pia', email: 'pia@example.com' });
  let made = 0;
  return {
    apiUrl: slack.apiUrl,
    token: slack.token,
    team: 'T',
    channel: async () => (await slack.call('conversations.create', { name: `c${(made += 1)}` })).channel.id,
    fail: (method, words) => void (slack.faults[method] = words),
    calls: () => slack.calls,
    async inChannel(channel) {
      const { messages = [] } = await slack.call('conversations.history', { channel });
      return messages.filter((one: { thread_ts?: string; ts: string; subtype?: string }) => {
        const isReply = one.thread_ts !== undefined && one.thread_ts !== one.ts;
        return !isReply && one.subtype !== 'channel_join';
      });
    },
    async thread(channel, ts) {
      const { messages = [] } = await slack.call('conversations.replies', { channel, ts });
      return messages.filter((one: Posted) => one.ts !== ts);
    },
    [Symbol.asyncDispose]: () => slack[Symbol.asyncDispose](),
  };
}

const shown = (message: unknown) => JSON.stringify(message);

describe.each([
  ['the double', double],
  ['emulate', emulate],
] as const)('%s', (_name, open) => {
  let slack: Workspace;
  let store: BotStore;
  let announcer: Announcer;
  let directory: string;
  beforeAll(async () => {
    const began = Date.now();
    const now = () => began + (Date.now() - began) * FASTER;
    const clock: ClientClock = {
      ...systemClock,
      now,
      async sleep(milliseconds, signal) {
        await setTimeout(milliseconds / FASTER, undefined, signal && { signal });
      },
    };
    directory = await mkdtemp(join(tmpdir(), 'pressroom-slack-errors-'));
    slack = await open();
    store = await openBotStore(join(directory, 's.sqlite'), `k:${randomBytes(32).toString('base64')}`, now);
    announcer = createAnnouncer({
      store,
      slack: createSlackPort(async () => slack.token, clientOptions(slack.apiUrl)),
      readerOf: ({ channel }) => ({
        isHidden: false,
        maySee: async () => true,
        recorded: async () => null,
        outcome: async () => null,
        async getTask({ id, first = 0 }) {
          // The task finishes once its message was posted, or refused for a while.
          for (let i = 0; i < 8 && (await slack.inChannel(channel)).length === 0; i += 1) await setTimeout(5);
          const output = ['a line of output'].slice(first);
          const code = id.startsWith('failed') ? 1 : 0;
          const state = { finished: true, code, error: '', result: null, last: 1, stages: [] };
          return { id, output, ...state } as unknown as Awaited<
            ReturnType<ReturnType<Parameters<typeof createAnnouncer>[0]['readerOf']>['getTask']>
          >;
        },
      }),
      textsOf: async () => en,
      auditUrl: null,
      clock,
      log: pino({ level: 'silent' }),
      // Enough for all calls: minutes pass too fast here.
      budget: 50,
      onLost: async () => undefined,
    });
  });
  afterAll(async () => {
    await announcer[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
    await slack[Symbol.asyncDispose]();
    await rm(directory, { recursive: true });
  });

  describe.each(Object.keys(OF_METHOD))('%s', (name) => {
    // Success differs on the bot's side only, so one outcome is enough for `emulate` and for these methods.
    const isShort = open === emulate || /^(files|conversations)/.test(name);
    const outcomes = isShort ? (['failed'] as const) : (['live', 'failed'] as const);
    // The errors are injected, so those of any method, which the bot handles by their kind, run with one Slack and one
    // outcome; one of each kind runs with all.
    const cases = CASES.filter(({ method }) => method === name).flatMap((one) =>
      outcomes
        .filter((outcome) => isOwn(one.word) || (open === double && outcome === 'failed'))
        .map((outcome) => ({ ...one, outcome })),
    );
    test.each(cases)('$word, $outcome', async ({ method, word, outcome }) => {
      const channel = await slack.channel(word);
      slack.fail(method, [word, word]);
      if (method === 'conversations.replies') slack.fail('files.completeUploadExternal', ['internal_error']);
      const before = slack.calls().length;
      const { team } = slack;
      await announcer.announce({
        team,
        channel,
        task: `${outcome}${method}${word}`.replaceAll(/\W|_/g, ''),
        otherwise: '',
        content: `${outcome}${method}${word}`,
        title: 'Report',
        url: null,
        bundle: '1',
        who: 'Ada',
        via: 'on the server',
        slack_user: null,
        reader: null,
        previous: null,
        only_failures: 0,
        started_time: Date.now(),
      });
      await announcer.idle();
      slack.fail(method, []);
      expect(slack.calls().slice(before)).toContain(method);
      const messages = await slack.inChannel(channel);
      const isOver = OVER[method]?.includes(word) === true;
      const isPosted = !(isOver && method === 'chat.postMessage');
      expect(await store.notices.open()).toEqual([]);
      expect(messages).toHaveLength(isPosted ? 1 : 0);
      for (const message of messages) {
        const thread = await slack.thread(channel, message.ts);
        const results = thread.filter(({ files }) => files === undefined);
        const files = thread.length - results.length;
        const end = outcome === 'live' ? 'is live' : 'failed to deploy';
        // A success is in its message only. If that can no longer be edited, the result is in its thread.
        const isTold = outcome === 'failed' || (isOver && method === 'chat.update');
        expect(results.map((reply) => shown(reply))).toEqual(isTold ? [expect.stringContaining(end)] : []);
        if (!isOver) expect(shown(message)).toContain(end);
        expect(files).toBeLessThanOrEqual(outcome === 'live' ? 0 : 1);
      }
    });
  });
});
