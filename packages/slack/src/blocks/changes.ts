// Differences of two bundles: manifest facts, and files with added and removed lines.
import type { ArchiveChanges, FileChange } from '@pressroom/api/publish';
import type { Texts } from '../texts/en.ts';
import { context, section, type AnyBlock } from './blocks.ts';
import { inline } from './text.ts';

export type ShownChanges = Pick<ArchiveChanges, 'facts' | 'more'> & {
  readonly files: readonly Pick<FileChange, 'path' | 'change' | 'counts'>[];
};

const SHOWN = 30;
const SIGNS = { added: '➕', removed: '➖', changed: '✏️' } as const;

/** @returns also `sum`, such as `3 files, +10 −2 lines` */
export function changesBlocks(
  { facts, files, more }: ShownChanges,
  texts: Texts,
): { readonly sum: string; readonly blocks: readonly AnyBlock[] } {
  const words = texts.changes;
  const known = files.flatMap(({ counts }) => counts ?? []);
  const added = known.reduce((sum, counts) => sum + counts.added, 0);
  const removed = known.reduce((sum, counts) => sum + counts.removed, 0);
  const sum = files.length === 0 ? words.same : words.sum(files.length + more, added, removed);
  const said = facts
    .slice(0, SHOWN)
    .map(({ what, before, after }) => `${fact(what, words)}: ${value(before)} → ${value(after)}`);
  if (facts.length > SHOWN) said.push(`… +${facts.length - SHOWN}`);
  const rows = files
    .slice(0, SHOWN)
    .map(
      ({ path, change, counts }) =>
        `${SIGNS[change]} ${inline(path, 80)}${counts === null ? '' : ` +${counts.added} −${counts.removed}`}`,
    );
  const left = Math.max(0, files.length - SHOWN) + more;
  return {
    sum,
    blocks: [
      ...(said.length === 0 ? [] : [section(said.join('\n'))]),
      ...(rows.length === 0 ? [] : [section(rows.join('\n'))]),
      ...(left > 0 ? [context(words.more(left))] : []),
    ],
  };
}

const value = (text: string | null) => (text === null ? '–' : inline(text, 80));

function fact(what: string, words: Texts['changes']): string {
  const name = /^R package (.*)$/s.exec(what)?.[1];
  if (name !== undefined) return words.rPackage(inline(name, 80));
  return what === 'type' ? words.type : what === 'main file' ? words.mainFile : inline(what, 80);
}
