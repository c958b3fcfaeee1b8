// Runs work one at a time per key, in order, and a few keys at once. People take turns.
import { createTurnOrder } from './turn-order.ts';

export interface Queue {
  /** @param person whose work it is: by default the key */
  add<T>(key: string, work: () => Promise<T>, person?: string): Promise<T>;
  /** In order for its key, but without waiting for other keys: for short work. */
  addShort<T>(key: string, work: () => Promise<T>): Promise<T>;
}

interface Waiting {
  readonly person: string;
  readonly start: () => void;
}

export function createQueue(atOnce: number): Queue {
  const tails = new Map<string, Promise<unknown>>();
  const order = createTurnOrder();
  const waiting: Waiting[] = [];
  const running: string[] = [];

  function serialized<T>(key: string, work: () => Promise<T>): Promise<T> {
    const result = (tails.get(key) ?? Promise.resolve()).then(work);
    const tail = result.catch(() => undefined);
    tails.set(key, tail);
    void tail.then(() => tails.get(key) === tail && tails.delete(key));
    return result;
  }

  function startNext(): void {
    while (running.length < atOnce && waiting.length > 0) {
      const chosen = order.next(waiting, running);
      waiting.splice(waiting.indexOf(chosen), 1);
      running.push(chosen.person);
      chosen.start();
    }
  }

  async function limited<T>(person: string, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((start) => {
      waiting.push({ person, start });
      startNext();
    });
    try {
      return await work();
    } finally {
      running.splice(running.indexOf(person), 1);
      startNext();
    }
  }

  return {
    add: (key, work, person = key) => serialized(key, () => limited(person, work)),
    addShort: serialized,
  };
}
