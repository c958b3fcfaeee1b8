// Finds the cause of a failure in task output as it arrives.
import { diagnose } from '../diagnose/diagnose.ts';
import { localPath } from '../diagnose/problem.ts';
import type { Cause, LogEvent } from './deploy-events.ts';

/** Maximum lines kept: the cause is near the end. */
const MAX_LINES = 5000;

/**
 * Takes lines in order; `found` is the line with the cause, as found by `diagnose`.
 * @param files paths of the bundle, which the cause is placed in.
 */
export function createCauseFinder(files: readonly string[] = []) {
  const events: LogEvent[] = [];
  return {
    look(event: LogEvent): void {
      events.push(event);
      if (events.length > 2 * MAX_LINES) events.splice(0, MAX_LINES);
    },
    /** With a remedy, if the output suggests one. */
    get found(): { event: Cause; hint: string | undefined } | null {
      const diagnosis = diagnose(events.map(({ line }) => line));
      if (diagnosis === null) return null;
      const event = events[diagnosis.index]!;
      const { file: remote, at, cell } = diagnosis;
      const file = remote === undefined ? undefined : localPath(remote, files);
      // R prints a long message on the line below.
      const whole = event.line.trimEnd().endsWith(':') ? diagnosis.line : event.line;
      const line = remote === undefined || file === undefined ? whole : whole.replaceAll(remote, file);
      const place = { ...(file !== undefined && { file, at }), ...(cell !== undefined && { cell }) };
      return { event: { ...event, line, ...place }, hint: diagnosis.hint };
    },
  };
}
