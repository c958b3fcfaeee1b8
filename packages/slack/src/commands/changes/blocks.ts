// Messages of `changes`.
import { actions, section, shareButton, type Message } from '../../blocks/blocks.ts';
import { changesBlocks, type ShownChanges } from '../../blocks/changes.ts';
import { fit } from '../../blocks/fit.ts';
import { inline } from '../../blocks/text.ts';
import type { Texts } from '../../texts/en.ts';

export interface Changes extends ShownChanges {
  readonly title: string;
  /** Bundle ids. */
  readonly from: string;
  readonly to: string;
}

export function changesMessage(changes: Changes, share: string, texts: Texts): Message {
  const { title, from, to } = changes;
  const words = texts.changes;
  const { sum, blocks } = changesBlocks(changes, texts);
  return fit({
    text: words.title(inline(title), sum),
    blocks: [
      section(words.headline(inline(title), inline(from), inline(to), sum)),
      ...blocks,
      actions(shareButton(share, texts)),
    ],
  });
}
