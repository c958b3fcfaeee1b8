// The output of a task: lines collected and written some at a time, with bounds to their length and number.

/** Lines collected before they are written; a pause in the output writes what there is. */
const LINES_AT_ONCE = 200;
/** Characters of a line. */
const LINE_LENGTH = 8192;
const LINES_KEPT = 100_000;
/** Characters of all lines: who reads them gets them in one answer. */
const CHARACTERS_KEPT = 16 * 2 ** 20;

export interface TaskOutput {
  write(text: string): void;
  /** How many lines there are so far. */
  lines(): number;
  /** Has what goes with the lines written, though there may be none. */
  touch(): void;
  flush(): Promise<void>;
}

/**
 * Collects lines and appends them in order, one batch at a time: while one is written, the next is collected.
 * @param before lines that are there already
 */
export function createOutput(
  append: (from: number, lines: string[]) => Promise<void>,
  before = 0,
): TaskOutput {
  const waiting: string[] = [];
  let count = before;
  let characters = 0;
  let isFull = before > LINES_KEPT;
  let isTouched = false;
  let isScheduled = false;
  let writing = Promise.resolve();

  async function drain(): Promise<void> {
    while (waiting.length > 0 || isTouched) {
      isTouched = false;
      const lines = waiting.splice(0, LINES_AT_ONCE);
      const from = count;
      count += lines.length;
      await append(from, lines);
    }
  }

  function begin(): void {
    isScheduled = false;
    writing = writing.then(drain);
    // A failure shows when the output is flushed; until then it must not count as unhandled.
    writing.catch(() => undefined);
  }

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(begin);
  }

  return {
    write(text) {
      for (const line of text.split(/\r?\n/)) {
        if (isFull) return;
        const kept = line.slice(0, LINE_LENGTH).replaceAll('\0', '');
        characters += kept.length;
        isFull = count + waiting.length === LINES_KEPT || characters > CHARACTERS_KEPT;
        waiting.push(isFull ? '(more output was dropped)' : kept);
      }
      schedule();
    },
    lines: () => count + waiting.length,
    touch() {
      isTouched = true;
      schedule();
    },
    flush() {
      begin();
      return writing;
    },
  };
}
