// What follows when a process of an application ends: its job is closed, and a crash is told.
import type { Logger } from 'pino';
import type { Job } from '../jobs/jobs.ts';
import type { Clock } from '../platform/clock.ts';
import type { Ending, Launched } from './sandbox/launcher.ts';
import type { StartedFor } from './started-for.ts';

export interface Crash {
  readonly contentGuid: string;
  readonly bundleId: number;
  /** Key of its job. */
  readonly key: string;
  readonly ending: Ending;
  /** Microseconds. */
  readonly time: number;
  /** Whether it is not of the active deploy. */
  readonly isDraft: boolean;
}

/** What has become of a process. */
export interface Run {
  readonly isForked: boolean;
  hasListened: boolean;
  /** False once it was stopped. */
  isWanted: boolean;
}

interface Parts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly onCrash?: ((crash: Crash) => Promise<void>) | undefined;
}

interface Followed {
  readonly job: Job;
  readonly launched: Launched;
  readonly bundleId: number;
  readonly note: (line: string) => void;
  /** Called once the end is recorded. */
  readonly onEnd: () => void;
}

/** Settles when all of it is done. */
export function followProcess(
  { clock, log, onCrash }: Parts,
  entry: StartedFor,
  { job, launched, bundleId, note, onEnd }: Followed,
  run: Run,
): Promise<void> {
  // The state at that moment: a failed trial is over before the job is closed.
  const ended = launched.ended.then((ending) => ({
    ending,
    isCrash:
      run.isWanted &&
      !entry.onTrial &&
      ending.code !== 0 &&
      // By the container engine: no fault of the content.
      !ending.isLost &&
      (run.hasListened || !run.isForked),
    isDraft: entry.isDraft,
    time: clock.now(),
  }));

  async function close(): Promise<void> {
    try {
      const ending = await launched.ended;
      // After a stop, its exit code means nothing.
      const message = run.isWanted ? ending.message : 'was stopped';
      note(`The process ${message}`);
      await job.end({ ...ending, message });
    } catch (error) {
      log.error(error, 'job %s', job.key);
    }
    entry.closings.delete(closing);
    onEnd();
    const { isCrash, ...how } = await ended;
    if (!isCrash) return;
    const crash = { contentGuid: entry.content.guid, bundleId, key: job.key, ...how };
    await onCrash?.(crash).catch((error: unknown) => log.error(error, 'crash of %s', job.key));
  }

  const closing = close();
  entry.closings.add(closing);
  return closing;
}
