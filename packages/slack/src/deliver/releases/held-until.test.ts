// Covers releases in quiet hours: posted when the hours end, and at once what is about a failure.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import type { ContentClients } from '../../link/content-clients.ts';
import { createKeyring } from '../../store/keyring.ts';
import { openStore } from '../../store/store.ts';
import { TEXTS, type Languages } from '../../texts/languages.ts';
import { alertInChannels } from '../alerts/alert-in-channels.ts';
import { createAlerts } from '../alerts/alerts.ts';
import { SlackFailure } from '../transport/slack-failure.ts';
import type { SlackPort } from '../transport/slack-port.ts';
import type { ReleaseStep } from './releases.ts';

const HOUR = 3_600_000;
const EVENING = Date.parse('2026-03-04T23:30:00Z');
const content = { guid: 'c', title: 'sales', url: null };
const languages = { ofChannel: async () => TEXTS.en } as unknown as Languages;
const log = pino({ level: 'silent' });
const client = {
  getContent: async () => ({ guid: 'c' }),
  getReleases: async () => [],
  getCanary: async () => null,
};
const clients = { ofLink: async () => ({ client }) } as unknown as ContentClients;

/** At half past eleven in a channel whose quiet hours are 22 to 7. */
async function night() {
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-quiet-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  let now = EVENING;
  const keyring = createKeyring(`a:${randomBytes(32).toString('base64')}`);
  const store = await openStore(join(directory, 'bot.sqlite'), keyring, () => now);
  onTestFinished(() => store[Symbol.asyncDispose]());
  const posts: string[] = [];
  const blocks: string[] = [];
  let isAway = false;
  const slack = {
    async post({ message }: { message: { text: string; blocks: unknown } }) {
      if (isAway) throw new SlackFailure('down', 'fetch failed', 0);
      blocks.push(JSON.stringify(message.blocks));
      return `1.${posts.push(message.text)}`;
    },
    edit: async () => undefined,
    findPosted: async () => null,
  } as unknown as SlackPort;
  const sleep = () => Promise.resolve();
  const clock = { now: () => now, random: () => 0.5, sleep };
  const alerts = createAlerts({ store, slack, clients, languages, clock, log });
  onTestFinished(() => alerts[Symbol.asyncDispose]());
  await store.saveSubscription({
    team: 'T1',
    channel: 'C1',
    content: '~all:',
    title: 'all content',
    filters: 'deploys,failures',
    quiet: '22-7',
    slack_user: 'U1',
    slack_name: 'ada',
  });
  /** Whether everything that is due was posted. */
  const settled = () =>
    expect.poll(() => store.outbox.nextDue()).toSatisfy((due) => due === null || due > now);
  return {
    posts,
    blocks,
    async event(what: ReleaseStep['what'], bundle = '7') {
      now += 1000;
      const step = { id: `${what}${bundle}`, content, time: now, what, bundle, who: 'ada' };
      const wants = (word: string) => word === 'deploys' || (what === 'back' && word === 'failures');
      const services = { store, alerts, clients, languages, log };
      await alertInChannels(services, { subject: step, key: step.id, wants, message: step });
      await settled();
    },
    away(value: boolean) {
      isAway = value;
    },
    async later(hours: number) {
      now += hours * HOUR;
      alerts.look();
      await settled();
    },
  };
}

test('in quiet hours a release waits until they end, and comes once with all its steps', async () => {
  const { posts, event, later } = await night();
  await event('approved');
  await event('overridden');
  for (let hour = 0; hour < 7; hour += 1) await later(1);
  expect(posts).toEqual([]);
  await later(1);
  expect(posts).toEqual([expect.stringContaining('sales')]);
});

test.each([
  ['a canary that was rolled back', 'canary', 'back', 'rolled back'],
  ['a draft that failed', 'preparing', 'draft_failed', 'failed'],
] as const)('%s is told in quiet hours, too', async (_what, before, failed, text) => {
  const { posts, event } = await night();
  await event(before);
  expect(posts).toEqual([]);
  await event(failed);
  expect(posts).toEqual([expect.stringContaining(text)]);
});

test('a failure of an earlier release of the bundle does not break the quiet of the next one', async () => {
  const { posts, event } = await night();
  await event('back');
  expect(posts).toHaveLength(1);
  await event('preparing');
  await event('draft');
  expect(posts).toHaveLength(1);
});

test('several releases of a night are one message in the morning, about what is still to be decided', async () => {
  const { posts, blocks, event, later } = await night();
  for (const bundle of ['1', '2', '3', '4']) {
    await event('preparing', bundle);
    await event('draft', bundle);
  }
  await event('live', '1');
  await event('asked', '3');
  await later(8);
  expect(posts).toEqual(['From the quiet hours, 3 bundles wait for a decision']);
  expect(blocks[0]).toMatch(/Bundle 2 of [^]*as a draft[^]*Bundle 3 of [^]*waits for approval[^]*Bundle 4/);
  expect(blocks[0]).not.toContain('Bundle 1');
  expect(blocks[0]!.match(/"value":"\w+ c"/g)).toEqual([
    '"value":"status c"',
    '"value":"releases c"',
    '"value":"status c"',
  ]);
  await later(1);
  expect(posts).toHaveLength(1);
  // By day, each has its own message.
  await event('approved', '3');
  expect(posts[1]).toBe('Bundle 3 of sales is approved');
});

test('what was decided in the night is not told in the morning', async () => {
  const { posts, event, later } = await night();
  await event('preparing');
  await event('draft');
  await event('live');
  await later(8);
  expect(posts).toEqual([]);
});

test('the message of a night is posted once, although Slack was away', async () => {
  const { posts, event, later, away } = await night();
  await event('draft', '1');
  await event('draft', '2');
  away(true);
  await later(8);
  expect(posts).toEqual([]);
  away(false);
  await later(1);
  expect(posts).toEqual(['From the quiet hours, 2 bundles wait for a decision']);
});
