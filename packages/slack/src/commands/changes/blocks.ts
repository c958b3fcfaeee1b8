// What `changes` shows.
import { actions, context, section, shareButton, type Message } from '../../blocks/blocks.ts';
import { fit } from '../../blocks/fit.ts';
import { count, inline } from '../../blocks/text.ts';
import type { LineCounts } from './line-counts.ts';

export interface ChangedFile {
  readonly path: string;
  readonly kind: 'added' | 'removed' | 'changed';
  /** Null for files that are no text, or too large. */
  readonly lines: LineCounts | null;
}

export interface Changes {
  readonly title: string;
  /** Bundles. */
  readonly from: string;
  readonly to: string;
  readonly files: readonly ChangedFile[];
}

const SHOWN = 30;
const SIGNS = { added: '➕', removed: '➖', changed: '✏️' } as const;

export function changesMessage({ title, from, to, files }: Changes, share: string): Message {
  const known = files.flatMap(({ lines }) => lines ?? []);
  const added = known.reduce((sum, lines) => sum + lines.added, 0);
  const removed = known.reduce((sum, lines) => sum + lines.removed, 0);
  const sum =
    files.length === 0
      ? 'no file differs'
      : `${count(files.length, 'file')}, +${added} −${removed} ${added + removed === 1 ? 'line' : 'lines'}`;
  const rows = files
    .slice(0, SHOWN)
    .map(
      ({ path, kind, lines }) =>
        `${SIGNS[kind]} ${inline(path, 80)}${lines === null ? '' : ` +${lines.added} −${lines.removed}`}`,
    );
  return fit({
    text: `Changes of ${inline(title)}: ${sum}`,
    blocks: [
      section(`*${inline(title)}*, bundle ${inline(from)} → ${inline(to)}: ${sum}`),
      ...(rows.length === 0 ? [] : [section(rows.join('\n'))]),
      ...(files.length > SHOWN ? [context(`… and ${count(files.length - SHOWN, 'more file')}`)] : []),
      actions(shareButton(share)),
    ],
  });
}
