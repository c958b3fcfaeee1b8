// Covers who gets what of the bot: every command, button, subscription and link for every role. Expected values are
// typed by hand.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Person } from '@pressroom/testkit';
import type { DoubleMessage, DoubleUser } from '@pressroom/testkit/slack';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CLICK_HANDLERS } from '../../../packages/slack/src/commands/clicks.ts';
import { COMMAND_NAMES } from '../../../packages/slack/src/commands/table.ts';
import { makeWorld, publish, startTask, textOf, told, type World } from './world.ts';

/** Relation to content that only named people may see. */
const ROLES = ['owner', 'collaborator', 'viewer', 'stranger', 'administrator', 'unlinked'] as const;
type Role = (typeof ROLES)[number];

/** `+` is answered, `x` refused, `-` not found, `?` offered to link an account. Columns as in ROLES. */
const COMMANDS: Readonly<Record<string, readonly [line: string, expected: string]>> = {
  status: ['status secret', '+ + + - + ?'],
  deploys: ['deploys secret', '+ + + - + ?'],
  deploy: ['deploy secret', '+ + x - + ?'],
  rollback: ['rollback secret', '+ + x - + ?'],
  render: ['render secret', '+ + x - + ?'],
  changes: ['changes secret', '+ + x - + ?'],
  releases: ['releases secret', '+ + x - + ?'],
  approve: ['approve secret', '+ + x - + ?'],
  logs: ['logs secret', '+ + x - + ?'],
  usage: ['usage secret', '+ + x - + ?'],
  who: ['who secret', '+ + + - + ?'],
  requests: ['requests', '+ + + + + ?'],
  subscribe: ['subscribe secret', '+ + + - + ?'],
  unsubscribe: ['unsubscribe secret', '+ + + - + ?'],
  subscriptions: ['subscriptions', '+ + + + + ?'],
  lock: ['lock secret --reason freeze', '+ + x - + ?'],
  unlock: ['unlock secret', '+ + x - + ?'],
  user: ['user publisher1', '+ + + + + ?'],
  audit: ['audit', 'x x x x + ?'],
  help: ['help', '+ + + + + +'],
  link: ['link', '+ + + + + ?'],
  unlink: ['unlink', '+ + + + + +'],
};
/** Buttons of a notice in a channel that all of them can read. */
const BUTTONS: Readonly<Record<string, string>> = {
  'notice:logs': '+ + x x + ?',
  'notice:redeploy': '+ + x x + ?',
  'notice:rollback': '+ + x x + ?',
  'rollback:confirm': '+ + x x + ?',
  'logs:file': '+ + x x + ?',
  lock: 'x x x x + ?',
  'request:grant': '+ + x x + ?',
  'request:collaborate': '+ + x x + ?',
  'request:decline': '+ + x x + ?',
  'step:deploy': '+ + x x + ?',
  'step:cancel': '+ + + + + ?',
  'unused:keep': '+ + x x + ?',
};

let world: World;
let owner: Person;
let bystander: Person;
const users = {} as Record<Role, DoubleUser>;
let guid: string;
let bundles: string[];

async function link(role: Role, person: Person): Promise<void> {
  users[role] = await world.linked(person, role);
}

beforeAll(async () => {
  world = await makeWorld({ rates: false });
  owner = await world.server.person('publisher');
  bystander = await world.server.person('viewer');
  const people = {
    collaborator: await world.server.person('publisher'),
    viewer: await world.server.person('viewer'),
    stranger: await world.server.person('publisher'),
    administrator: await world.server.person('administrator'),
  };
  await link('owner', owner);
  for (const [role, person] of Object.entries(people)) await link(role as Role, person);
  users.unlinked = world.slack.user('unlinked');
  ({ guid, bundles } = await publish(owner, 'secret', 2, { access_type: 'acl' }));
  for (const [person, role] of [
    [people.collaborator, 'owner'],
    [people.viewer, 'viewer'],
  ] as const)
    await owner.call('POST', `/v1/content/${guid}/permissions`, {
      body: { principal_guid: person.guid, principal_type: 'user', role },
    });
  await told(world);
});
afterAll(() => world[Symbol.asyncDispose]());

function kindOf(text: string): string {
  if (text.startsWith('This requires your account')) return '?';
  if (text.startsWith('No content that you can see')) return '-';
  // People who may render learn that a page cannot be rendered (code 39).
  if (text.includes('(code 39)')) return '+';
  return /^:warning: \*.* failed\*|^You do not have permission|^Only (administrators|collaborators)/.test(
    text,
  )
    ? 'x'
    : '+';
}

const expectedOf = (cells: string): Record<string, string> =>
  Object.fromEntries(cells.split(' ').map((cell, i) => [ROLES[i]!, cell]));

test('the tables cover every command and button', () => {
  expect(Object.keys(COMMANDS).toSorted()).toEqual([...COMMAND_NAMES].toSorted());
  expect(Object.keys(BUTTONS)).toEqual(expect.arrayContaining(Object.keys(CLICK_HANDLERS)));
});

