// The open connections to applications: ended when nothing moves for too long, or when the visitor's right is gone.
import { ApiError } from '@pressroom/api/contract';
import type { Scheduling } from '../../runtime/pool/scheduling.ts';

export interface Connection {
  readonly contentGuid: string;
  readonly scheduling: () => Scheduling;
  /** Bytes from the visitor so far, and to it. */
  bytesIn(): number;
  bytesOut(): number;
  /** @throws ApiError below 500 when the visitor may not be here any more; whatever else it throws, it is asked again. */
  check(): Promise<unknown>;
  end(why: 'timed out' | 'not allowed'): void;
}

export interface Connections extends Disposable {
  /** Answers what takes it off again. */
  add(connection: Connection): () => void;
  /** Checks every connection of a content item, or all of them, at once. */
  recheck(contentGuid: string | null): void;
}

interface Watched {
  readonly connection: Connection;
  bytesIn: number;
  bytesAll: number;
  lastIn: number;
  lastAny: number;
  /** A check is under way; `again`: what it read may be older than what was changed since; `failed`: nobody knows. */
  check: 'none' | 'under way' | 'again' | 'failed';
}

const SAMPLE_MS = 1000;
/** Should an event of another server of the same database be lost. */
const RECHECK_MS = 30_000;

/** @param now milliseconds of a clock that never goes back */
export function createConnections(now: () => number = () => performance.now()): Connections {
  const open = new Set<Watched>();

  function sample(): void {
    const time = now();
    for (const watched of open) {
      const { connection } = watched;
      const bytesIn = connection.bytesIn();
      const bytesAll = bytesIn + connection.bytesOut();
      if (bytesIn !== watched.bytesIn) watched.lastIn = time;
      if (bytesAll !== watched.bytesAll) watched.lastAny = time;
      watched.bytesIn = bytesIn;
      watched.bytesAll = bytesAll;
      const { connectionTimeout, readTimeout } = connection.scheduling();
      const late = (limit: number, last: number) => limit > 0 && time - last > limit * 1000;
      if (late(connectionTimeout, watched.lastAny) || late(readTimeout, watched.lastIn))
        end(watched, 'timed out');
      else if (watched.check === 'failed') void check(watched);
    }
  }

  function end(watched: Watched, why: 'timed out' | 'not allowed'): void {
    if (open.delete(watched)) watched.connection.end(why);
  }

  function recheck(contentGuid: string | null): void {
    for (const watched of open) {
      if (contentGuid !== null && watched.connection.contentGuid !== contentGuid) continue;
      if (watched.check === 'none' || watched.check === 'failed') void check(watched);
      else watched.check = 'again';
    }
  }

  async function check(watched: Watched): Promise<void> {
    try {
      do {
        watched.check = 'under way';
        await watched.connection.check();
      } while (isAgain(watched));
      watched.check = 'none';
    } catch (error) {
      // A database that does not answer says nothing about anybody's rights.
      if (isRefusal(error)) end(watched, 'not allowed');
      else watched.check = 'failed';
    }
  }

  const sampling = setInterval(sample, SAMPLE_MS).unref();
  const checking = setInterval(() => recheck(null), RECHECK_MS).unref();
  return {
    add(connection) {
      const time = now();
      const watched: Watched = {
        connection,
        bytesIn: 0,
        bytesAll: 0,
        lastIn: time,
        lastAny: time,
        check: 'none',
      };
      open.add(watched);
      return () => void open.delete(watched);
    },
    recheck,
    [Symbol.dispose]() {
      clearInterval(sampling);
      clearInterval(checking);
    },
  };
}

function isAgain({ check }: Watched): boolean {
  return check === 'again';
}

function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500;
}
