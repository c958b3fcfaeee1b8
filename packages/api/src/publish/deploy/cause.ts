// Finds the cause of a failure in the output of a task while it is received.
import type { LogEvent } from './deploy-events.ts';
import { diagnose } from '../diagnose/diagnose.ts';

/** Number of lines that are kept: the cause is near the end. */
const MOST_LINES = 5000;

/** Feed it the lines in order; `found` is the one that has the cause, as `diagnose` finds it. */
export function createCauseFinder() {
  const events: LogEvent[] = [];
  return {
    look(event: LogEvent): void {
      events.push(event);
      if (events.length > 2 * MOST_LINES) events.splice(0, MOST_LINES);
    },
    /** With what to do about it, where the output says so. */
    get found(): { event: LogEvent; hint: string | undefined } | null {
      const diagnosis = diagnose(events.map(({ line }) => line));
      return diagnosis && { event: events[diagnosis.index]!, hint: diagnosis.hint };
    },
  };
}
