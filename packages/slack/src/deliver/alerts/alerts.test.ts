import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import type { ContentClients } from '../../link/content-clients.ts';
import { createKeyring } from '../../store/keyring.ts';
import { openStore } from '../../store/store.ts';
import type { Languages } from '../../texts/languages.ts';
import { SlackFailure } from '../transport/slack-failure.ts';
import type { Posting, SlackPort } from '../transport/slack-port.ts';
import { createAlerts } from './alerts.ts';

/** Creates alerts with a Slack that fails with these errors in turn, then accepts. */
async function world(...failures: SlackFailure[]) {
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-alerts-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const store = await openStore(
    join(directory, 'bot.sqlite'),
    createKeyring(`a:${randomBytes(32).toString('base64')}`),
  );
  onTestFinished(() => store[Symbol.asyncDispose]());
  const posts: Posting['message'][] = [];
  const slack: Partial<SlackPort> = {
    async post({ message }) {
      posts.push(message);
      const failure = failures.shift();
      if (failure) throw failure;
      return '1.000001';
    },
    findPosted: async () => null,
  };
  const logged: string[] = [];
  const alerts = createAlerts({
    store,
    slack: slack as SlackPort,
    clients: { ofLink: async () => null } as Partial<ContentClients> as ContentClients,
    languages: {} as Languages,
    clock: {
      now: Date.now,
      random: () => 0.5,
      sleep: (ms, signal) => sleep(Math.min(ms, 1), undefined, { signal }),
    },
    log: pino({ level: 'warn' }, { write: (line) => void logged.push(line) }),
  });
  onTestFinished(() => alerts[Symbol.asyncDispose]());
  const send = () =>
    alerts.send({ id: 'crash:1', team: 'T1', channel: 'C1', reader: null, content: null, message });
  return { alerts, store, posts, send, logged };
}

const message = {
  text: 'A process of sales crashed',
  blocks: [{ type: 'section' as const, text: { type: 'mrkdwn' as const, text: 'crashed' } }],
};

test('posts the text of blocks that Slack rejects', async () => {
  const { alerts, posts, send } = await world(new SlackFailure('refused', 'invalid_blocks'));
  await send();
  await alerts.idle();
  expect(posts).toHaveLength(2);
  expect(posts[0]).toEqual(message);
  expect(posts[1]!.text).toContain(message.text);
  expect(posts[1]).not.toEqual(message);
});

test('gives up a message that Slack also rejects as text', async () => {
  const refused = new SlackFailure('refused', 'restricted_action');
  const { alerts, posts, send } = await world(refused, refused);
  await send();
  await alerts.idle();
  expect(posts).toHaveLength(2);
});

test('waits as long as a busy Slack asks', async () => {
  const { alerts, store, posts, send } = await world(new SlackFailure('busy', 'ratelimited', 60_000));
  await send();
  alerts.look();
  await expect.poll(() => store.outbox.nextDue()).toBeGreaterThan(Date.now() + 50_000);
  expect(posts).toHaveLength(1);
});

test('posts a message once, however often it is added', async () => {
  const { alerts, posts, send } = await world();
  await Promise.all([send(), send()]);
  await send();
  await alerts.idle();
  expect(posts).toEqual([message]);
});

test('a database that is gone while a slow message is posted does not end the bot', async () => {
  const { alerts, store, logged } = await world();
  const gone = async () => {
    throw new Error('the database is gone');
  };
  Object.assign(store.outbox, { finish: gone, retry: gone });
  const content = { guid: 'g', title: 'sales', url: null };
  const rendering = { content, variant: 'default', time: 0 };
  await alerts.send({
    id: 'rendered:1',
    team: 'T1',
    channel: 'C1',
    reader: 'U1',
    content: null,
    message: { rendering },
  });
  await expect.poll(() => logged.join()).toContain('the database is gone');
});
