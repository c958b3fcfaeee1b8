// Covers Slack's documented errors of the methods for responses, windows and waiting messages: the person gets one
// response. documented-errors.test.ts covers deploys.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ClientClock, systemClock } from '@pressroom/api/client';
import { startSlackDouble, type DoubleUser, type SlackDouble } from '@pressroom/testkit/slack';
import * as webApi from '@slack/web-api';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { note } from '../../blocks/notes.ts';
import { execute } from '../../commands/execute.ts';
import { publishHome } from '../../home/home.ts';
import type { ContentClients } from '../../link/content-clients.ts';
import type { BotConfig } from '../../main/config.ts';
import { createAuthorizer } from '../../main/install/authorize.ts';
import type { Services } from '../../services.ts';
import { openBotStore, type BotStore } from '../../store/open-bot-store.ts';
import { createLanguages } from '../../texts/languages.ts';
import { createAlerts } from '../alerts/alerts.ts';
import { DIRECT } from './direct.ts';
import { slackFailure } from './slack-failure.ts';
import { clientOptions, createSlackPort } from './slack-port.ts';

/** Errors of any method (docs.slack.dev/reference/methods). */
const COMMON = `access_denied account_inactive ekm_access_denied enterprise_is_restricted invalid_auth missing_scope
no_permission not_allowed_token_type not_authed org_login_required token_expired token_revoked
two_factor_setup_required accesslimited fatal_error internal_error invalid_arg_name invalid_arguments invalid_charset
invalid_form_data invalid_post_type ratelimited request_timeout service_unavailable team_added_to_org html
an_error_of_tomorrow`;
const OWN = {
  'chat.postEphemeral': `channel_not_found is_archived msg_too_long no_text restricted_action too_many_attachments
user_not_in_channel invalid_blocks invalid_blocks_format not_in_channel`,
  'users.info': 'user_not_found user_not_visible',
  'conversations.open': `channel_not_found user_disabled user_not_found user_not_visible users_list_not_supplied
not_enough_users too_many_users cannot_dm_bot`,
  'conversations.info': 'channel_not_found',
  'conversations.history':
    'channel_not_found not_in_channel invalid_cursor invalid_ts_latest invalid_ts_oldest',
  'conversations.replies': 'channel_not_found thread_not_found invalid_cursor',
  'conversations.join': 'channel_not_found is_archived method_not_supported_for_channel_type',
  'views.publish': 'duplicate_external_id hash_conflict not_enabled not_found view_too_large invalid_user_id',
  'auth.test': 'team_access_not_granted',
} as const;
type Method = keyof typeof OWN;
const wordsOf = (method: Method) => [...new Set(`${COMMON} ${OWN[method]}`.split(/\s+/))];

/** Waits are 300 times shorter. The clock starts behind the double's, and overtakes it only after 2.4 hours. */
const at = Date.now();
const AHEAD = 30 * 24 * 3_600_000;
const clock: ClientClock = {
  ...systemClock,
  now: () => at - AHEAD + (Date.now() - at) * 300,
  sleep: (milliseconds, signal) => sleep(milliseconds / 300, undefined, signal && { signal }),
};
const wait = (milliseconds: number) => sleep(milliseconds / 300);

