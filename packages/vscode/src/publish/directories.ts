// Which directory a click means, and which directories of the workspace hold content.
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { findContentDirectories, looksLikeContent, readRecords } from '@pressroom/api';
import { l10n, Uri, window, workspace } from 'vscode';

/** The workspace folder that a path lies in, or undefined: nothing outside is ever published. */
export function folderOf(fsPath: string): string | undefined {
  return workspace.getWorkspaceFolder(Uri.file(fsPath))?.uri.fsPath;
}

/** Every directory with content, of all workspace folders. */
export async function contentDirectories(): Promise<string[]> {
  const roots = (workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  const found = await Promise.all(
    roots.map(({ uri }) => findContentDirectories(uri.fsPath, looksLikeContent)),
  );
  return found.flat();
}

/**
 * The directory that a command means: of a tree node, a file or folder of the explorer, a repository, else of the file
 * in the editor, else the only one there is, else one that the person picks.
 */
export async function directoryFor(argument: unknown): Promise<string | undefined> {
  const given = pathOf(argument);
  if (given !== undefined) return holding(given);
  const active = window.activeTextEditor?.document.uri ?? window.activeNotebookEditor?.notebook.uri;
  if (active?.scheme === 'file' && folderOf(active.fsPath) !== undefined) return holding(active.fsPath);
  const found = await contentDirectories();
  if (found.length === 1) return found[0];
  const roots = (workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  const choices = found.length > 0 ? found : roots;
  if (choices.length < 2) return choices[0];
  const picked = await window.showQuickPick(
    choices.map((dir) => ({ label: path.basename(dir), description: workspace.asRelativePath(dir), dir })),
    { placeHolder: l10n.t('Which content?') },
  );
  return picked?.dir;
}

function pathOf(argument: unknown): string | undefined {
  if (typeof argument === 'string') return argument;
  if (typeof argument !== 'object' || argument === null) return undefined;
  const { fsPath, dir, rootUri, resourceUri } = argument as Record<string, unknown>;
  if (typeof dir === 'string') return dir;
  if (typeof fsPath === 'string') return fsPath;
  return pathOf(rootUri) ?? pathOf(resourceUri);
}

/** The directory itself; for a file the nearest one above it that was published, else that is content. */
async function holding(fsPath: string): Promise<string | undefined> {
  const root = folderOf(fsPath);
  if (root === undefined) {
    void window.showErrorMessage(l10n.t('{0} is not in this workspace.', fsPath));
    return undefined;
  }
  const stats = await stat(fsPath).catch(() => undefined);
  if (stats?.isDirectory() === true) return fsPath;
  const above: string[] = [];
  for (let dir = path.dirname(fsPath); dir.startsWith(root); dir = path.dirname(dir)) {
    above.push(dir);
    if (dir === root) break;
  }
  for (const dir of above) {
    if ((await readRecords(dir).catch(() => [])).length > 0) return dir;
  }
  for (const dir of above) {
    if (await looksLikeContent(dir)) return dir;
  }
  return root;
}
