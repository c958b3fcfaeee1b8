// The output of a task: lines are batched, and limited in length and number. Of too much, the first and the last are
// kept.

/** Maximum lines of a batch; a pause in the output writes earlier. */
const LINES_AT_ONCE = 200;
/** Maximum characters of a line. */
const LINE_LENGTH = 8192;
const LINES_KEPT = 100_000;
/** Maximum characters of these lines: readers get them in one response. */
const CHARACTERS_KEPT = 16 * 2 ** 20;
/** Of what is beyond, the last lines and characters are written at the end: they hold the reason of a failure. */
const LAST_LINES = 1000;
const LAST_CHARACTERS = 2 ** 20;
const FULL = '(too much output: its last lines follow when the task ends)';

export interface TaskOutput {
  write(text: string): void;
  /** Number of lines so far. */
  lines(): number;
  /** Writes what belongs to the lines, even if there are none. */
  touch(): void;
  /** To be called at the end: writes all that is left. */
  flush(): Promise<void>;
}

/**
 * Appends lines in order, one batch at a time: while one is written, the next is collected.
 * @param before number of existing lines
 */
export function createOutput(
  append: (from: number, lines: string[]) => Promise<void>,
  before = 0,
): TaskOutput {
  const waiting: string[] = [];
  const last: string[] = [];
  let lastCharacters = 0;
  let leftOut = 0;
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
    // The failure surfaces at the flush; until then it must not count as unhandled.
    writing.catch(() => undefined);
  }

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(begin);
  }

  function add(line: string): void {
    if (!isFull) {
      characters += line.length;
      isFull = count + waiting.length === LINES_KEPT || characters > CHARACTERS_KEPT;
      waiting.push(isFull ? FULL : line);
    }
    if (isFull) keepLast(line);
  }

  function keepLast(line: string): void {
    last.push(line);
    lastCharacters += line.length;
    while (last.length > LAST_LINES || lastCharacters > LAST_CHARACTERS) {
      lastCharacters -= last.shift()?.length ?? 0;
      leftOut += 1;
    }
  }

  return {
    write(text) {
      for (const line of text.split(/\r?\n/)) add(line.slice(0, LINE_LENGTH).replaceAll('\0', ''));
      schedule();
    },
    lines: () => count + waiting.length,
    touch() {
      isTouched = true;
      schedule();
    },
    flush() {
      if (leftOut > 0) waiting.push(`(${leftOut} lines are left out here)`);
      waiting.push(...last.splice(0));
      [lastCharacters, leftOut] = [0, 0];
      begin();
      return writing;
    },
  };
}
