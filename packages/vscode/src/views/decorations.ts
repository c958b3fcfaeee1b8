// Marks in the explorer: what would be uploaded, what stays out, what is not as it is in the bundle that is live. A file
// without a mark is live as it is, or lies where it is not known what is live.
import path from 'node:path';
import { changesSince, collectFiles, readRecords, type BundleFile, type SeenFiles } from '@pressroom/api';
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
import type { BundleContents } from '../store/bundle-contents.ts';
import { overlaps } from '../publish/copies.ts';
import type { Directories } from '../publish/directories.ts';

interface Snapshot {
  readonly dir: string;
  /** Nothing of it is live: that its files would go in says nothing about its folders. */
  readonly fresh: boolean;
  readonly changes: ReadonlyMap<string, 'new' | 'changed'>;
  /** Reasons by path; directories with a slash at their end. */
  readonly excluded: ReadonlyMap<string, string>;
}

export interface Decorations extends FileDecorationProvider, Disposable {
  /** At the files as they are; of a folder that is not on disk, as they were read last. */
  look(): Promise<void>;
  /** Looks, and reads anew what was read before. */
  refresh(): Promise<void>;
}

const SETTLE_MS = 1000;

export function createDecorations(directories: Directories, contents: BundleContents): Decorations {
  const changed = new EventEmitter<undefined>();
  const seen = new Map<string, SeenFiles>();
  /** What changed in folders that are not on disk, by path. */
  const touched = new Set<string>();
  /** Directories there whose files may be others than were read last. */
  const stale = new Set<string>();
  let snapshots: Snapshot[] = [];
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let again = false;

  async function lookOnce(): Promise<void> {
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

  /** One look at a time; what changed meanwhile leads to another one. */
  async function look(): Promise<void> {
    again = true;
    looking ??= (async () => {
      while (again) {
        again = false;
        await lookOnce();
      }
    })().finally(() => (looking = undefined));
    await looking;
  }

  async function snapshotOf(dir: string): Promise<Snapshot | undefined> {
    try {
      if (stale.has(dir) && (await directories.follow(dir))) stale.delete(dir);
      const { files, excluded } = await collectFiles(dir, { exclude: directories.excludeOf(dir) });
      // A manifest of the publisher's own goes in as the server wants it, not as it is.
      const own = files.filter((file) => file.path !== 'manifest.json');
      const reasons = new Map(excluded.map(({ path: name, reason }) => [name, reason]));
      return { dir, excluded: reasons, ...(await changesOf(dir, own)) };
    } catch {
      // A directory that cannot be published says so when it is published; one that changes is looked at again.
      return snapshots.find((snapshot) => snapshot.dir === dir);
    }
  }

  async function changesOf(dir: string, files: readonly BundleFile[]) {
    const [record] = await readRecords(dir);
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
    timer = setTimeout(() => void look(), SETTLE_MS);
  };
  const touch = (uri: Uri) => {
    const file = uri.scheme === 'file' ? undefined : directories.pathOf(uri);
    if (file !== undefined) touched.add(file);
  };
  const touchAll = () => {
    for (const { uri } of workspace.workspaceFolders ?? []) touch(uri);
  };
  const onFile = (uri: Uri) => {
    touch(uri);
    later();
  };
  const onSettings = (event: ConfigurationChangeEvent) => {
    if (!event.affectsConfiguration('pressroom')) return;
    touchAll();
    later();
  };
  const watcher = workspace.createFileSystemWatcher('**/*');
  const subscriptions = [
    watcher,
    watcher.onDidChange(onFile),
    watcher.onDidCreate(onFile),
    watcher.onDidDelete(onFile),
    contents.onDidKeep(later),
    workspace.onDidChangeConfiguration(onSettings),
  ];

  const provider: Decorations = {
    onDidChangeFileDecorations: changed.event,
    look,
    refresh() {
      touchAll();
      return look();
    },
    provideFileDecoration(uri) {
      const fsPath = directories.pathOf(uri);
      const snapshot = fsPath === undefined ? undefined : snapshotFor(snapshots, fsPath);
      if (fsPath === undefined || snapshot === undefined) return undefined;
      const relative = path.relative(snapshot.dir, fsPath).split(path.sep).join('/');
      const reason = snapshot.excluded.get(relative) ?? snapshot.excluded.get(`${relative}/`);
      if (reason !== undefined) {
        const color = new ThemeColor('disabledForeground');
        return new FileDecoration('–', l10n.t('Excluded: {0}', reason), color);
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
  return snapshots
    .filter(({ dir }) => fsPath.startsWith(`${dir}${path.sep}`))
    .toSorted((a, b) => b.dir.length - a.dir.length)[0];
}
