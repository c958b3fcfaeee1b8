// Covers subscriptions at a deploy: they end if the subscriber lost the right, but not if the content server was away.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NoResponseError } from '@pressroom/api/client';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createKeyring } from '../../store/keyring.ts';
import { openStore } from '../../store/store.ts';
import { en } from '../../texts/en.ts';
import type { SlackPort } from '../transport/slack-port.ts';
import type { AnnouncerOptions, NoticeReader } from './announcement.ts';
import { createAnnouncer } from './announcer.ts';

const away = () =>
  new NoResponseError({ operation: 'getContent', server: 'https://x', kind: 'refused', message: 'refused' });

/** Counts how often a deploy ended the subscription, given this response about the subscriber's right. */
async function endedBy(maySee: NoticeReader['maySee']): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-announce-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const ring = createKeyring(`a:${randomBytes(32).toString('base64')}`);
  await using store = await openStore(join(directory, 'bot.sqlite'), ring);
  const onLost = vi.fn<AnnouncerOptions['onLost']>().mockResolvedValue(undefined);
  const state = { finished: true, code: 0, error: '', result: null, output: [], last: 0, stages: [] };
  await using announcer = createAnnouncer({
    store,
    slack: { post: async () => '1.000001', edit: async () => undefined } as unknown as SlackPort,
    readerOf: () =>
      ({
        isHidden: false,
        maySee,
        recorded: async () => null,
        outcome: async () => null,
        getTask: async ({ id }: { id: string }) => ({ id, ...state }),
      }) as unknown as NoticeReader,
    textsOf: async () => en,
    auditUrl: null,
    // A clock that does not wait.
    clock: { now: Date.now, random: () => 0.5, sleep: async (_ms, signal) => signal?.throwIfAborted() },
    log: pino({ level: 'silent' }),
    budget: 50,
    onLost,
  });
  await announcer.announce({
    team: 'T1',
    channel: 'C1',
    task: 'task',
    otherwise: '',
    content: 'guid',
    title: 'Report',
    url: null,
    bundle: '1',
    who: 'Ada',
    via: 'on the server',
    slack_user: null,
    reader: 'U1',
    previous: null,
    only_failures: 0,
    started_time: Date.now(),
  });
  await announcer.idle();
  return onLost.mock.calls.length;
}

test.each([
  ['that the right is gone', async () => false, 1],
  ['nothing, as it is unreachable', () => Promise.reject(away()), 0],
  ['nothing, as the bot’s keyring cannot be read', () => Promise.reject(new Error('keyring')), 0],
  ['that the right is there', async () => true, 0],
])(
  'ends a subscription only if the right is gone; the content server reports %s: %#',
  async (_what, maySee, count) => {
    expect(await endedBy(maySee)).toBe(count);
  },
);
