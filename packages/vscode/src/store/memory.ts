// State of a workspace: earlier answers, and running deploys. Stored in a file of the extension: the editor's own state
// may be lost when a window closes immediately. It is used only if there are no files.
import { readFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Rendering } from '@pressroom/api/publish';
import type { ContentRef } from './content-ref.ts';

/** Answers of a first publish, used until there is a record; or another type that was picked for published content. */
export interface Choice {
  readonly server: string;
  /** GUID of the content with a record whose type was picked; undefined for new content. */
  readonly recorded?: string | undefined;
  readonly type?: string | undefined;
  readonly entrypoint?: string | undefined;
  /** Which rendering of a document is shown; by default the record's, otherwise the server's. */
  readonly rendering?: Rendering | undefined;
  /** Of new content. */
  readonly title?: string | undefined;
  readonly access?: 'all' | 'logged_in' | 'acl' | undefined;
  /** Files that may contain secrets, but are published. */
  readonly accepted?: readonly string[] | undefined;
}

/** A deploy whose end is unknown. */
export interface Unfinished {
  readonly dir: string;
  readonly name: string;
  readonly server: string;
  readonly guid: string;
  readonly bundle_id: string;
  readonly task_id: string;
  /** Whether this deploy uploaded the bundle. */
  readonly ownBundle: boolean;
  /** It becomes a draft. */
  readonly draft?: boolean | undefined;
  /** The account may not see it: it is checked only when somebody asks for that. */
  readonly forbidden?: boolean | undefined;
}

/** A running upload; without `guid` and `asNew` to the directory's newest content. */
export interface PendingUpload {
  readonly dir: string;
  readonly server: string;
  readonly guid?: string | undefined;
  readonly asNew?: boolean | undefined;
  readonly draft?: boolean | undefined;
  /** New content that was created for it; while there is a record of it, it was not deleted. */
  readonly made?: string | undefined;
}

export interface Memory {
  choice(dir: string): Choice | undefined;
  choose(dir: string, choice: Choice | undefined): void;
  /** The selected target of a directory. */
  target(dir: string): ContentRef | undefined;
  /** Selects a target; undefined leaves the choice to the records. */
  aim(dir: string, content: ContentRef | undefined): void;
  /** Whether a file that content could start from is part of other content of its directory. */
  isPart(file: string): boolean;
  notePart(file: string): void;
  unfinished(): readonly Unfinished[];
  begun(deploy: Unfinished): void;
  ended(dir: string): void;
  /** Interrupted uploads: from `uploading` until `begun` or `ended`. */
  interrupted(): readonly PendingUpload[];
  uploading(upload: PendingUpload): void;
  /** Resolves once everything is on disk. */
  settled(): Promise<void>;
}

/**
 * Answers for this server; those for others are ignored, and types of other content than the recorded one.
 * @param recorded GUID of content with a record, which says its type
 */
export function choiceFor(
  memory: Pick<Memory, 'choice'>,
  dir: string,
  server: string,
  recorded?: string,
): Choice {
  const choice = memory.choice(dir);
  if (choice?.server !== server) return { server };
  return recorded === undefined || recorded === choice.recorded
    ? choice
    : { server, ...(choice.accepted && { accepted: choice.accepted }) };
}

export interface State {
  choices: Record<string, Choice | undefined>;
  targets: Record<string, ContentRef | undefined>;
  parts: string[];
  unfinished: Unfinished[];
  uploads: PendingUpload[];
}

/** Where the state is stored, as text. */
export interface Kept {
  /** Undefined if there is none yet. */
  read(): string | undefined;
  write(text: string): PromiseLike<void>;
}

/**
 * Writes one after the other, in the background: a busy disk may be slow even for a few bytes.
 * @param place a file, or what stands in for one; undefined to keep it only while the window is open
 * @param onError gets what could not be written
 * @param earlier the initial state if there is none yet
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
    isPart: (file) => read().parts.includes(file),
    notePart: (file) => change({ parts: [...read().parts, file] }),
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
    // Missing or damaged: answers that are unknown elsewhere are asked for again.
  }
  try {
    return earlier();
  } catch {
    return parseState('{}');
  }
}

/** @throws SyntaxError */
export function parseState(text: string): State {
  const empty: State = { choices: {}, targets: {}, parts: [], unfinished: [], uploads: [] };
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
