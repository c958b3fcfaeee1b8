// Changes of files in the workspace: one watcher for all subscribers.
import path from 'node:path';
import { EventEmitter, workspace, type Disposable, type Event, type Uri } from 'vscode';
import type { Directories } from '../publish/directories/directories.ts';

export interface FileChange {
  readonly uri: Uri;
  /** Path on disk, its own or its copy's; undefined outside workspace folders. */
  readonly file: string | undefined;
  readonly kind: 'changed' | 'created' | 'deleted';
}

export interface FileChanges extends Disposable {
  readonly onDidChange: Event<FileChange>;
}

export function watchFiles(directories: Pick<Directories, 'pathOf'>): FileChanges {
  const changed = new EventEmitter<FileChange>();
  const announce = (kind: FileChange['kind']) => (uri: Uri) =>
    changed.fire({ uri, kind, file: directories.pathOf(uri) });
  const watcher = workspace.createFileSystemWatcher('**/*');
  const subscriptions = [
    watcher,
    watcher.onDidChange(announce('changed')),
    watcher.onDidCreate(announce('created')),
    watcher.onDidDelete(announce('deleted')),
    changed,
  ];
  return {
    onDidChange: changed.event,
    dispose() {
      for (const subscription of subscriptions) subscription.dispose();
    },
  };
}

/** The folder of records, in a directory. */
export const RECORDS = path.join('.pressroom', 'deployments');

/** The directory whose record, or folder of records, a file is; undefined for other files. */
export function directoryOfRecord(file: string): string | undefined {
  const folder = file.endsWith('.toml') ? path.dirname(file) : file;
  return folder.endsWith(`${path.sep}${RECORDS}`) ? folder.slice(0, -RECORDS.length - 1) : undefined;
}
