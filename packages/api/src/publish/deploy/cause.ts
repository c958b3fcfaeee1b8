// Finds the line of a task's output that says why it failed, while the output comes in.
import type { LogEvent } from './deploy-events.ts';
import { diagnose } from '../diagnose/diagnose.ts';

/** Lines that are kept: what ended a task stands near its end. */
const MOST_LINES = 5000;

/** Feed it the lines in order; `found` is the one that has the cause, as `diagnose` finds it. */
export function createCauseFinder() {
  const events: LogEvent[] = [];
  return {
    look(event: LogEvent): void {
      events.push(event);
      if (events.length > 2 * MOST_LINES) events.splice(0, MOST_LINES);
    },
    get found(): LogEvent | null {
      const diagnosis = diagnose(events.map(({ line }) => line));
      return diagnosis && events[diagnosis.index]!;
    },
  };
}
