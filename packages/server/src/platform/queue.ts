// Runs work one at a time per key, in order, and a few keys at once. People take turns.
import { createLimitByTurns } from './limit-by-turns.ts';

export interface Queue {
  /**
   * @param person whose work it is: by default the key
   * @throws the signal's reason, if it is aborted before the work begins
   */
  add<T>(key: string, work: () => Promise<T>, person?: string, signal?: AbortSignal): Promise<T>;
  /** In order for its key, but without waiting for other keys: for short work. */
  addShort<T>(key: string, work: () => Promise<T>): Promise<T>;
}

export function createQueue(atOnce: number): Queue {
  const tails = new Map<string, Promise<unknown>>();
  const limited = createLimitByTurns(atOnce);

  function serialized<T>(key: string, work: () => Promise<T>): Promise<T> {
    const result = (tails.get(key) ?? Promise.resolve()).then(work);
    const tail = result.catch(() => undefined);
    tails.set(key, tail);
    void tail.then(() => tails.get(key) === tail && tails.delete(key));
    return result;
  }

  return {
    add: (key, work, person = key, signal) => serialized(key, () => limited(person, work, signal)),
    addShort: serialized,
  };
}
