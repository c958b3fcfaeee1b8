// Finds the line of a task's output that says why it failed.
import type { LogEvent } from './deploy-events.ts';

const LOOKS_LIKE_CAUSE =
  /^\s*(error\b|fatal\b|traceback\b|exception\b|panic\b|execution halted)|\b[A-Z]\w*(Error|Exception)\b:?|\berror (in|while|:)|: error:|\bcannot\b|\bfailed\b|not found\b|no such file/i;
/** The words that only announce a cause: the line after them is better, but they are better than nothing. */
const ANNOUNCES = /^\s*(traceback\b|execution halted)/i;

/** Feed it the lines in order; `found` is the first that looks like the cause. */
export function createCauseFinder() {
  let announced: LogEvent | null = null;
  let found: LogEvent | null = null;
  return {
    look(event: LogEvent): void {
      if (found !== null || !LOOKS_LIKE_CAUSE.test(event.line.slice(0, 2000))) return;
      if (ANNOUNCES.test(event.line)) announced ??= event;
      else found = event;
    },
    get found(): LogEvent | null {
      return found ?? announced;
    },
  };
}
