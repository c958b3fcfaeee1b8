// What is remembered for a workspace: answers given before, and deploys that run on the server.
import type { Memento } from 'vscode';

/** Answers of a first publishing, kept until a record takes over. */
export interface Choice {
  readonly server: string;
  readonly type?: string | undefined;
  readonly entrypoint?: string | undefined;
}

/** A deploy whose end was not seen yet. */
export interface Unfinished {
  readonly dir: string;
  readonly name: string;
  readonly server: string;
  readonly guid: string;
  readonly bundle_id: string;
  readonly task_id: string;
  /** The bundle was uploaded by this very deploy. */
  readonly ownBundle: boolean;
}

export interface Memory {
  choice(dir: string): Choice | undefined;
  choose(dir: string, choice: Choice | undefined): Thenable<void>;
  unfinished(): readonly Unfinished[];
  begun(deploy: Unfinished): Thenable<void>;
  ended(dir: string): Thenable<void>;
}

const CHOICES = 'pressroom.choices';
const UNFINISHED = 'pressroom.unfinished';

/** @param state of the workspace */
export function createMemory(state: Memento): Memory {
  const choices = () => state.get<Record<string, Choice>>(CHOICES, {});
  const unfinished = () => state.get<Unfinished[]>(UNFINISHED, []);
  const others = (dir: string) => unfinished().filter((deploy) => deploy.dir !== dir);
  return {
    choice: (dir) => choices()[dir],
    choose: (dir, choice) => state.update(CHOICES, { ...choices(), [dir]: choice }),
    unfinished,
    begun: (deploy) => state.update(UNFINISHED, [...others(deploy.dir), deploy]),
    ended: (dir) => state.update(UNFINISHED, others(dir)),
  };
}
