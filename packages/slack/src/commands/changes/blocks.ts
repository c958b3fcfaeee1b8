// What `changes` shows.
import type { FactChange, FileChange } from '@pressroom/api/publish';
import { actions, context, section, shareButton, type Message } from '../../blocks/blocks.ts';
import { fit } from '../../blocks/fit.ts';
import { inline } from '../../blocks/text.ts';
import type { Texts } from '../../texts/en.ts';

export interface Changes {
  readonly title: string;
  /** Bundles. */
  readonly from: string;
  readonly to: string;
  /** What the manifest says. */
  readonly facts: readonly FactChange[];
  readonly files: readonly Pick<FileChange, 'path' | 'change' | 'counts'>[];
  /** Changed files that are not listed. */
  readonly more: number;
}

const SHOWN = 30;
const SIGNS = { added: '➕', removed: '➖', changed: '✏️' } as const;

export function changesMessage(changes: Changes, share: string, texts: Texts): Message {
  const { title, from, to, facts, files, more } = changes;
  const words = texts.changes;
  const known = files.flatMap(({ counts }) => counts ?? []);
  const added = known.reduce((sum, counts) => sum + counts.added, 0);
  const removed = known.reduce((sum, counts) => sum + counts.removed, 0);
  const sum = files.length === 0 ? words.same : words.sum(files.length + more, added, removed);
  const said = facts
    .slice(0, SHOWN)
    .map(({ what, before, after }) => `${fact(what, words)}: ${value(before)} → ${value(after)}`);
  const rows = files
    .slice(0, SHOWN)
    .map(
      ({ path, change, counts }) =>
        `${SIGNS[change]} ${inline(path, 80)}${counts === null ? '' : ` +${counts.added} −${counts.removed}`}`,
    );
  const left = Math.max(0, files.length - SHOWN) + more;
  return fit({
    text: words.title(inline(title), sum),
    blocks: [
      section(words.headline(inline(title), inline(from), inline(to), sum)),
      ...(said.length === 0 ? [] : [section(said.join('\n'))]),
      ...(rows.length === 0 ? [] : [section(rows.join('\n'))]),
      ...(left > 0 ? [context(words.more(left))] : []),
      actions(shareButton(share, texts)),
    ],
  });
}

const value = (text: string | null) => (text === null ? '–' : inline(text, 80));

function fact(what: string, words: Texts['changes']): string {
  const name = /^R package (.*)$/s.exec(what)?.[1];
  if (name !== undefined) return words.rPackage(inline(name, 80));
  return what === 'type' ? words.type : what === 'main file' ? words.mainFile : inline(what, 80);
}
