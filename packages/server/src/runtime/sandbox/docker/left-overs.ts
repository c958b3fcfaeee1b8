// Containers that nobody else removes: of a server that was killed, or of a time when the engine was away.
import { messageOf } from '../../../platform/errors.ts';
import { EngineGone, type Engine } from './engine.ts';

export interface LeftOvers extends Disposable {
  labels(start: string): Record<string, string>;
  /**
   * Removes what servers of the same data directory left. @param isAlone whether there is no other one by now: what
   * still runs is removed as well, then.
   */
  removeOld(isAlone: boolean): Promise<void>;
  /** Removes a container as soon as the engine is back. */
  add(id: string, reason: EngineGone): void;
}

const LABEL = 'pressroom.data';
const ENDED = ['exited', 'dead', 'stopped'];
const RETRY_MS = 1000;

/** @param data names the data directory */
export function createLeftOvers(
  engine: Engine,
  data: string,
  onEngine: (event: { readonly isBack: boolean; readonly message: string }) => void,
): LeftOvers {
  const waiting = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  const remove = (id: string) =>
    engine
      .ask((docker) => docker.getContainer(id).remove({ force: true, v: true }))
      .catch((error: unknown) => {
        // It is gone already, or the engine is about to remove it.
        if (error instanceof EngineGone) throw error;
      });

  async function retry(): Promise<void> {
    try {
      for (const id of waiting) {
        await remove(id);
        waiting.delete(id);
      }
      timer = undefined;
      onEngine({ isBack: true, message: 'the container engine answers again' });
    } catch {
      timer = setTimeout(() => void retry(), RETRY_MS).unref();
    }
  }

  return {
    labels: (start) => ({ [LABEL]: data, 'pressroom.start': start }),
    async removeOld(isAlone) {
      const filters = { label: [`${LABEL}=${data}`] };
      const all = await engine.ask((docker) => docker.listContainers({ all: true, filters }));
      // Not by a filter: Podman has no state of Docker's name.
      const found = isAlone ? all : all.filter(({ State }) => ENDED.includes(State));
      await Promise.all(found.map(({ Id }) => remove(Id)));
    },
    add(id, reason) {
      waiting.add(id);
      if (timer !== undefined) return;
      onEngine({ isBack: false, message: messageOf(reason) });
      timer = setTimeout(() => void retry(), RETRY_MS).unref();
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}
