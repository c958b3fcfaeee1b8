// What is being published: one run per directory. Views, status bar and decorations subscribe to it.
import { EventEmitter, type Event } from 'vscode';

interface RunBase {
  readonly dir: string;
  readonly name: string;
  readonly server: string;
  /** Name of the target. */
  readonly target: string;
  /** The content item, once known. */
  readonly guid?: string | undefined;
  /** The current stage or the outcome, in a few words. */
  readonly text: string;
}

/** Outcome of a run. */
export type RunEnd =
  /** `url`: address for visitors. */
  | { readonly state: 'done'; readonly text: string; readonly url: string }
  | { readonly state: 'failed'; readonly text: string }
  | { readonly state: 'cancelled'; readonly text: string }
  /** The task may still run on the server. */
  | { readonly state: 'unknown'; readonly text: string };

export type Run = RunBase &
  /** `taskId`: once the server's task has started. */
  ({ readonly state: 'running'; readonly taskId: string | null } | RunEnd);
export type RunState = Run['state'];

/** Does not describe the existing run. */
export class AlreadyRunningError extends Error {
  constructor() {
    super('this directory is already being published');
  }
}

export interface Runs {
  get(dir: string): Run | undefined;
  all(): readonly Run[];
  /** Starts a run; returns the signal that `cancel` aborts. @throws AlreadyRunningError for this directory */
  begin(run: RunBase): AbortSignal;
  /** Shows another stage. */
  show(dir: string, text: string): void;
  /** The server's task has started. */
  reach(dir: string, taskId: string, guid: string): void;
  end(dir: string, end: RunEnd): void;
  /** Forgets a successful run: its result is gone. */
  forget(dir: string): void;
  cancel(dir: string): void;
  /** Aborts runs that have not reached the server's task yet, and waits until they are cleaned up. */
  abandon(): Promise<void>;
  /** The directory that changed. */
  readonly onDidChange: Event<string>;
}

/** Why a run is aborted when the window closes: it was not cancelled. */
export const CLOSED = new Error('the window was closed');

export function createRuns(): Runs {
  const runs = new Map<string, Run>();
  const aborts = new Map<string, AbortController>();
  const changed = new EventEmitter<string>();
  const set = (run: Run) => {
    runs.set(run.dir, run);
    changed.fire(run.dir);
  };
  return {
    get: (dir) => runs.get(dir),
    all: () => [...runs.values()],
    begin(run) {
      if (runs.get(run.dir)?.state === 'running') throw new AlreadyRunningError();
      const abort = new AbortController();
      aborts.set(run.dir, abort);
      set({ ...run, state: 'running', taskId: null });
      return abort.signal;
    },
    show(dir, text) {
      const run = runs.get(dir);
      if (run?.state === 'running' && run.text !== text) set({ ...run, text });
    },
    reach(dir, taskId, guid) {
      const run = runs.get(dir);
      if (run?.state === 'running') set({ ...run, taskId, guid });
    },
    end(dir, end) {
      const run = runs.get(dir);
      if (run === undefined) return;
      const { name, server, target, guid } = run;
      set({ dir, name, server, target, guid, ...end });
    },
    forget(dir) {
      if (runs.get(dir)?.state !== 'done') return;
      runs.delete(dir);
      changed.fire(dir);
    },
    cancel: (dir) => aborts.get(dir)?.abort(new Error('cancelled')),
    async abandon() {
      const early = [...runs.values()].filter((run) => run.state === 'running' && run.taskId === null);
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
