// Slack's documented errors of every method that a deploy needs, each at its call: the message ends right, once.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type ClientClock, systemClock } from '@pressroom/api/client';
import { startSlackDouble, type SlackDouble } from '@pressroom/testkit/slack';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { en } from '../texts/en.ts';
import { openBotStore, type BotStore } from '../store/open-bot-store.ts';
import { createAnnouncer, type Announcer } from './announcer.ts';
import { clientOptions, createSlackPort } from './slack-port.ts';

/** Of any method (api.slack.com/methods). */
const COMMON = `access_denied account_inactive ekm_access_denied enterprise_is_restricted invalid_auth is_bot
method_deprecated missing_scope no_permission not_allowed_token_type not_authed org_login_required token_expired
token_revoked two_factor_setup_required accesslimited fatal_error internal_error invalid_arg_name invalid_arguments
invalid_array_arg invalid_charset invalid_form_data invalid_post_type missing_post_type ratelimited request_timeout
service_unavailable team_added_to_org`.split(/\s+/);
const OF_METHOD: Readonly<Record<string, string>> = {
  'chat.postMessage': `as_user_not_supported channel_not_found duplicate_channel_not_found duplicate_message_not_found
ekm_access_denied invalid_blocks invalid_blocks_format invalid_metadata_format invalid_metadata_schema is_archived
markdown_text_conflict message_limit_exceeded messages_tab_disabled metadata_must_be_sent_from_app
metadata_too_large msg_blocks_too_long msg_too_long no_text not_in_channel rate_limited restricted_action
restricted_action_non_threadable_channel restricted_action_read_only_channel restricted_action_thread_locked
restricted_action_thread_only_channel slack_connect_canvas_sharing_blocked slack_connect_file_link_sharing_blocked
team_access_not_granted too_many_attachments too_many_contact_cards cannot_reply_to_message`,
  'chat.update': `as_user_not_supported block_mismatch cant_broadcast_message cant_update_message channel_not_found
edit_window_closed external_channel_migrating file_share_limit_reached invalid_attachments invalid_blocks
invalid_metadata_format is_inactive markdown_text_conflict message_not_found msg_blocks_too_long msg_too_long no_text
not_in_channel rate_limited slack_connect_file_link_sharing_blocked streaming_state_conflict too_many_attachments
update_failed`,
  'files.getUploadURLExternal':
    'file_upload_size_restricted missing_argument unknown_snippet_type unknown_subtype',
  'files.completeUploadExternal': `channel_not_found file_not_found file_update_failed invalid_channel posting_to_channel_denied
post_message_failed`,
  // Whether a file is there whose upload got no answer.
  'conversations.replies': 'channel_not_found thread_not_found invalid_cursor not_in_channel',
};
const CASES = Object.entries(OF_METHOD).flatMap(([method, own]) =>
  [...new Set([...COMMON, ...own.split(/\s+/), 'html', 'an_error_of_tomorrow'])].map((word) => ({
    method,
    word,
  })),
);
/** Slack says that there is nothing to post to, or to edit: no retry can help. */
const OVER = {
  'chat.postMessage': ['channel_not_found', 'is_archived', 'not_in_channel'],
  'chat.update': [
    'cant_update_message',
    'channel_not_found',
    'edit_window_closed',
    'is_inactive',
    'message_not_found',
    'not_in_channel',
  ],
} as Readonly<Record<string, readonly string[]>>;

/** Waits are shorter by this: an hour of retries takes seconds. */
const FASTER = 300;

let slack: SlackDouble;
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
  slack = await startSlackDouble({ rates: false });
  store = await openBotStore(join(directory, 's.sqlite'), `k:${randomBytes(32).toString('base64')}`, now);
  announcer = createAnnouncer({
    store,
    slack: createSlackPort(async () => slack.botToken, clientOptions(slack.apiUrl)),
    readerOf: ({ channel }) => ({
      isHidden: false,
      maySee: async () => true,
      times: async () => null,
      outcome: async () => null,
      async getTask({ id, first = 0 }) {
        // It ends once its message stands there, or has been refused for a while.
        for (let i = 0; i < 8 && slack.inChannel(channel).length === 0; i += 1) await setTimeout(5);
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
    // Enough for all: the time here runs too fast for its minutes.
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

const shown = (message: unknown) => JSON.stringify(message);

describe.each(Object.keys(OF_METHOD))('%s', (name) => {
  const outcomes = /^(files|conversations)/.test(name)
    ? (['failed'] as const)
    : (['live', 'failed'] as const);
  const cases = CASES.filter(({ method }) => method === name).flatMap((one) =>
    outcomes.map((outcome) => ({ ...one, outcome })),
  );
  test.each(cases)('$word, $outcome', async ({ method, word, outcome }) => {
    const channel = slack.channel(word);
    slack.faults.words[method] = [word, word];
    if (method === 'conversations.replies')
      slack.faults.words['files.completeUploadExternal'] = ['internal_error'];
    const before = slack.space.calls.length;
    const { team } = slack.space;
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
    slack.faults.words[method] = [];
    expect(slack.space.calls.slice(before).map((call) => call.method)).toContain(method);
    const messages = slack.inChannel(channel);
    const isOver = OVER[method]?.includes(word) === true;
    const isPosted = !(isOver && method === 'chat.postMessage');
    expect(await store.notices.open()).toEqual([]);
    expect(messages).toHaveLength(isPosted ? 1 : 0);
    for (const message of messages) {
      const thread = slack.thread(channel, message.ts);
      const results = thread.filter(({ files }) => files === undefined);
      const files = thread.length - results.length;
      const end = outcome === 'live' ? 'is live' : 'failed to deploy';
      // A success is its message alone; what cannot be edited any more is told in its thread.
      const isTold = outcome === 'failed' || (isOver && method === 'chat.update');
      expect(results.map((reply) => shown(reply))).toEqual(isTold ? [expect.stringContaining(end)] : []);
      if (!isOver) expect(shown(message)).toContain(end);
      expect(files).toBeLessThanOrEqual(outcome === 'live' ? 0 : 1);
    }
  });
});