test('all other buttons run a command, or ask for the user’s own account', () => {
  const listeners = join(import.meta.dirname, '../../../packages/slack/src/main/listeners');
  const source = ['actions.ts', 'views.ts']
    .map((name) => readFileSync(join(listeners, name), 'utf8'))
    .join('');
  const found = [...source.matchAll(/app\.(?:action|shortcut|view)(?:<[^(]*>)?\((['/][^'/]*['/])/g)].map(
    ([, id]) => id,
  );
  const RUNS_A_COMMAND = ['/^unsubscribe:/', '/^run:/', "'share'", "'pick'", "'status_of_message'"];
  const OWN_ACCOUNT = ["'link'", "'link:browser'", "'open'"];
  // In the table of buttons, as the window and as its confirmation.
  const ROLLBACK = ["'notice:rollback'", "'rollback'"];
  const known = [...RUNS_A_COMMAND, ...OWN_ACCOUNT, ...ROLLBACK];
  expect(new Set(found)).toEqual(new Set(known));
});

describe('Commands by role', () => {
  // The last one, unlink, changes who is linked.
  test.each(Object.entries(COMMANDS).filter(([name]) => name !== 'unlink'))(
    '%s',
    async (_name, [line, cells]) => {
      const seen: Record<string, string> = {};
      const said: string[] = [];
      for (const role of ROLES) {
        const text = textOf(await world.say(users[role], line));
        seen[role] = kindOf(text);
        said.push(`${role}: ${text.slice(0, 150)}`);
      }
      await world.bot.idle();
      expect(seen, said.join('\n')).toEqual(expectedOf(cells));
    },
  );
});

describe('Buttons of a notice by role', () => {
  let notice: DoubleMessage;
  let task: string;
  /** Each press has its own access request, since the first decision closes it. */
  const asked = new Map<string, string>();
  beforeAll(async () => {
    for (const action of ['request:grant', 'request:collaborate', 'request:decline'])
      for (const role of ROLES) {
        // Only publishers can become collaborators.
        const guest = await world.server.person(action === 'request:collaborate' ? 'publisher' : 'viewer');
        const { body } = await guest.call('POST', `/v1/content/${guid}/access-requests`, { body: {} });
        asked.set(`${action} ${role}`, body.id);
      }
    await world.say(users.owner, 'subscribe secret');
    const { body } = await owner.call('POST', `/v1/content/${guid}/deploy`, { body: {} });
    task = body.task_id as string;
    await owner.call('GET', `/v1/tasks/${task}?wait=20`);
    await told(world);
    await world.bot.idle();
    notice = world.slack.inChannel(world.channel).find((message) => textOf(message).includes(task))!;
  });

  /** A forged message with this button. */
  const withButton = (action: string, value: string): DoubleMessage => ({
    ...notice,
    blocks: [{ type: 'actions', elements: [{ type: 'button', action_id: action, value }] }],
  });
  const noticeId = () => (notice.metadata as { event_payload: { notice: string } }).event_payload.notice;
  const valueOf = (action: string, role: Role): string => {
    if (action === 'logs:file') return task;
    if (action === 'rollback:confirm') return `rollback:by-${role}:${guid}:${bundles[0]}`;
    if (action.startsWith('request:')) return `access ${guid} ${asked.get(`${action} ${role}`)} listed`;
    if (action === 'unused:keep') return guid;
    if (action.startsWith('step:')) return `Fx-${action}-${role} ${guid}`;
    return action === 'lock' ? `lock ${bystander.guid}` : noticeId();
  };

  test.each(Object.entries(BUTTONS))('%s', async (action, cells) => {
    const seen: Record<string, string> = {};
    const said: string[] = [];
    for (const role of ROLES) {
      const user = users[role];
      const where = world.slack.space;
      const shown = () => {
        const modal = where.modals.findLast((item) => item.user === user.id);
        const whisper = world.slack.whispers(user, world.channel).at(-1);
        return {
          modal: modal && textOf(modal.view as never),
          whisper: whisper?.ts,
          text: whisper && textOf(whisper),
        };
      };
      const before = shown();
      await world.slack.click(user, withButton(action, valueOf(action, role)), action);
      const text = await world.slack.until(() => {
        const now = shown();
        if (now.whisper !== before.whisper) return now.text;
        return now.modal !== before.modal && !now.modal?.includes('Looking for') ? now.modal : null;
      });
      seen[role] = kindOf(text);
      said.push(`${role}: ${text.slice(0, 150)}`);
      await world.bot.idle();
    }
    expect(seen, said.join('\n')).toEqual(expectedOf(cells));
  });
});

test('a subscription shows what its subscriber may see; a restricted link never unfolds', async () => {
  const channels = {} as Record<Role, string>;
  for (const role of ROLES) {
    channels[role] = world.slack.channel(`of-${role}`);
    const line = role === 'administrator' ? 'subscribe secret' : 'subscribe --all';
    await world.slack.command(users[role], channels[role], line);
    await world.slack.until(() => world.slack.whispers(users[role], channels[role])[0]);
    await world.slack.event({
      type: 'link_shared',
      user: users[role].id,
      channel: channels[role],
      message_ts: '1.2',
      links: [{ domain: '127.0.0.1', url: `${world.server.url}/content/${guid}/` }],
    });
  }
  const task = await startTask(world, owner, guid);
  task.log('only for collaborators');
  await told(world);
  await task.end('broken');
  await world.bot.idle();
  const seen = ROLES.map((role) => {
    const [message] = world.slack.inChannel(channels[role]);
    if (message === undefined) return '-';
    const withLog = world.slack.thread(channels[role], message.ts).some(({ files }) => files !== undefined);
    return withLog ? '+' : 'x';
  });
  // `+` with the output, `x` with the outcome only, `-` no message.
  expect(seen.join(' ')).toBe('+ + x - + -');
  expect(world.slack.space.unfurls).toEqual([]);
});

test('unlink works for every role', async () => {
  for (const role of ROLES) expect(kindOf(textOf(await world.say(users[role], 'unlink'))), role).toBe('+');
  for (const role of ROLES)
    expect(kindOf(textOf(await world.say(users[role], 'status secret'))), role).toBe('?');
});
