// Extracts what the server uses from a large text, in a worker thread: the event loop stays free.
import { runInThread } from './run-in-thread.ts';

/** Bytes that are parsed without a thread: a few milliseconds. */
export const PARSED_AT_ONCE = 128 * 1024;
const LIMIT_MS = 30_000;

/**
 * @param code plain JavaScript that posts one message for `workerData`, a text or null: it runs without our modules,
 * from source as well as from the built bundle
 * @throws Error with the reason: "it takes too long to read"
 */
export function reduceInThread(code: string, bytes: Uint8Array): Promise<string | null> {
  return runInThread(code, {
    workerData: bytes,
    env: {},
    limitMs: LIMIT_MS,
    failure(isLate, cause) {
      if (isLate) return new Error('it takes too long to read');
      return new Error(cause ? 'it takes too much memory to read' : 'it cannot be read', { cause });
    },
  });
}
