// Marks in the explorer for directories that were published: what goes in, what stays out, what changed since.
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { collectFiles, readRecords } from '@pressroom/api';
import {
  EventEmitter,
  FileDecoration,
  l10n,
  ThemeColor,
  window,
  workspace,
  type Disposable,
  type FileDecorationProvider,
} from 'vscode';
import type { Directories } from '../publish/directories.ts';

interface Snapshot {
  readonly dir: string;
  /** Milliseconds since the epoch. */
  readonly deployed: number;
  readonly files: ReadonlySet<string>;
  /** Paths, and directories with a slash at their end. */
  readonly excluded: ReadonlyMap<string, string>;
}

export interface Decorations extends FileDecorationProvider, Disposable {
  refresh(): Promise<void>;
}

const SETTLE_MS = 1000;

export function createDecorations(directories: Directories): Decorations {
  const changed = new EventEmitter<undefined>();
  let snapshots: Snapshot[] = [];
  let timer: NodeJS.Timeout | undefined;

  async function refresh(): Promise<void> {
    const wanted = workspace.getConfiguration('pressroom').get<boolean>('decorations', true);
    const dirs = wanted ? await directories.all({ local: true }) : [];
    snapshots = (await Promise.all(dirs.map((dir) => snapshotOf(dir, directories.excludeOf(dir))))).filter(
      (item) => item !== undefined,
    );
    changed.fire(undefined);
  }

  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void refresh(), SETTLE_MS);
  };
  const watcher = workspace.createFileSystemWatcher('**/*');
  const subscriptions = [
    watcher,
    watcher.onDidChange(later),
    watcher.onDidCreate(later),
    watcher.onDidDelete(later),
    workspace.onDidChangeConfiguration((event) => event.affectsConfiguration('pressroom') && later()),
  ];

  const provider: Decorations = {
    onDidChangeFileDecorations: changed.event,
    refresh,
    async provideFileDecoration(uri) {
      const snapshot = uri.scheme === 'file' ? snapshotFor(snapshots, uri.fsPath) : undefined;
      if (snapshot === undefined) return undefined;
      const relative = path.relative(snapshot.dir, uri.fsPath).split(path.sep).join('/');
      const reason = snapshot.excluded.get(relative) ?? snapshot.excluded.get(`${relative}/`);
      if (reason !== undefined) {
        const color = new ThemeColor('disabledForeground');
        return new FileDecoration('–', l10n.t('Not published: {0}', reason), color);
      }
      if (!snapshot.files.has(relative)) return undefined;
      const stats = await stat(uri.fsPath).catch(() => undefined);
      if (stats === undefined) return undefined;
      if (stats.mtimeMs <= snapshot.deployed) return new FileDecoration('↑', l10n.t('Published'));
      const color = new ThemeColor('gitDecoration.modifiedResourceForeground');
      return new FileDecoration('●', l10n.t('Changed since it was published'), color);
    },
    dispose() {
      clearTimeout(timer);
      for (const subscription of subscriptions) subscription.dispose();
    },
  };
  subscriptions.push(window.registerFileDecorationProvider(provider));
  return provider;
}

async function snapshotOf(dir: string, exclude: string[]): Promise<Snapshot | undefined> {
  try {
    const [record] = await readRecords(dir);
    if (record === undefined) return undefined;
    const { files, excluded } = await collectFiles(dir, { exclude });
    return {
      dir,
      deployed: Date.parse(record.deployed_time),
      files: new Set(files.map((file) => file.path)),
      excluded: new Map(excluded.map(({ path: name, reason }) => [name, reason])),
    };
  } catch {
    // A directory that cannot be published says so when it is published.
    return undefined;
  }
}

function snapshotFor(snapshots: readonly Snapshot[], fsPath: string): Snapshot | undefined {
  return snapshots
    .filter(({ dir }) => fsPath.startsWith(`${dir}${path.sep}`))
    .toSorted((a, b) => b.dir.length - a.dir.length)[0];
}
