// Messages of a dry run of `subscribe`.
import { section, table, type Message } from '../../blocks/blocks.ts';
import { fit } from '../../blocks/fit.ts';
import { inline, line } from '../../blocks/text.ts';
import type { Texts } from '../../texts/en.ts';
import { filterWords } from '../shared/filter-words.ts';

export interface DryRunEntry {
  readonly time: string;
  readonly text: string;
  /** Why it would not have been posted; null if it would. */
  readonly held: string | null;
}

export function dryRunMessage(
  title: string,
  filters: readonly string[],
  entries: readonly DryRunEntry[],
  texts: Texts,
): Message {
  const { words, subscribe } = texts;
  const posted = entries.filter(({ held }) => held === null).length;
  const rows = entries.map(({ time, text, held }) => [
    { time },
    line(text, 120),
    line(held ?? subscribe.posted, 60),
  ]);
  return fit({
    text: subscribe.dryRun(posted, inline(title)),
    blocks: [
      section(subscribe.dryRunHeadline(inline(title), inline(filterWords(filters, texts)), posted)),
      ...(rows.length === 0 ? [] : [table([[words.time, words.event, words.result], ...rows])]),
    ],
  });
}
