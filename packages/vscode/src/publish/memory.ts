// What is remembered for a workspace: answers given before, and deploys that run on the server. Kept in a file of the
// editor's storage: what the editor itself keeps for extensions may be lost when a window goes at once.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

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
  choose(dir: string, choice: Choice | undefined): void;
  unfinished(): readonly Unfinished[];
  begun(deploy: Unfinished): void;
  ended(dir: string): void;
  /** Directories whose upload was cut off: from `uploading` until `begun` or `ended`. */
  interrupted(): readonly string[];
  uploading(dir: string): void;
}

interface State {
  choices: Record<string, Choice | undefined>;
  unfinished: Unfinished[];
  uploading: string[];
}

/** @param file undefined where nothing can be kept: then for as long as the window is open. */
export function createMemory(file: string | undefined): Memory {
  let state: State | undefined;
  const read = (): State => (state ??= load(file));
  const change = (next: Partial<State>) => {
    state = { ...read(), ...next };
    if (file !== undefined) save(file, state);
  };
  const others = (dir: string) => read().unfinished.filter((deploy) => deploy.dir !== dir);
  const otherUploads = (dir: string) => read().uploading.filter((other) => other !== dir);
  return {
    choice: (dir) => read().choices[dir],
    choose: (dir, choice) => change({ choices: { ...read().choices, [dir]: choice } }),
    unfinished: () => read().unfinished,
    begun: (deploy) =>
      change({ unfinished: [...others(deploy.dir), deploy], uploading: otherUploads(deploy.dir) }),
    ended: (dir) => change({ unfinished: others(dir), uploading: otherUploads(dir) }),
    interrupted: () => read().uploading,
    uploading: (dir) => change({ uploading: [...otherUploads(dir), dir] }),
  };
}

function load(file: string | undefined): State {
  const empty: State = { choices: {}, unfinished: [], uploading: [] };
  if (file === undefined) return empty;
  try {
    return { ...empty, ...(JSON.parse(readFileSync(file, 'utf8')) as Partial<State>) };
  } catch {
    // None yet, or damaged: the answers are asked for again.
    return empty;
  }
}

function save(file: string, state: State): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(`${file}.tmp`, JSON.stringify(state));
  renameSync(`${file}.tmp`, file);
}
