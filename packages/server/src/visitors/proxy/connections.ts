// Open connections to applications: closed when idle for too long, or when the visitor loses access.
import { ApiError } from '@pressroom/api/contract';
import type { Scheduling } from '../../runtime/pool/scheduling.ts';

export interface Connection {
  readonly contentGuid: string;
  readonly scheduling: () => Scheduling;
  /** Bytes transferred from and to the visitor. */
  bytesIn(): number;
  bytesOut(): number;
  /** @throws ApiError below 500 if the visitor has lost access; other errors are retried. */
  check(): Promise<unknown>;
  end(why: 'timed out' | 'not allowed'): void;
}

export interface Connections extends Disposable {
  /** Returns a function that removes it. */
  add(connection: Connection): () => void;
  /** Rechecks all connections of a content item, or all of them. */
  recheck(contentGuid: string | null): void;
  /** Number of rechecks so far: a visit that waits is checked again if it has grown. */
  readonly rechecks: number;
}

interface Watched {
  readonly connection: Connection;
  bytesIn: number;
  bytesAll: number;
  lastIn: number;
  lastAny: number;
  /** State of the check; `again`: its data may be older than the last change; `failed`: unknown. */
  check: 'none' | 'under way' | 'again' | 'failed';
}

const SAMPLE_MS = 1000;
/** Milliseconds between rechecks, in case an event of another server is lost. */
const RECHECK_MS = 30_000;

/** @param now milliseconds of a monotonic clock */
export function createConnections(now: () => number = () => performance.now()): Connections {
  const open = new Set<Watched>();
  let rechecks = 0;

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
    rechecks += 1;
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
      // An unresponsive database says nothing about rights.
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
    get rechecks() {
      return rechecks;
    },
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
