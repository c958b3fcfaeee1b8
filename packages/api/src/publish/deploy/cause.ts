// Finds the cause of a failure in task output as it arrives.
import type { LogEvent } from './deploy-events.ts';
import { diagnose } from '../diagnose/diagnose.ts';

/** Maximum lines kept: the cause is near the end. */
const MAX_LINES = 5000;

/** Takes lines in order; `found` is the line with the cause, as found by `diagnose`. */
export function createCauseFinder() {
  const events: LogEvent[] = [];
  return {
    look(event: LogEvent): void {
      events.push(event);
      if (events.length > 2 * MAX_LINES) events.splice(0, MAX_LINES);
    },
    /** With a remedy, if the output suggests one. */
    get found(): { event: LogEvent; hint: string | undefined } | null {
      const diagnosis = diagnose(events.map(({ line }) => line));
      return diagnosis && { event: events[diagnosis.index]!, hint: diagnosis.hint };
    },
  };
}
