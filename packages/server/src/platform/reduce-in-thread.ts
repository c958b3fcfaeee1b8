// Extracts what the server uses from a large text, in a worker thread: the event loop stays free.
import { Worker } from 'node:worker_threads';

/** Bytes that are parsed without a thread: a few milliseconds. */
export const PARSED_AT_ONCE = 128 * 1024;
const MAX_SECONDS = 30;

/**
 * @param code plain JavaScript that posts one message for `workerData`, a text or null: it runs without our modules,
 * from source as well as from the built bundle
 * @throws Error with the reason: "it takes too long to read"
 */
export async function reduceInThread(code: string, bytes: Uint8Array): Promise<string | null> {
  const worker = new Worker(code, {
    eval: true,
    workerData: bytes,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 64 },
  });
  const { promise, resolve, reject } = Promise.withResolvers<string | null>();
  const late = setTimeout(() => reject(new Error('it takes too long to read')), MAX_SECONDS * 1000);
  worker.once('message', resolve);
  worker.once('error', (cause) => reject(new Error('it takes too much memory to read', { cause })));
  worker.once('exit', () => reject(new Error('it cannot be read')));
  try {
    return await promise;
  } finally {
    clearTimeout(late);
    await worker.terminate();
  }
}
