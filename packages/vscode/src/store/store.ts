// State of the workspace: directories, their targets and bundles. Views, status bar and commands read it and subscribe
// to changes; only this file decides when the disk or a server is read again.
import { lstat, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { RefusedError } from '@pressroom/api/client';
import type { Bundle, Draft } from '@pressroom/api/contract';
import { collectFiles, detectContent, readRecords, type StoredRecord } from '@pressroom/api/publish';
import { EventEmitter, l10n, workspace, type Disposable, type Event } from 'vscode';
import type { Directories } from '../publish/directories/directories.ts';
import type { Keys } from '../sign-in/keys.ts';
import { explain } from '../ui/explain.ts';
import { whyText } from '../ui/reasons.ts';
import { typeText } from '../ui/texts.ts';
import type { ContentRef } from './content-ref.ts';
import { directoryOfRecord, RECORDS, type FileChange, type FileChanges } from './file-changes.ts';
import { NotSignedInError, type History } from './history.ts';
import type { Memory } from './memory.ts';
import type { Run, Runs } from './runs.ts';
import { chooseActive, isOf } from './targets.ts';

export interface DirectoryState {
  readonly dir: string;
  /** Newest first. */
  readonly targets: readonly StoredRecord[];
  readonly active: StoredRecord | undefined;
  /** Why its records cannot be read. */
  readonly problem: string | null;
}

/** What is known of the bundles of a content item. */
export type BundlesState =
  | { readonly state: 'loaded'; readonly bundles: readonly Bundle[]; readonly drafts: readonly Draft[] }
  | { readonly state: 'untrusted' }
  | { readonly state: 'signed-out' }
  | { readonly state: 'failed'; readonly why: string };

export interface Store extends Disposable {
  /** Directories found so far, including those of runs. */
  known(): readonly DirectoryState[];
  /** Like `known`, but searches for them the first time. */
  directories(): Promise<readonly DirectoryState[]>;
  run(dir: string): Run | undefined;
  /** Requested once, until something changes. */
  bundles(content: ContentRef): Promise<BundlesState>;
  /** The detected type of an unpublished directory, and why, in two lines. */
  guess(dir: string): Promise<string>;
  /** Makes a target the active one. */
  activate(dir: string, content: ContentRef): void;
  /** Reads the records of a directory again. */
  reload(dir: string): Promise<void>;
  /** Reads records again that changed without an event: the editor misses folders that Git recreates. */
  check(): Promise<void>;
  /** Forgets everything that was read. */
  refresh(): void;
  /** The directory whose active target changed. */
  readonly onDidActivate: Event<string>;
  /** The directory that changed; undefined for all. */
  readonly onDidChange: Event<string | undefined>;
}

export interface StoreParts {
  readonly runs: Runs;
  readonly history: History;
  readonly memory: Memory;
  readonly directories: Pick<Directories, 'all' | 'folderOf'>;
  readonly keys: Pick<Keys, 'onDidChange'>;
  readonly fileChanges: Pick<FileChanges, 'onDidChange'>;
}

const SETTLE_MS = 500;

export function createStore({ runs, history, memory, directories, keys, fileChanges }: StoreParts): Store {
  const changed = new EventEmitter<string | undefined>();
  const activated = new EventEmitter<string>();
  const states = new Map<string, DirectoryState>();
  const bundles = new Map<string, Promise<BundlesState>>();
  const guesses = new Map<string, Promise<string>>();
  /** Of the records of each directory, as they were read. */
  const fingerprints = new Map<string, string>();
  let found: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let checking: Promise<void> | undefined;

  async function read(dir: string): Promise<void> {
    // Renamed, deleted or removed from the workspace while it was published.
    const isHere = async () => directories.folderOf(dir) !== undefined && (await isThere(dir));
    if (runs.get(dir)?.state !== 'running' && !(await isHere())) return void states.delete(dir);
    fingerprints.set(dir, await fingerprintOf(dir));
    try {
      const targets = await readRecords(dir);
      const before = states.get(dir)?.targets ?? [];
      for (const target of targets) {
        const known = before.find((one) => isOf(one, target));
        // Published elsewhere: by the command line, in another window, or by a colleague. Runs report their own end.
        const isElsewhere = runs.get(dir)?.state !== 'running';
        if (isElsewhere && known?.bundle_id !== target.bundle_id) bundles.delete(nameOf(target));
      }
      states.set(dir, { dir, targets, active: chooseActive(targets, memory.target(dir)), problem: null });
    } catch (error) {
      states.set(dir, { dir, targets: [], active: undefined, problem: explain(error) });
    }
  }

  async function find(): Promise<void> {
    const dirs = [...new Set([...(await directories.all()), ...runs.all().map(({ dir }) => dir)])];
    for (const dir of states.keys()) if (!dirs.includes(dir)) states.delete(dir);
    await Promise.all(dirs.map(read));
    // In order of discovery.
    for (const dir of dirs) {
      const state = states.get(dir);
      if (state === undefined) continue;
      states.delete(dir);
      states.set(dir, state);
    }
  }

  /** Requests for directories wait meanwhile: an ended run must not be shown with records from before it. */
  async function reload(dir: string): Promise<void> {
    if (found) await (found = found.then(() => read(dir)));
    else await read(dir);
    changed.fire(states.has(dir) ? dir : undefined);
  }

  async function readChanged(): Promise<void> {
    for (const dir of states.keys())
      if ((await fingerprintOf(dir)) !== fingerprints.get(dir)) await reload(dir);
  }

  /** One at a time: checks of a disk that does not respond would pile up. */
  function check(): Promise<void> {
    checking ??= readChanged().finally(() => {
      checking = undefined;
    });
    return checking;
  }

  async function load(content: ContentRef): Promise<BundlesState> {
    if (!workspace.isTrusted) return { state: 'untrusted' };
    try {
      // Bundles are useful without marks.
      const drafts = history.drafts(content).catch(() => []);
      return { state: 'loaded', bundles: await history.bundles(content), drafts: await drafts };
    } catch (error) {
      const isRefused = error instanceof RefusedError && error.status === 401;
      if (isRefused || error instanceof NotSignedInError) return { state: 'signed-out' };
      return { state: 'failed', why: explain(error) };
    }
  }

  function refresh(): void {
    found = undefined;
    bundles.clear();
    guesses.clear();
    changed.fire(undefined);
  }

  /** Searches for directories again, once nothing changes any more. */
  function lookAgain(): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      found = undefined;
      guesses.clear();
      changed.fire(undefined);
    }, SETTLE_MS);
  }

  function onFile({ file, kind }: FileChange): void {
    if (file === undefined) return;
    const dir = directoryOfRecord(file);
    if (dir !== undefined && states.has(dir)) void reload(dir);
    // Created and deleted files may make a directory content, or change its type; so may changes of top-level files.
    else if (dir !== undefined || (isAtTop(file) && (kind !== 'changed' || !states.has(path.dirname(file)))))
      lookAgain();
  }

  /** Where detection looks: in workspace folders and their subdirectories. */
  function isAtTop(file: string): boolean {
    if (states.has(path.dirname(file))) return true;
    return (workspace.workspaceFolders ?? []).some(({ uri }) => {
      const parts = path.relative(uri.fsPath, file).split(path.sep);
      return parts.length <= 2 && parts[0] !== '..' && !parts.some((part) => part.startsWith('.'));
    });
  }

  function onRun(dir: string): void {
    const run = runs.get(dir);
    if (run?.state === 'running') return changed.fire(dir);
    for (const name of bundles.keys()) if (name.startsWith(`${run?.server} `)) bundles.delete(name);
    void reload(dir);
  }

  const subscriptions: Disposable[] = [
    runs.onDidChange(onRun),
    keys.onDidChange(() => {
      bundles.clear();
      changed.fire(undefined);
    }),
    fileChanges.onDidChange(onFile),
    changed,
    activated,
  ];

  return {
    known: () => [...states.values()],
    async directories() {
      found ??= find();
      await found;
      return [...states.values()];
    },
    run: runs.get,
    async bundles({ server, guid }) {
      const name = nameOf({ server, guid });
      // Records that are being read may show that known state is outdated.
      await found;
      const known = bundles.get(name) ?? load({ server, guid });
      bundles.set(name, known);
      return known;
    },
    guess(dir) {
      const known = guesses.get(dir) ?? guessOf(dir, memory);
      guesses.set(dir, known);
      return known;
    },
    activate(dir, content) {
      const { server, guid } = content;
      memory.aim(dir, { server, guid });
      const state = states.get(dir);
      if (state !== undefined)
        states.set(dir, { ...state, active: chooseActive(state.targets, { server, guid }) });
      changed.fire(dir);
      if (!isOf(content, state?.active)) activated.fire(dir);
    },
    reload,
    check,
    refresh,
    onDidActivate: activated.event,
    onDidChange: changed.event,
    dispose() {
      clearTimeout(timer);
      for (const subscription of subscriptions) subscription.dispose();
    },
  };
}

