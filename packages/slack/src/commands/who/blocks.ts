// What `who` shows.
import type { ContentItem } from '@pressroom/api/client';
import { actions, context, fields, header, shareButton, table, type Message } from '../../blocks/blocks.ts';
import { fit } from '../../blocks/fit.ts';
import { accessOf, titleOf } from '../../blocks/names.ts';
import { inline, line } from '../../blocks/text.ts';

export interface ContentAccess {
  readonly content: ContentItem;
  readonly owner: string | null;
  readonly people: readonly { readonly name: string; readonly access: string }[];
  /** How many people and groups are not among them. */
  readonly more: number;
  /** False when the asker may not read the list. */
  readonly complete: boolean;
}

export function whoMessage(
  { content, owner, people, more, complete }: ContentAccess,
  share: string,
): Message {
  const rows = people.map(({ name, access }) => [line(name, 100), line(access, 40)]);
  return fit({
    text: `Access to ${inline(titleOf(content))}`,
    blocks: [
      header(line(titleOf(content))),
      fields([
        ['Owner', owner === null ? 'not visible to you' : inline(owner)],
        ['Visible to', inline(accessOf(content))],
        ['Your role', inline(content.role)],
      ]),
      ...(rows.length > 0 ? [table([['Person or group', 'Access'], ...rows])] : []),
      ...(more > 0 ? [context(`And ${more} more. The dashboard lists all of them.`)] : []),
      ...(complete ? [] : [context('Only collaborators can see the list of people and groups.')]),
      actions(shareButton(share)),
    ],
  });
}
