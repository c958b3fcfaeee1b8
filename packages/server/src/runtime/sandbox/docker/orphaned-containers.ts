// Containers left by a killed server, or from a time when the engine was unreachable.
import { EngineGone, type Engine } from './engine.ts';

export interface OrphanedContainers extends Disposable {
  labels(start: string): Record<string, string>;
  /**
   * Removes leftovers of servers of the same data directory. @param runs whether one of them still runs, and asks how its
   * containers ended; null if no other does: then running containers are removed, too.
   */
  removeOld(runs: ((start: string) => boolean) | null): Promise<void>;
  /** Removes containers that ran at `removeOld`, except those of a server that is starting. */
  removeRunning(): Promise<void>;
  /** Removes a container once the engine is back. @param name or id */
  add(name: string): void;
}

const LABEL = 'pressroom.data';
const START = 'pressroom.start';
/** In names of containers that look at an image. */
export const LOOK = 'look';
const ENDED = ['exited', 'dead', 'stopped'];
const RETRY_MS = 1000;
/** One container that cannot be removed does not make the engine count as one that hangs. */
const REMOVE_MS = 60_000;

/** @param data identifies the data directory */
export function createOrphanedContainers(engine: Engine, data: string): OrphanedContainers {
  const waiting = new Set<string>();
  let running: readonly string[] = [];
  let timer: NodeJS.Timeout | undefined;

  const remove = (name: string) =>
    engine
      .ask((docker) => docker.getContainer(name).remove({ force: true, v: true }), REMOVE_MS)
      .catch((error: unknown) => {
        // It is gone already, or the engine is removing it.
        if (error instanceof EngineGone) throw error;
      });

  async function retry(): Promise<void> {
    try {
      for (const name of waiting) {
        await remove(name);
        waiting.delete(name);
      }
      timer = undefined;
    } catch {
      timer = setTimeout(() => void retry(), RETRY_MS).unref();
    }
  }

  return {
    labels: (start) => ({ [LABEL]: data, [START]: start }),
    async removeOld(runs) {
      const filters = { label: [`${LABEL}=${data}`] };
      const all = await engine.ask((docker) => docker.listContainers({ all: true, filters }));
      // Not filtered by the engine: Podman lacks one of Docker's states.
      const isLeft = ({ State, Labels }: (typeof all)[number]) =>
        runs === null || (ENDED.includes(State) && !runs(Labels[START] ?? ''));
      const found = all.filter(isLeft);
      await Promise.all(found.map(({ Id }) => remove(Id)));
      const isLook = (name: string) => new RegExp(`${LOOK}\\d+$`).test(name);
      running = all.filter((one) => !found.includes(one) && !one.Names.some(isLook)).map(({ Id }) => Id);
    },
    async removeRunning() {
      await Promise.all(running.map(remove));
      running = [];
    },
    add(name) {
      waiting.add(name);
      timer ??= setTimeout(() => void retry(), RETRY_MS).unref();
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}