function isThere(dir: string): Promise<boolean> {
  return stat(dir).then(
    () => true,
    () => false,
  );
}

/** Changes with each record that is written, added or removed. */
async function fingerprintOf(dir: string): Promise<string> {
  const folder = path.join(dir, RECORDS);
  const names = await readdir(folder).catch(() => []);
  const files = names.map(async (name) => {
    const { ino, mtimeMs, size } = await lstat(path.join(folder, name));
    return [name, ino, mtimeMs, size].join(' ');
  });
  const settled = await Promise.allSettled(files);
  return settled.map((file) => (file.status === 'fulfilled' ? file.value : '')).join('\n');
}

function nameOf({ server, guid }: ContentRef): string {
  return `${server} ${guid}`;
}

/** The detected type, and why. */
async function guessOf(dir: string, memory: Pick<Memory, 'choice'>): Promise<string> {
  try {
    const { files } = await collectFiles(dir, { exclude: ['/*/'] });
    const candidates = await detectContent(dir, files);
    const { type } = memory.choice(dir) ?? {};
    const best = candidates.find((candidate) => candidate.appmode === type) ?? candidates[0];
    if (best === undefined) return l10n.t('No content to publish was found.');
    const others =
      candidates.length > 1 ? ` ${l10n.t('Other possible types: {0}.', candidates.length - 1)}` : '';
    return `${typeText(best.appmode)}, ${best.entrypoint || best.primary}\n${whyText(best)}${others}`;
  } catch (error) {
    return explain(error);
  }
}
