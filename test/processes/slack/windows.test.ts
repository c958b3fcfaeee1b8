// Covers Slack's documented errors of the methods for windows and previews: the person gets what they asked for, once.
import type { Person } from '@pressroom/testkit';
import type { DoubleMessage, DoubleUser } from '@pressroom/testkit/slack';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { showPreviews } from '../../../packages/slack/src/home/home.ts';
import { fillRollback } from '../../../packages/slack/src/main/listeners/windows.ts';
import { en } from '../../../packages/slack/src/texts/en.ts';
import { makeWorld, publish, textOf, type World } from './world.ts';

/** Errors of any method (docs.slack.dev/reference/methods). */
const COMMON = `access_denied account_inactive ekm_access_denied enterprise_is_restricted invalid_auth missing_scope
no_permission not_allowed_token_type not_authed org_login_required token_expired token_revoked
two_factor_setup_required accesslimited fatal_error internal_error invalid_arg_name invalid_arguments invalid_charset
invalid_form_data invalid_post_type ratelimited request_timeout service_unavailable team_added_to_org html
an_error_of_tomorrow`;
const OWN = {
  'views.open': `duplicate_external_id exchanged_trigger_id expired_trigger_id invalid_trigger_id trigger_exchanged
trigger_expired view_too_large`,
  'views.update': 'duplicate_external_id hash_conflict not_found view_too_large',
  'chat.unfurl': `cannot_auth_user cannot_find_channel cannot_find_message cannot_find_service cannot_parse_attachment
cannot_prompt cannot_unfurl_message cannot_unfurl_url channel_not_found invalid_blocks invalid_unfurls_format
missing_channel missing_source missing_ts missing_unfurl_id missing_unfurls`,
} as const;
type Method = keyof typeof OWN;
const wordsOf = (method: Method) => [...new Set(`${COMMON} ${OWN[method]}`.split(/\s+/))];
/** Permanent errors: a retry cannot help. */
const OVER =
  `missing_scope no_permission not_allowed_token_type invalid_arguments view_too_large channel_not_found
invalid_blocks`.split(/\s+/);

let world: World;
let person: Person;
let user: DoubleUser;
let deployed: DoubleMessage;
let guid: string;
let next = 0;
beforeAll(async () => {
  world = await makeWorld({ rates: false });
  person = await world.server.person('publisher');
  user = await world.linked(person);
  ({ guid } = await publish(person, 'report', 2));
  await world.say(user, 'deploy report');
  await world.bot.idle();
  deployed = world.slack.inChannel(world.channel)[0]!;
});
afterAll(() => world[Symbol.asyncDispose]());

/** Runs `work` with these errors. Returns what the person saw, in windows and messages. */
async function failing(method: Method, words: readonly string[], work: () => Promise<unknown>) {
  const { space, faults } = world.slack;
  const before = world.slack.whispers(user, world.channel).length;
  space.modals.length = 0;
  faults.words[method] = [...words];
  await work();
  await world.bot.idle();
  faults.words[method] = [];
  return {
    windows: space.modals.map(({ view }) => JSON.stringify(view)),
    messages: world.slack.whispers(user, world.channel).slice(before).map(textOf),
  };
}
/** No waiting for Slack to recover. */
const wait = async () => undefined;

describe('views.open errors of the rollback window', () => {
  test.each(wordsOf('views.open'))('%s', async (word) => {
    const click = () => world.press(user, deployed, 'notice:rollback');
    const { windows, messages } = await failing('views.open', [word], click);
    expect(windows).toEqual([]);
    expect(messages).toEqual([expect.stringMatching(/Roll back \*?.*report/)]);
  });
});

test('a window for an API key that failed to open is offered again', async () => {
  const stranger = world.slack.user('stranger');
  const offer = await world.say(stranger, 'status report');
  world.slack.faults.words['views.open'] = ['internal_error'];
  const again = await world.press(stranger, offer, 'link');
  expect(textOf(again)).toContain('Slack did not open the window');
  await world.slack.click(stranger, again, 'link');
  const opened = await world.slack.until(() => world.slack.space.modals.at(-1));
  expect(opened).toMatchObject({ user: stranger.id, view: { callback_id: 'link' } });
});

describe('views.update errors of the rollback window', () => {
  test.each(wordsOf('views.update'))('%s', async (word) => {
    const { services } = world.bot;
    const { team } = world.slack.space;
    next += 1;
    const id = `V-of-the-test-${next}`;
    const invoker = { team, user: user.id, name: user.name, channel: world.channel };
    const { event_payload: mark } = deployed.metadata as { event_payload: { notice: string } };
    const { windows, messages } = await failing('views.update', [word, word], async () => {
      world.slack.space.modals.push({ id, user: user.id, view: { blocks: [] } });
      const window = { id, invoker, notice: mark.notice, responseUrl: null, texts: en };
      await fillRollback(services, await services.slack.client(team), window, wait);
    });
    const isOver = OVER.includes(word);
    expect(windows).toEqual([
      isOver ? expect.any(String) : expect.stringContaining('"callback_id":"rollback"'),
    ]);
    expect(messages).toEqual(isOver ? [expect.stringMatching(/Roll back \*?.*report/)] : []);
  });
});

describe('chat.unfurl errors of the link preview', () => {
  test.each(wordsOf('chat.unfurl'))('%s', async (word) => {
    const { services } = world.bot;
    const { team, unfurls } = world.slack.space;
    unfurls.length = 0;
    await person.call('PATCH', `/v1/content/${guid}`, { body: { access_type: 'logged_in' } });
    const invoker = { team, user: user.id, name: user.name, channel: world.channel };
    const links = [`${world.server.url}/content/${guid}/`];
    const { messages } = await failing('chat.unfurl', [word, word], () =>
      showPreviews(
        services,
        invoker,
        { channel: world.channel, ts: '1.2', hasOutsiders: false, links },
        wait,
      ),
    );
    // Once or not at all, and without a message to the person.
    expect(unfurls).toHaveLength(OVER.includes(word) ? 0 : 1);
    expect(messages).toEqual([]);
  });
});
