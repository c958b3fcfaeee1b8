// Finds the line of a task's output that says why it failed.
import type { LogEvent } from './deploy-events.ts';

const LOOKS_LIKE_CAUSE = [
  /^\s*(error\b|fatal\b|traceback\b|exception\b|panic\b|execution halted)/i,
  /\berror (in|while|:)|: error:|\bcannot\b|\bfailed\b|\bnot found\b|\bno such file\b/i,
  /\b[A-Z]\w*(Error|Exception)\b/,
];
/** Characters of a line that are looked at. */
const LONGEST_LINE = 2000;
/** The words that only announce a cause: the line after them is better, but they are better than nothing. */
const ANNOUNCES = /^\s*(traceback\b|execution halted)/i;

/** Feed it the lines in order; `found` is the first that looks like the cause. */
export function createCauseFinder() {
  let announced: LogEvent | null = null;
  let found: LogEvent | null = null;
  return {
    look(event: LogEvent): void {
      if (
        found !== null ||
        !LOOKS_LIKE_CAUSE.some((pattern) => pattern.test(event.line.slice(0, LONGEST_LINE)))
      )
        return;
      if (ANNOUNCES.test(event.line)) announced ??= event;
      else found = event;
    },
    get found(): LogEvent | null {
      return found ?? announced;
    },
  };
}
