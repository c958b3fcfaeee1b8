// Finds texts of an archive that are not UTF-8 while it is extracted.
import type { ArchiveEntry } from './entry-rules.ts';
import type { EntrySink } from './tar-reader.ts';

export interface EncodingCheck extends EntrySink {
  begin(entry: Pick<ArchiveEntry, 'path' | 'type'>): void;
  data(piece: Buffer): void;
  finish(): void;
  /** Paths of the texts that are not UTF-8, in the order of the archive; no more than a list for people has. */
  readonly found: readonly string[];
}

const MAX_FOUND = 20;
/** Browsers read these as UTF-16 if they begin with its mark, whatever the header says. */
const MARKED = /\.(?:html?|txt)$/i;
const MARKS = ['fffe', 'feff'];

/** @param texts paths of the files that should be UTF-8 */
export function createEncodingCheck(texts: RegExp): EncodingCheck {
  const found: string[] = [];
  let path = '';
  let isFirst = true;
  /** Null for a file that is no text, or is known not to be UTF-8. */
  let decoder: InstanceType<typeof TextDecoder> | null = null;

  function check(piece?: Buffer): void {
    if (isFirst && MARKED.test(path) && MARKS.includes(piece?.toString('hex', 0, 2) ?? '')) decoder = null;
    isFirst = false;
    if (decoder === null) return;
    try {
      // UTF-16 of English words without a byte order mark is valid UTF-8 with zeros.
      if (piece?.includes(0) !== true) {
        decoder.decode(piece, { stream: piece !== undefined });
        return;
      }
    } catch {
      // Not UTF-8.
    }
    decoder = null;
    found.push(path);
  }

  return {
    found,
    begin(entry) {
      path = entry.path;
      isFirst = true;
      const isText = entry.type === 'file' && found.length < MAX_FOUND && texts.test(path);
      decoder = isText ? new TextDecoder('utf-8', { fatal: true }) : null;
    },
    data: check,
    finish: () => check(),
  };
}
