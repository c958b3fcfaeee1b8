// Restarts an application and reports failed starts as a deploy does.
import { type ApiError, errors } from '@pressroom/api/contract';
import { diagnose } from '@pressroom/api/publish';
import type { ContentRow } from '../content/store.ts';
import type { Applications } from '../runtime/applications.ts';
import { ClosedForStarts, Unavailable } from '../runtime/unavailable.ts';
import { Drained } from '../tasks/hand-over.ts';
import { FAILED } from '../tasks/take-over.ts';

/** Lines of a process's start-up output that are examined. */
export const LINES_EXAMINED = 10_000;

/**
 * @param stopElsewhere resolves once no other server runs it
 * @param signal aborted when nobody waits for the result
 * @throws ApiError 1 if it does not start, or may not: then the running processes stay.
 */
export async function restartApplication(
  applications: Applications,
  content: ContentRow,
  stopElsewhere: () => Promise<void>,
  print: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  if (applications.isClosed) throw startFailure(new ClosedForStarts(), []);
  const printed: string[] = [];
  try {
    const note = (line: string) => {
      if (printed.length < LINES_EXAMINED) printed.push(line);
      print(line);
    };
    await applications.restart(content, stopElsewhere(), note, signal);
  } catch (error) {
    throw error instanceof Unavailable ? startFailure(error, printed) : error;
  }
}

export function startFailure(error: Unavailable, printed: readonly string[]): ApiError {
  const cause = diagnose(printed)?.line ?? (error.cause as Error | undefined)?.message ?? error.message;
  const options = { message: `the content does not start: ${cause}`, cause: error };
  return error instanceof ClosedForStarts ? new Drained(FAILED, options) : errors.internal(options);
}
