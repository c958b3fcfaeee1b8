// People: somebody's account as the asker may see it, linking one's own.
import type { BrowserCode, ContentItem, Group, User } from '@pressroom/api';
import type { KnownBlock, ModalView } from '@slack/types';
import {
  actions,
  button,
  context,
  fields,
  header,
  section,
  shareButton,
  table,
  type Message,
} from '../../blocks/blocks.ts';
import { titleOf } from '../status/blocks.ts';
import { fit, fitModal } from '../../blocks/fit.ts';
import { count, inline, line, link, moment } from '../../blocks/text.ts';

export interface Person {
  readonly user: User;
  /** Null where the asker may not look. */
  readonly groups: readonly Group[] | null;
  readonly owned: readonly ContentItem[];
  readonly mayLock: boolean;
}

export function fullName(user: Pick<User, 'first_name' | 'last_name' | 'username'>): string {
  const name = `${user.first_name} ${user.last_name}`.trim();
  return name === '' ? user.username : `${name} (${user.username})`;
}

export function personMessage({ user, groups, owned, mayLock }: Person, share: string): Message {
  const content = owned.slice(0, 20).map((item) => link(item.url, titleOf(item), 60));
  const verb = user.locked ? 'Unlock' : 'Lock';
  const confirm = {
    title: `${verb} this account?`,
    text: user.locked
      ? `*${inline(fullName(user))}* can sign in and use keys again.`
      : `*${inline(fullName(user))}* can neither sign in nor use keys, until somebody unlocks the account.`,
    yes: verb,
  };
  return fit({
    text: inline(fullName(user)),
    blocks: [
      header(line(fullName(user))),
      fields([
        ['Role', inline(user.user_role)],
        ['Account', user.locked ? ':lock: locked' : 'open'],
        ['Last active', moment(user.active_time)],
        ['E-mail', user.email === '' ? 'not shown to you' : inline(user.email)],
        [
          'Groups',
          groups === null
            ? 'not shown to you'
            : groups.length === 0
              ? 'none'
              : inline(groups.map(({ name }) => name).join(', '), 400),
        ],
        ['Since', moment(user.created_time)],
      ]),
      section(
        owned.length === 0
          ? 'You can see no content of theirs.'
          : `*Content* (${owned.length}): ${content.join(', ')}`,
      ),
      actions(
        ...(mayLock
          ? [
              button('lock', verb, `${user.locked ? 'unlock' : 'lock'} ${user.guid}`, {
                style: user.locked ? 'primary' : 'danger',
                confirm,
              }),
            ]
          : []),
        shareButton(share),
      ),
    ],
  });
}

export function peopleMessage(words: string, users: readonly User[]): Message {
  const rows = users.map((user) => [
    line(fullName(user), 100),
    user.user_role,
    user.locked ? 'locked' : 'open',
  ]);
  const buttons = users
    .slice(0, 5)
    .map((user, i) => button(`run:${i}`, line(user.username, 75), `user ${user.username}`));
  return fit({
    text: `${count(users.length, 'account')} fit ${inline(words)}`,
    blocks: [
      section(
        users.length === 0
          ? `You can see no account that fits *${inline(words)}*.`
          : `${count(users.length, 'account')} fit *${inline(words)}*`,
      ),
      ...(rows.length === 0 ? [] : [table([['Name', 'Role', 'Account'], ...rows]), actions(...buttons)]),
    ],
  });
}

/** Asks for an API key. */
export function linkModal(server: string, metadata: string): ModalView {
  return fitModal({
    type: 'modal',
    callback_id: 'link',
    private_metadata: metadata,
    title: { type: 'plain_text', text: 'Link your account' },
    submit: { type: 'plain_text', text: 'Link' },
    close: { type: 'plain_text', text: 'Cancel' },
    blocks: [
      section(
        `Everything you ask for here is done as *you*, with your rights on ${link(server, server)}. Make an API key there and paste it.`,
      ),
      {
        type: 'input',
        block_id: 'key',
        label: { type: 'plain_text', text: 'API key' },
        hint: {
          type: 'plain_text',
          text: 'It is kept encrypted and never shown. /pressroom unlink forgets it.',
        },
        element: { type: 'plain_text_input', action_id: 'key', max_length: 512 },
      },
    ],
  });
}

/** @param pending the line that waits. @param why in place of the usual words. */
export function linkNeeded(pending: string, why?: string): Message {
  const words = 'That needs your account on the content server. Link it once; then this goes on by itself.';
  return fit({
    text: 'Link your account first',
    blocks: [section(why ?? words), linkButtons(pending)],
  });
}

/** Both ways to link. */
export function linkButtons(pending: string): KnownBlock {
  return actions(
    button('link:browser', 'Sign in in the browser', pending, { style: 'primary' }),
    button('link', 'Link with an API key', pending),
  );
}

/** Where to go, and the code to compare there. */
export function browserLinkMessage(server: string, code: BrowserCode): Message {
  return fit({
    text: 'Sign in in the browser to link your account',
    blocks: [
      section(
        `Sign in on ${link(server, server)} and allow it there if the page shows the code *${inline(code.user_code)}*. Then everything you ask for here is done as *you*.`,
      ),
      actions(button('open', 'Open the page', '', { style: 'primary', url: code.verification_uri_complete })),
      context(
        'Good once, for ten minutes, and for you alone: whoever allows it lets your Slack account act in their name.',
      ),
    ],
  });
}