let slack: SlackDouble;
let store: BotStore;
let services: Services;
let directory: string;
let next = 0;
let user: DoubleUser;
let channel: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pressroom-slack-responses-'));
  slack = await startSlackDouble({ rates: false });
  store = await openBotStore(
    join(directory, 's.sqlite'),
    `k:${randomBytes(32).toString('base64')}`,
    clock.now,
  );
  const port = createSlackPort(async () => slack.botToken, clientOptions(slack.apiUrl));
  const log = pino({ level: 'silent' });
  const clients = {
    server: 'https://content.example.com',
    ofLink: async () => null,
  } as unknown as ContentClients;
  const languages = createLanguages({ slack: port, store, usual: 'de', now: clock.now });
  const alerts = createAlerts({ store, slack: port, clients, languages, clock, log });
  const known = { store, slack: port, clients, languages, alerts, log, now: clock.now };
  services = { ...known, command: '/pressroom', unlinked: [] } as unknown as Services;
});
afterAll(async () => {
  await services.alerts[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  await slack[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

/** Runs `work` for a new user in a new channel; Slack answers `method` twice with this error. */
async function failing(method: Method | null, word: string, work: () => Promise<unknown>): Promise<void> {
  next += 1;
  user = slack.user(`person${next}`);
  channel = slack.channel(`channel${next}`);
  if (method !== null) slack.faults.words[method] = [word, word];
  try {
    await work();
  } finally {
    if (method !== null) slack.faults.words[method] = [];
    slack.faults.responses = [];
  }
}
const invokerIn = (where: string) => ({
  team: slack.space.team,
  user: user.id,
  name: user.name,
  channel: where,
});
/** Returns everything that the person can read. */
const read = () => [
  ...slack.whispers(user, channel),
  ...slack.space.messages.filter((message) => message.channel === `D${user.id}`),
];

describe('Ephemeral response when chat.postEphemeral fails', () => {
  test.each(wordsOf('chat.postEphemeral'))('is sent once after %s', async (word) => {
    await failing('chat.postEphemeral', word, () =>
      execute(services, { line: 'help', invoker: invokerIn(channel), responseUrl: null, wait }),
    );
    expect(read()).toHaveLength(1);
  });
});

describe('Response in direct messages when conversations.open fails', () => {
  test.each(wordsOf('conversations.open'))('is sent once after %s', async (word) => {
    await failing('conversations.open', word, () =>
      execute(services, { line: 'help', invoker: invokerIn(''), responseUrl: null, wait }),
    );
    expect(read()).toHaveLength(1);
  });
});

describe('Response when its response_url fails', () => {
  test.each([400, 401, 403, 404, 410, 429, 500, 502, 503])('is sent once after %i', async (status) => {
    await failing(null, '', async () => {
      slack.connect('http://127.0.0.1:9/');
      slack.faults.responses = [status, status];
      const responseUrl = `${slack.url}/response/none`;
      await execute(services, { line: 'help', invoker: invokerIn(channel), responseUrl, wait });
    });
    expect(read()).toHaveLength(1);
  });
});

describe('Language and time zone of a person when users.info fails', () => {
  test.each(wordsOf('users.info'))('are those of the bot after %s', async (word) => {
    await failing('users.info', word, () =>
      execute(services, { line: 'help', invoker: invokerIn(channel), responseUrl: null, wait }),
    );
    // In the bot's language.
    expect(JSON.stringify(read())).toContain('Befehle');
    expect(read()).toHaveLength(1);
  });
});

describe('Right to post in a channel when conversations.info fails', () => {
  test.each(wordsOf('conversations.info'))('is denied only after channel_not_found: %s', async (word) => {
    let can: boolean | null = null;
    await failing('conversations.info', word, async () => {
      can = await services.slack.canPost(slack.space.team, channel);
    });
    // Other errors show when the message is posted.
    expect(can).toBe(word !== 'channel_not_found');
  });
});

describe('Home tab when views.publish fails', () => {
  const over = [
    'invalid_arguments',
    'missing_scope',
    'no_permission',
    'not_allowed_token_type',
    'view_too_large',
  ];
  test.each(wordsOf('views.publish'))(
    'is published again unless the error is permanent: %s',
    async (word) => {
      let failed: unknown = null;
      await failing('views.publish', word, () =>
        publishHome(services, invokerIn(''), wait).catch((error: unknown) => (failed = error)),
      );
      // After a permanent error, the tab is published when it is opened again; after others, now.
      const isOver = over.includes(word);
      expect(failed === null).toBe(!isOver);
      if (isOver) expect(slackFailure(failed).kind).toBe('refused');
      else expect(JSON.stringify(slack.space.homes.get(user.id))).toContain('link:browser');
    },
  );
});

describe('Queued message', () => {
  const send = async (place: string) => {
    const id = `alert:${next}`;
    await services.alerts.send({
      id,
      team: slack.space.team,
      channel: place,
      reader: null,
      content: null,
      message: note('A process crashed'),
    });
    await services.alerts.idle();
  };

  test.each(wordsOf('conversations.open'))(
    'is sent once or given up after conversations.open: %s',
    async (word) => {
      await failing('conversations.open', word, () => send(`${DIRECT}${user.id}`));
      const isOver = ['gone', 'refused'].includes(kindOf(word));
      expect(read()).toHaveLength(isOver ? 0 : 1);
      expect(await store.outbox.nextDue()).toBeNull();
    },
  );

  test.each(['conversations.history', 'conversations.join'] as const)(
    'is looked up when the response to its post was lost: %s',
    async (method) => {
      for (const word of wordsOf(method).filter((one) => !['gone', 'refused'].includes(kindOf(one)))) {
        await failing(method, word, async () => {
          slack.faults.deaf = 1;
          slack.faults.outside = method === 'conversations.join';
          await send(channel);
        });
        slack.faults.outside = false;
        expect(slack.inChannel(channel), word).toHaveLength(1);
        expect(await store.outbox.nextDue()).toBeNull();
      }
    },
  );

  test.each(['conversations.history', 'conversations.join'] as const)(
    'is sent when the bot may not look it up: %s',
    async (method) => {
      for (const word of wordsOf(method).filter((one) => kindOf(one) === 'refused')) {
        await failing(method, word, async () => {
          slack.faults.words['chat.postMessage'] = ['internal_error'];
          slack.faults.outside = method === 'conversations.join';
          await send(channel);
        });
        slack.faults.outside = false;
        expect(slack.inChannel(channel), word).toHaveLength(1);
        expect(await store.outbox.nextDue()).toBeNull();
      }
    },
  );
});

describe('Release message', () => {
  const key = () => ({ team: slack.space.team, channel, content: 'c', bundle: '7' });
  const step = (id: string, what: 'asked' | 'approved' | 'live') => ({
    id,
    what,
    who: 'Ada',
    time: 1 + id.length,
    reason: null,
    reason_code: null,
    reason_detail: null,
    draft_task: null,
  });
  const tell = async (id: string, what: 'asked' | 'approved' | 'live', thread: string | null = null) => {
    await store.releases.add({ ...key(), title: 'Report', url: null, thread }, step(id, what));
    await services.alerts.send({
      id: `${id}:${channel}`,
      team: slack.space.team,
      channel,
      reader: user.id,
      content: null,
      message: { release: key() },
    });
    await services.alerts.idle();
  };

  test.each(['update_failed', 'ratelimited', 'internal_error', 'token_revoked', 'invalid_blocks', 'html'])(
    'is one message in its final state after chat.update: %s',
    async (word) => {
      await failing(null, '', async () => {
        await tell('a', 'asked');
        await tell('ab', 'approved');
        slack.faults.words['chat.update'] = [word];
        await tell('abc', 'live');
        slack.faults.words['chat.update'] = [];
      });
      const all = slack.inChannel(channel);
      expect(all).toHaveLength(1);
      expect(JSON.stringify(all)).toContain('ist live');
    },
  );

  const looks = (['conversations.history', 'conversations.replies'] as const).flatMap((method) =>
    wordsOf(method).map((word) => ({ method, word })),
  );
  test.each(looks)('is posted once after $method: $word', async ({ method, word }) => {
    let parent: string | null = null;
    await failing(method, word, async () => {
      const { team } = slack.space;
      if (method === 'conversations.replies')
        parent = await services.slack.post({ team, channel, message: note('A deploy') });
      // Where the bot cannot look for the message, a lost response would lead to a second post.
      slack.faults.deaf = ['gone', 'refused'].includes(kindOf(word)) ? 0 : 1;
      slack.faults.words['chat.postMessage'] = ['internal_error'];
      await tell('a', 'asked', parent);
      slack.faults.words['chat.postMessage'] = [];
    });
    const isOver = kindOf(word) === 'gone' && word !== 'thread_not_found';
    const all = [...slack.inChannel(channel), ...(parent === null ? [] : slack.thread(channel, parent))];
    const told = new Map(all.map((message) => [message.ts, JSON.stringify(message)]));
    expect([...told.values()].filter((text) => text.includes('wartet auf Freigabe'))).toHaveLength(
      isOver ? 0 : 1,
    );
    expect(await store.outbox.nextDue()).toBeNull();
  });
});

describe('Identity of the bot when auth.test fails', () => {
  test.each(wordsOf('auth.test'))('is requested again after %s', async (word) => {
    const config = { slack: { kind: 'token', token: slack.botToken } } as BotConfig;
    const authorizer = createAuthorizer(config, store, clientOptions(slack.apiUrl));
    await failing('auth.test', word, async () => {
      const source = { isEnterpriseInstall: false, teamId: 'T', enterpriseId: undefined } as never;
      // A request is authorized anyway, and the next one asks again.
      expect((await authorizer.authorize(source)).botToken).toBe(slack.botToken);
      await authorizer.onlyTeam().catch(() => undefined);
      await authorizer.onlyTeam().catch(() => undefined);
      expect(await authorizer.onlyTeam()).toBe(slack.space.team);
    });
  });
});

/** Returns how the bot classifies an error; "down" for an HTML page. */
function kindOf(word: string): string {
  if (word === 'html') return 'down';
  const { WebAPIPlatformError } = webApi;
  return slackFailure(new WebAPIPlatformError({ ok: false, error: word } as never)).kind;
}
