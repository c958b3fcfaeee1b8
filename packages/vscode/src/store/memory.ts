// State of a workspace: earlier answers, and deploys that run on the server. Stored in a file of the extension: the
// editor's own state may be lost when a window closes at once. Where there are no files, that state has to do.
import { readFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Rendering } from '@pressroom/api/publish';
import type { ContentRef } from './history.ts';

/** Answers of a first publishing, kept until a record takes over. */
export interface Choice {
  readonly server: string;
  readonly type?: string | undefined;
  readonly entrypoint?: string | undefined;
  /** Whose rendering of a document readers see; absent: as the record says, else the server's. */
  readonly rendering?: Rendering | undefined;
  /** Of new content. */
  readonly title?: string | undefined;
  readonly access?: 'all' | 'logged_in' | 'acl' | undefined;
  /** Files that may hold secrets, and are published all the same. */
  readonly accepted?: readonly string[] | undefined;
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
  /** It becomes a draft. */
  readonly draft?: boolean | undefined;
}

/** An upload that runs; without `guid` and `asNew` it goes to the newest content of the directory. */
export interface PendingUpload {
  readonly dir: string;
  readonly server: string;
  readonly guid?: string | undefined;
  readonly asNew?: boolean | undefined;
  readonly draft?: boolean | undefined;
  /** New content that was made for it; while there is a record of it, it was not taken back. */
  readonly made?: string | undefined;
}

export interface Memory {
  choice(dir: string): Choice | undefined;
  choose(dir: string, choice: Choice | undefined): void;
  /** The target that was chosen for a directory. */
  target(dir: string): ContentRef | undefined;
  /** Chooses a target; undefined leaves the choice to the records. */
  aim(dir: string, content: ContentRef | undefined): void;
  unfinished(): readonly Unfinished[];
  begun(deploy: Unfinished): void;
  ended(dir: string): void;
  /** Uploads that were cut off: from `uploading` until `begun` or `ended`. */
  interrupted(): readonly PendingUpload[];
  uploading(upload: PendingUpload): void;
  /** Resolves when everything is on disk. */
  settled(): Promise<void>;
}

/** The answers for this server; those for another server are ignored. */
export function choiceFor(memory: Pick<Memory, 'choice'>, dir: string, server: string): Choice {
  const choice = memory.choice(dir);
  return choice?.server === server ? choice : { server };
}

export interface State {
  choices: Record<string, Choice | undefined>;
  targets: Record<string, ContentRef | undefined>;
  unfinished: Unfinished[];
  uploads: PendingUpload[];
}

/** Where the state is stored, as text. */
export interface Kept {
  /** Undefined where there is nothing yet. */
  read(): string | undefined;
  write(text: string): PromiseLike<void>;
}

/**
 * Writes one after the other, in the background: a busy disk may be slow even for a few bytes.
 * @param place a file, or what stands in for one; undefined to keep it only while the window is open
 * @param onError gets what could not be written
 * @param earlier what to begin with where there is no state yet
 */
export function createMemory(
  place: string | Kept | undefined,
  onError: (error: unknown) => void = () => undefined,
  earlier: () => State = () => parseState('{}'),
): Memory {
  const kept = typeof place === 'string' ? inFile(place) : place;
  let state: State | undefined;
  let written: Promise<void> = Promise.resolve();
  const read = (): State => (state ??= load(kept, earlier));
  const change = (next: Partial<State>) => {
    const now = { ...read(), ...next };
    state = now;
    if (kept !== undefined) written = written.then(() => kept.write(JSON.stringify(now))).catch(onError);
  };
  const others = (dir: string) => read().unfinished.filter((deploy) => deploy.dir !== dir);
  const otherUploads = (dir: string) => read().uploads.filter((other) => other.dir !== dir);
  return {
    choice: (dir) => read().choices[dir],
    choose: (dir, choice) => change({ choices: { ...read().choices, [dir]: choice } }),
    target: (dir) => read().targets[dir],
    aim: (dir, content) => change({ targets: { ...read().targets, [dir]: content } }),
    unfinished: () => read().unfinished,
    begun: (deploy) =>
      change({ unfinished: [...others(deploy.dir), deploy], uploads: otherUploads(deploy.dir) }),
    ended: (dir) => change({ unfinished: others(dir), uploads: otherUploads(dir) }),
    interrupted: () => read().uploads,
    uploading: (upload) => change({ uploads: [...otherUploads(upload.dir), upload] }),
    settled: () => written,
  };
}

function load(kept: Kept | undefined, earlier: () => State): State {
  try {
    const text = kept?.read();
    if (text !== undefined) return parseState(text);
  } catch {
    // None yet, or damaged: what is not known from elsewhere is asked for again.
  }
  return earlier();
}

/** @throws SyntaxError */
export function parseState(text: string): State {
  const empty: State = { choices: {}, targets: {}, unfinished: [], uploads: [] };
  return { ...empty, ...(JSON.parse(text) as Partial<State>) };
}

function inFile(file: string): Kept {
  return {
    read: () => readFileSync(file, 'utf8'),
    async write(text) {
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(`${file}.tmp`, text);
      await rename(`${file}.tmp`, file);
    },
  };
}
