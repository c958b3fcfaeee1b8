// Marks in the Explorer: files that are new, changed since the active bundle, or excluded. A file without a mark is
// live and unchanged, or the active bundle is unknown.
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { type BundleFile, changesSince, describePath, type SeenFiles } from '@pressroom/api/publish';
import {
  EventEmitter,
  FileDecoration,
  l10n,
  ThemeColor,
  window,
  workspace,
  type ConfigurationChangeEvent,
  type Disposable,
  type FileDecorationProvider,
  type Uri,
} from 'vscode';
import { innermost, overlaps } from '../publish/directories/copies.ts';
import type { Directories } from '../publish/directories/directories.ts';
import { publishedFiles } from '../publish/plan/published-files.ts';
import type { BundleContents } from '../store/bundle-contents.ts';
import { directoryOfRecord, type FileChange, type FileChanges } from '../store/file-changes.ts';
import type { Memory } from '../store/memory.ts';
import type { Store } from '../store/store.ts';
import { activeTarget } from '../store/targets.ts';
import { reasonText } from '../ui/reasons.ts';

interface Snapshot {
  readonly dir: string;
  /** Nothing of it is live: folders do not show the marks of their files. */
  readonly fresh: boolean;
  readonly changes: Map<string, 'new' | 'changed'>;
  /** Paths of included files. */
  readonly files: ReadonlySet<string>;
  /** Reasons by path; directories end with a slash. */
  readonly excluded: ReadonlyMap<string, string>;
}

export interface Decorations extends FileDecorationProvider, Disposable {
  /** Reads the files on disk; for a folder that is not on disk, those read last. */
  scan(): Promise<void>;
  /** Like `scan`, but reads everything again. */
  refresh(): Promise<void>;
}

const SETTLE_MS = 1000;

/** Files whose contents may make a directory content. */
const MAY_BE_CONTENT = /\.(r|rmd|qmd|py|ipynb|html?)$/i;
/** Files that determine which files are included: a change requires a complete scan. */
const RULES = /(^|\/)(\.pressroomignore|manifest\.json|pyvenv\.cfg)$/;

