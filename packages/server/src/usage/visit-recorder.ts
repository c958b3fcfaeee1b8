// Records visits in batches, so that pages do not wait for the disk.
import type { Logger } from 'pino';
import type { Clock } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import { insertVisits, type NewVisit } from './store.ts';

export type Visit = Omit<NewVisit, 'time' | 'data_version'>;

export interface VisitRecorder extends AsyncDisposable {
  record(visit: Visit): void;
}

/** Version of the recording rules (contract, 4.5 `min_data_version`). */
export const DATA_VERSION = 1;
const FLUSH_MS = 200;
/** Maximum rows per statement: larger ones would delay later requests. */
const ROWS_AT_ONCE = 1000;

export function createVisitRecorder(storage: Storage, clock: Clock, log: Logger): VisitRecorder {
  let waiting: NewVisit[] = [];
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<void> = Promise.resolve();

  async function write(visits: readonly NewVisit[]): Promise<void> {
    for (let i = 0; i < visits.length; i += ROWS_AT_ONCE) {
      await insertVisits(storage, visits.slice(i, i + ROWS_AT_ONCE));
    }
  }

  function flush(): Promise<void> {
    timer = null;
    const visits = waiting;
    waiting = [];
    writing = writing
      .then(() => write(visits))
      .catch((error: unknown) => log.error(error, '%d visits were not recorded', visits.length));
    return writing;
  }

  return {
    record(visit) {
      waiting.push({ ...visit, time: clock.now(), data_version: DATA_VERSION });
      timer ??= setTimeout(() => void flush(), FLUSH_MS);
    },
    async [Symbol.asyncDispose]() {
      if (timer) clearTimeout(timer);
      await flush();
    },
  };
}
