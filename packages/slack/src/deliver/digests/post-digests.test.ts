// Covers digests that are due at the same time: each is sent, even if another one fails.
import { RefusedError } from '@pressroom/api/client';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { Services } from '../../services.ts';
import type { Subscription } from '../../store/subscriptions.ts';
import { en } from '../../texts/en.ts';
import { postDigests } from './post-digests.ts';

const NOON = Date.parse('2026-03-04T12:00:00Z');
const subscription = (changes: Partial<Subscription>): Subscription =>
  ({
    team: 'T1',
    channel: 'C1',
    content: 'one',
    filters: 'usage-daily',
    quiet: null,
    zone: 'UTC',
    slack_user: 'U1',
    slack_name: 'pia',
    digest_time: 0,
    created_time: 0,
    ...changes,
  }) as Subscription;

/** No visits or sessions. */
const none = async function* () {};

async function sentFor(...subscriptions: Subscription[]) {
  const sent: string[] = [];
  const finished: Subscription[] = [];
  let asked = 0;
  const client = {
    each: { getContentVisits: none, getShinyAppUsage: none },
    async getContent({ guid }: { guid: string }) {
      // Answered the first time, fails the second time.
      if (guid === 'away' && (asked += 1) > 1) throw new Error('no response');
      return { guid, name: guid, title: guid, url: null, role: 'owner' };
    },
    getCurrentUser: async () => ({ user_role: 'publisher' }),
    getTagContent: async () => {
      const refused = {
        operation: 'getTagContent',
        server: 'https://x',
        status: 500,
        code: 1,
        payload: null,
      };
      throw new RefusedError({ ...refused, message: 'broken' });
    },
  };
  const services = {
    store: {
      dueDigests: async () => subscriptions,
      finishDigest: async (one: Subscription) => void finished.push(one),
    },
    clients: { ofLink: async () => ({ client: client }) },
    languages: { ofChannel: async () => en },
    alerts: { send: async ({ id }: { id: string }) => void sent.push(id) },
    log: pino({ level: 'silent' }),
  } as unknown as Services;
  const clock = { now: () => NOON, random: () => 0.5, sleep: async () => undefined };
  await postDigests({ services, clock, signal: new AbortController().signal });
  return { sent, finished };
}

test('sends two digests for subscriptions with different quiet hours', async () => {
  const { sent } = await sentFor(subscription({}), subscription({ content: 'two', quiet: '22-9' }));
  expect(new Set(sent).size).toBe(2);
});

test('sends one digest for subscriptions with the same quiet hours', async () => {
  const { sent, finished } = await sentFor(subscription({}), subscription({ content: 'two' }));
  expect([sent.length, finished.length]).toEqual([1, 2]);
});

test('a failed digest does not block other channels', async () => {
  const broken = subscription({ content: '~tag:7', channel: 'C0' });
  const { sent, finished } = await sentFor(broken, subscription({}));
  expect(sent).toHaveLength(1);
  expect(finished).toEqual([subscription({})]);
});

test('keeps a digest pending when the content server does not respond', async () => {
  const { sent, finished } = await sentFor(subscription({ content: 'away' }));
  expect([sent, finished]).toEqual([[], []]);
});