export function createDecorations(
  directories: Directories,
  contents: BundleContents,
  memory: Pick<Memory, 'choice' | 'target'>,
  fileChanges: Pick<FileChanges, 'onDidChange'>,
  store: Pick<Store, 'onDidActivate'>,
): Decorations {
  const changed = new EventEmitter<Uri | undefined>();
  const seen = new Map<string, SeenFiles>();
  /** Changes in folders that are not on disk, by path. */
  const touched = new Set<string>();
  /** Directories there whose files may have changed since they were read. */
  const stale = new Set<string>();
  let snapshots: Snapshot[] = [];
  let timer: NodeJS.Timeout | undefined;
  let scanning: Promise<void> | undefined;
  let again = false;

  async function scanOnce(): Promise<void> {
    const wanted = workspace.getConfiguration('pressroom').get<boolean>('decorations', true);
    const dirs = wanted ? await directories.atHand() : [];
    for (const dir of dirs) {
      if ([...touched].some((file) => overlaps(file, dir))) stale.add(dir);
    }
    touched.clear();
    const found = await Promise.all(dirs.map(snapshotOf));
    snapshots = found.filter((item) => item !== undefined);
    changed.fire(undefined);
  }

  /** One scan at a time; changes meanwhile lead to another one. */
  async function scan(): Promise<void> {
    again = true;
    scanning ??= (async () => {
      while (again) {
        again = false;
        await scanOnce();
      }
    })().finally(() => (scanning = undefined));
    await scanning;
  }

  async function snapshotOf(dir: string): Promise<Snapshot | undefined> {
    try {
      if (stale.has(dir) && (await directories.follow(dir))) stale.delete(dir);
      const { files, excluded } = await publishedFiles(dir, directories, memory);
      // A manifest.json is adapted when it is published: it may differ.
      const own = files.filter((file) => file.path !== 'manifest.json');
      const reasons = new Map(excluded.map(({ path: name, reason }) => [name, reason]));
      const paths = new Set(own.map((file) => file.path));
      return { dir, excluded: reasons, files: paths, ...(await changesOf(dir, own)) };
    } catch {
      // Errors that prevent publishing are reported then; a change leads to another scan.
      return snapshots.find((snapshot) => snapshot.dir === dir);
    }
  }

  async function changesOf(dir: string, files: readonly BundleFile[]) {
    const record = await activeTarget(dir, memory);
    if (record === undefined || record.bundle_id === null) {
      return { fresh: true, changes: new Map(files.map((file) => [file.path, 'new' as const])) };
    }
    const known = await contents.get({ ...record, bundle_id: record.bundle_id });
    const before = seen.get(dir) ?? new Map();
    seen.set(dir, before);
    const changes = known === undefined ? new Map() : await changesSince(dir, files, known, before);
    return { fresh: false, changes };
  }

  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void scan(), SETTLE_MS);
  };
  /** Checks only the saved file; true if that is sufficient. */
  async function lookAt({ uri, file, kind }: FileChange): Promise<boolean> {
    if (file === undefined || kind !== 'changed' || uri.scheme !== 'file') return false;
    if (scanning !== undefined || directoryOfRecord(file) !== undefined) return false;
    const snapshot = snapshotFor(snapshots, file);
    if (snapshot === undefined) return !MAY_BE_CONTENT.test(file);
    const relative = relativeTo(snapshot.dir, file);
    if (RULES.test(relative)) return false;
    // Marks of excluded files do not depend on their contents.
    if (!snapshot.files.has(relative)) return true;
    if (snapshot.fresh) return true;
    const described = await describePath(await realpath(snapshot.dir), relative).catch(() => undefined);
    if (described?.kind !== 'file') return false;
    const { changes } = await changesOf(snapshot.dir, [described.file]);
    if (!snapshots.includes(snapshot)) return false;
    const change = changes.get(relative);
    if (change === snapshot.changes.get(relative)) return true;
    if (change === undefined) snapshot.changes.delete(relative);
    else snapshot.changes.set(relative, change);
    changed.fire(uri);
    return true;
  }

  const touch = (uri: Uri) => {
    const file = uri.scheme === 'file' ? undefined : directories.pathOf(uri);
    if (file !== undefined) touched.add(file);
  };
  const touchAll = () => {
    for (const { uri } of workspace.workspaceFolders ?? []) touch(uri);
  };
  const onFile = async (change: FileChange) => {
    touch(change.uri);
    if (!(await lookAt(change).catch(() => false))) later();
  };
  const onSettings = (event: ConfigurationChangeEvent) => {
    if (!event.affectsConfiguration('pressroom')) return;
    touchAll();
    later();
  };
  const subscriptions: Disposable[] = [
    fileChanges.onDidChange(onFile),
    contents.onDidKeep(later),
    store.onDidActivate(() => void scan()),
    workspace.onDidChangeConfiguration(onSettings),
  ];

  const provider: Decorations = {
    onDidChangeFileDecorations: changed.event,
    scan,
    refresh() {
      touchAll();
      return scan();
    },
    provideFileDecoration(uri) {
      const fsPath = directories.pathOf(uri);
      const snapshot = fsPath === undefined ? undefined : snapshotFor(snapshots, fsPath);
      if (fsPath === undefined || snapshot === undefined) return undefined;
      const relative = relativeTo(snapshot.dir, fsPath);
      const reason = snapshot.excluded.get(relative) ?? snapshot.excluded.get(`${relative}/`);
      if (reason !== undefined) {
        const color = new ThemeColor('disabledForeground');
        return new FileDecoration('–', l10n.t('Excluded: {0}', reasonText(reason)), color);
      }
      const change = snapshot.changes.get(relative);
      if (change === undefined) return undefined;
      if (snapshot.fresh) return new FileDecoration('↑', l10n.t('Will be published'));
      const mark =
        change === 'new'
          ? new FileDecoration('↑', l10n.t('New: not published yet'), colorOf('untracked'))
          : new FileDecoration('●', l10n.t('Changed since last published'), colorOf('modified'));
      mark.propagate = true;
      return mark;
    },
    dispose() {
      clearTimeout(timer);
      for (const subscription of subscriptions) subscription.dispose();
    },
  };
  subscriptions.push(window.registerFileDecorationProvider(provider));
  return provider;
}

function colorOf(kind: 'untracked' | 'modified'): ThemeColor {
  return new ThemeColor(`gitDecoration.${kind}ResourceForeground`);
}

function snapshotFor(snapshots: readonly Snapshot[], fsPath: string): Snapshot | undefined {
  const dir = innermost(
    snapshots.map((one) => one.dir),
    path.dirname(fsPath),
  );
  return snapshots.find((one) => one.dir === dir);
}

function relativeTo(dir: string, file: string): string {
  return path.relative(dir, file).split(path.sep).join('/');
}
