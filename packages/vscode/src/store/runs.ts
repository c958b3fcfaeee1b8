// What is being published: one run for each directory. Trees, status bar and decorations follow it.
import { EventEmitter, type Event } from 'vscode';

export type RunState = 'running' | 'done' | 'failed' | 'cancelled' | 'unknown';

export interface Run {
  readonly dir: string;
  readonly name: string;
  readonly server: string;
  readonly state: RunState;
  /** The current stage or the outcome, in a few words. */
  readonly text: string;
  /** Where visitors see it, once it is live. */
  readonly url: string | null;
  readonly taskId: string | null;
}

export interface Runs {
  get(dir: string): Run | undefined;
  all(): readonly Run[];
  /** Starts a run; returns the signal that `cancel` aborts. @throws when one is running for this directory */
  begin(run: Pick<Run, 'dir' | 'name' | 'server' | 'text'>): AbortSignal;
  update(dir: string, change: Partial<Run>): void;
  cancel(dir: string): void;
  /** Aborts what has not reached the server's task yet, and waits until it has been taken back. */
  abandon(): Promise<void>;
  /** The directory that changed. */
  readonly onDidChange: Event<string>;
}

/** Why a run is aborted when the window closes: nobody cancelled it. */
export const CLOSED = new Error('the window was closed');

export function createRuns(): Runs {
  const runs = new Map<string, Run>();
  const aborts = new Map<string, AbortController>();
  const changed = new EventEmitter<string>();
  return {
    get: (dir) => runs.get(dir),
    all: () => [...runs.values()],
    begin(run) {
      if (runs.get(run.dir)?.state === 'running') throw new Error(`${run.dir} is already being published`);
      const abort = new AbortController();
      aborts.set(run.dir, abort);
      runs.set(run.dir, { ...run, state: 'running', url: null, taskId: null });
      changed.fire(run.dir);
      return abort.signal;
    },
    update(dir, change) {
      const run = runs.get(dir);
      if (!run) return;
      runs.set(dir, { ...run, ...change });
      changed.fire(dir);
    },
    cancel: (dir) => aborts.get(dir)?.abort(new Error('cancelled')),
    async abandon() {
      const early = [...runs.values()].filter(({ state, taskId }) => state === 'running' && taskId === null);
      const ends = early.map(({ dir }) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        changed.event((which) => {
          if (which === dir && runs.get(dir)?.state !== 'running') resolve();
        });
        aborts.get(dir)?.abort(CLOSED);
        return promise;
      });
      await Promise.all(ends);
    },
    onDidChange: changed.event,
  };
}
