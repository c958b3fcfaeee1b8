// Messages of `who`.
import type { ContentItem } from '@pressroom/api/client';
import { actions, context, fields, header, shareButton, table, type Message } from '../../blocks/blocks.ts';
import { fit } from '../../blocks/fit.ts';
import { accessOf, labelOf, titleOf } from '../../blocks/names.ts';
import { inline, line } from '../../blocks/text.ts';
import type { Texts } from '../../texts/en.ts';
import { whoTexts } from './texts.ts';

export interface ContentAccess {
  readonly content: ContentItem;
  readonly owner: string | null;
  readonly people: readonly { readonly name: string; readonly access: string }[];
  /** Number of people and groups not listed. */
  readonly more: number;
  /** False if the invoker may not read the list. */
  readonly complete: boolean;
}

export function whoMessage(
  { content, owner, people, more, complete }: ContentAccess,
  share: string,
  texts: Texts,
): Message {
  const { words } = texts;
  const isCollaborator = content.role === 'owner' || content.role === 'editor';
  const rows = people.map(({ name, access }) => [line(name, 100), line(access, 40)]);
  return fit({
    text: whoTexts(texts).title(inline(titleOf(content))),
    blocks: [
      header(line(titleOf(content))),
      fields([
        [words.owner, owner === null ? words.notVisible : inline(owner)],
        [words.visibleTo, inline(accessOf(content, texts))],
        [words.yourRole, inline(labelOf(texts.contentRoles, content.role))],
      ]),
      ...(rows.length > 0 ? [table([[words.personOrGroup, words.access], ...rows])] : []),
      ...(more > 0 ? [context(whoTexts(texts).more(more))] : []),
      ...(complete
        ? []
        : [context(isCollaborator ? whoTexts(texts).noList : whoTexts(texts).onlyCollaborators)]),
      actions(shareButton(share, texts)),
    ],
  });
}
