// Splits output into lines within limits: long lines are cut, floods are counted and dropped.
import { StringDecoder } from 'node:string_decoder';

export interface LineSplitter {
  write(chunk: Buffer): void;
  /** Passes on an unterminated last line. */
  end(): void;
}

const LINE_LENGTH = 8192;
/** Bytes of output processed per second; beyond, they are only counted. */
const BYTES_PER_SECOND = 2 * 2 ** 20;
/** Lines per second: each costs more than its bytes, and output must not delay visitors of other content. */
const LINES_PER_SECOND = 10_000;
/** Of a flood, the last bytes and lines are kept: the reason of a failure is at the end. */
const TAIL_BYTES = 8192;
const TAIL_LINES = 50;
/** Where lines are missing. */
const GAP = '…';

export function createLineSplitter(emit: (line: string) => void, now: () => number = Date.now): LineSplitter {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let second = 0;
  let seen = { bytes: 0, lines: 0 };
  let dropped = 0;
  let tail: Buffer[] = [];
  let tailBytes = 0;

  /** Keeps up to twice the tail: to cut it at each chunk would cost more than the chunk. */
  function drop(chunk: Buffer): void {
    dropped += chunk.length;
    tail.push(chunk);
    tailBytes += chunk.length;
    if (tailBytes > 2 * TAIL_BYTES) cutTail();
  }

  function cutTail(): Buffer {
    const last = Buffer.concat(tail).subarray(-TAIL_BYTES);
    [tail, tailBytes] = [[last], last.length];
    return last;
  }

  function take(text: string): void {
    const lines = (rest + text).split('\n');
    rest = (lines.pop() ?? '').slice(0, LINE_LENGTH);
    const left = Math.max(0, LINES_PER_SECOND - seen.lines);
    seen.lines += lines.length;
    for (const line of lines.slice(0, left)) emit(tidy(line));
    if (lines.length <= left) return;
    drop(Buffer.from([...lines.slice(left), rest].join('\n')));
    rest = '';
  }

  function reportDropped(isEnd: boolean): void {
    if (dropped === 0) return;
    if (rest !== '') emit(tidy(rest));
    decoder.end();
    // The first one is cut.
    const [, ...last] = decoder.write(cutTail()).split('\n');
    rest = isEnd ? '' : (last.pop() ?? '');
    const kept = last.filter((line) => line.trim() !== '').slice(-TAIL_LINES);
    if (kept.length > 0) emit(GAP);
    for (const line of kept) emit(tidy(line));
    const bytes = kept.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, Buffer.byteLength(rest));
    emit(
      `(${dropped - bytes} bytes of output were dropped: more than ${BYTES_PER_SECOND}, or ${LINES_PER_SECOND} lines, in a second)`,
    );
    dropped = 0;
    [tail, tailBytes] = [[], 0];
  }

  return {
    write(chunk) {
      const current = Math.floor(now() / 1000);
      if (current !== second) {
        second = current;
        seen = { bytes: 0, lines: 0 };
        reportDropped(false);
      }
      seen.bytes += chunk.length;
      if (seen.bytes > BYTES_PER_SECOND || seen.lines > LINES_PER_SECOND) drop(chunk);
      else take(decoder.write(chunk));
    },
    end() {
      reportDropped(true);
      take(decoder.end());
      if (rest !== '') emit(tidy(rest));
      rest = '';
    },
  };
}

/** A carriage return restarts the line, as on a terminal. */
function tidy(line: string): string {
  const text = line.trimEnd();
  return text.slice(text.lastIndexOf('\r') + 1).slice(0, LINE_LENGTH);
}
