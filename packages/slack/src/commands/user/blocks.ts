// What `user` shows: one account, or several that match.
import type { ContentItem } from '@pressroom/api/client';
import type { Group, User } from '@pressroom/api/contract';
import {
  actions,
  button,
  fields,
  header,
  section,
  shareButton,
  table,
  type Message,
} from '../../blocks/blocks.ts';
import { fit } from '../../blocks/fit.ts';
import { fullName, titleOf } from '../../blocks/names.ts';
import { count, inline, line, link, moment } from '../../blocks/text.ts';

export interface Person {
  readonly user: User;
  /** Null where the asker may not see them. */
  readonly groups: readonly Group[] | null;
  readonly owned: readonly ContentItem[];
  readonly mayLock: boolean;
}

export function personMessage({ user, groups, owned, mayLock }: Person, share: string): Message {
  const content = owned.slice(0, 20).map((item) => link(item.url, titleOf(item), 60));
  const verb = user.locked ? 'Unlock' : 'Lock';
  const confirm = {
    title: `${verb} this account?`,
    text: user.locked
      ? `*${inline(fullName(user))}* will be able to sign in and use API keys again.`
      : `*${inline(fullName(user))}* will not be able to sign in or use API keys until the account is unlocked.`,
    yes: verb,
  };
  return fit({
    text: inline(fullName(user)),
    blocks: [
      header(line(fullName(user))),
      fields([
        ['Role', inline(user.user_role)],
        ['Account', user.locked ? ':lock: Locked' : 'Active'],
        ['Last active', moment(user.active_time)],
        ['Email', user.email === '' ? 'not visible to you' : inline(user.email)],
        [
          'Groups',
          groups === null
            ? 'not visible to you'
            : groups.length === 0
              ? 'None'
              : inline(groups.map(({ name }) => name).join(', '), 400),
        ],
        ['Created', moment(user.created_time)],
      ]),
      section(
        owned.length === 0
          ? 'No content that you can see.'
          : `*Content* (${owned.length}): ${content.join(', ')}${owned.length > content.length ? `, and ${owned.length - content.length} more` : ''}`,
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
    user.locked ? 'Locked' : 'Active',
  ]);
  const buttons = users
    .slice(0, 5)
    .map((user, i) => button(`run:${i}`, line(user.username, 75), `user ${user.username}`));
  return fit({
    text: `${count(users.length, 'account')} match ${inline(words)}`,
    blocks: [
      section(
        users.length === 0
          ? `No account that you can see matches *${inline(words)}*.`
          : `${count(users.length, 'account')} match *${inline(words)}*`,
      ),
      ...(rows.length === 0 ? [] : [table([['Name', 'Role', 'Account'], ...rows]), actions(...buttons)]),
    ],
  });
}
