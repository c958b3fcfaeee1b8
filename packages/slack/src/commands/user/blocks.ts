// Messages of `user`: one account, or several that match.
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
import { fullName, labelOf, titleOf } from '../../blocks/names.ts';
import { inline, line, link, moment } from '../../blocks/text.ts';
import type { Texts } from '../../texts/en.ts';
import type { FoundPeople } from '../shared/find-people.ts';
import { userTexts } from './texts.ts';

export interface Person {
  readonly user: User;
  /** Null if the invoker may not see them. */
  readonly groups: readonly Group[] | null;
  readonly owned: readonly ContentItem[];
  readonly mayLock: boolean;
}

export function personMessage(
  { user, groups, owned, mayLock }: Person,
  share: string,
  texts: Texts,
): Message {
  const { words, buttons } = texts;
  const content = owned.slice(0, 20).map((item) => link(item.url, titleOf(item), 60));
  const verb = user.locked ? buttons.unlock : buttons.lock;
  const confirm = {
    title: user.locked ? userTexts(texts).unlockTitle : userTexts(texts).lockTitle,
    text: user.locked
      ? userTexts(texts).unlockText(inline(fullName(user)))
      : userTexts(texts).lockText(inline(fullName(user))),
    yes: verb,
    no: buttons.cancel,
  };
  return fit({
    text: inline(fullName(user)),
    blocks: [
      header(line(fullName(user))),
      fields([
        [words.role, inline(labelOf(texts.roles, user.user_role))],
        [words.account, user.locked ? `:lock: ${words.locked}` : words.active],
        [words.lastActive, user.active_time === null ? words.never : moment(user.active_time)],
        [words.email, !user.email ? words.notVisible : inline(user.email)],
        [
          words.groups,
          groups === null
            ? words.notVisible
            : groups.length === 0
              ? words.none
              : inline(groups.map(({ name }) => name).join(', '), 400),
        ],
        [words.created, moment(user.created_time)],
      ]),
      section(
        owned.length === 0
          ? userTexts(texts).noContent
          : userTexts(texts).content(owned.length, content.join(', '), owned.length - content.length),
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
        shareButton(share, texts),
      ),
    ],
  });
}

export function peopleMessage({ words, found, total }: FoundPeople, texts: Texts): Message {
  const labels = texts.words;
  const rows = found.map((user) => [
    line(fullName(user), 100),
    line(labelOf(texts.roles, user.user_role), 40),
    user.locked ? labels.locked : labels.active,
  ]);
  const buttons = found
    .slice(0, 5)
    .map((user, i) => button(`run:${i}`, line(user.username, 75), `user ${user.username}`));
  return fit({
    text: userTexts(texts).matches(total, inline(words)),
    blocks: [
      section(
        found.length === 0
          ? userTexts(texts).noMatch(inline(words))
          : userTexts(texts).matches(total, `*${inline(words)}*`),
      ),
      ...(rows.length === 0
        ? []
        : [table([[labels.name, labels.role, labels.account], ...rows]), actions(...buttons)]),
    ],
  });
}
