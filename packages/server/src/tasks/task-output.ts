// The output of a task: lines collected and written some at a time, with bounds to their length and number.

/** Lines collected before they are written; a pause in the output writes what there is. */
const LINES_AT_ONCE = 200;
/** Characters of a line. */
const LINE_LENGTH = 8192;
const LINES_KEPT = 100_000;

export interface TaskOutput {
  write(text: string): void;
  /** Does more once the lines so far are written, before the next ones. @param work is told how many there are */
  after(work: (lines: number) => Promise<void>): void;
  flush(): Promise<void>;
}

/** Collects lines and appends them in order, one batch at a time. @param before lines that are there already */
export function createOutput(
  append: (from: number, lines: string[]) => Promise<void>,
  before = 0,
): TaskOutput {
  let waiting: string[] = [];
  let count = before;
  let writing = Promise.resolve();
  let scheduled = false;
  const drain = () => {
    scheduled = false;
    const lines = waiting.splice(0, waiting.length);
    if (lines.length === 0) return;
    const from = count;
    count += lines.length;
    for (let i = 0; i < lines.length; i += LINES_AT_ONCE) {
      const batch = lines.slice(i, i + LINES_AT_ONCE);
      writing = writing.then(() => append(from + i, batch));
    }
    // A failure shows when the output is flushed; until then it must not count as unhandled.
    writing.catch(() => undefined);
  };
  return {
    write(text) {
      for (const line of text.split(/\r?\n/)) {
        const total = count + waiting.length;
        if (total > LINES_KEPT) return;
        waiting.push(
          total === LINES_KEPT
            ? '(more output was dropped)'
            : line.slice(0, LINE_LENGTH).replaceAll('\0', ''),
        );
      }
      if (scheduled) return;
      scheduled = true;
      setImmediate(drain);
    },
    after(work) {
      drain();
      const lines = count;
      writing = writing.then(() => work(lines));
      writing.catch(() => undefined);
    },
    flush() {
      drain();
      return writing;
    },
  };
}
