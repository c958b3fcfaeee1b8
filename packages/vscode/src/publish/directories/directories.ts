// Directories of the workspace: which one a command means, which contain content, and where their files are.
import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import {
  findContentDirectories,
  looksLikeContent,
  readRecords,
  defaultExclusion,
} from '@pressroom/api/publish';
import { l10n, Uri, window, workspace, type WorkspaceFolder } from 'vscode';
import { showErrorMessage } from '../../ui/messages.ts';
import { placeText } from '../../ui/place-text.ts';
import { isWithin, type Copies, type Taken, type TakeOptions } from './copies.ts';

/** Directories are named by their path on disk: their own, or their copy's if the workspace folder is not on disk. */
export interface Directories {
  /** The workspace folder of a path, or undefined: nothing outside is ever published. */
  folderOf(dir: string): WorkspaceFolder | undefined;
  uriOf(fsPath: string): Uri;
  /** Undefined for files that are neither on disk nor in the workspace. */
  pathOf(uri: Uri): string | undefined;
  /** gitignore patterns of the settings. @throws Error if they are none */
  excludeOf(dir: string): string[];
  /** All directories with content, in all workspace folders. */
  all(): Promise<string[]>;
  /** Those whose files are available: on disk, or read before in this window. */
  atHand(): Promise<string[]>;
  /**
   * The directory that a command means: of a tree node, a file or folder of the Explorer, a repository, otherwise of
   * the file in the editor, otherwise the only one, otherwise picked from a list.
   */
  meantBy(argument: unknown): Promise<string | undefined>;
  /** Updates the copy of a folder that is not on disk, after uploads that read it. */
  update(dir: string): Promise<void>;
  /** Like `update`, before an upload: the copy does not change until it ends. */
  take(dir: string, options: Pick<TakeOptions, 'signal' | 'show'>): Promise<Taken>;
  /** Like `update`, in the background. Returns false if the copy was left unchanged. */
  follow(dir: string): Promise<boolean>;
  /** Like `update`, for the top level only, which shows its type and records. */
  scan(dir: string): Promise<void>;
  /** Writes changed records to the original folder. */
  save(dir: string): Promise<void>;
}

/**
 * @param storage where copies are stored; undefined if no folder is open
 * @param isOnDisk whether Node.js can read the files of an address
 */
export function createDirectories(
  copies: Copies,
  storage: string | undefined,
  isOnDisk: (uri: Uri) => boolean = ({ scheme }) => scheme === 'file',
): Directories {
  /** Complete copies. */
  const whole = new Set<string>();
  const isLocal = ({ uri }: WorkspaceFolder) => isOnDisk(uri);

  function homeOf(folder: WorkspaceFolder): string {
    if (isLocal(folder)) return folder.uri.fsPath;
    if (storage === undefined) throw new Error(l10n.t('No folder is open.'));
    const id = createHash('sha256').update(folder.uri.toString()).digest('hex').slice(0, 16);
    return path.join(storage, 'copies', id, folder.name.replace(/[^\p{L}\p{N}_-]+/gu, '-') || 'folder');
  }

  function folderOf(given: string): WorkspaceFolder | undefined {
    // The editor takes what follows the path of a folder as in it, `..` too.
    const dir = path.resolve(given);
    const own = workspace.getWorkspaceFolder(Uri.file(dir));
    if (own !== undefined) return own;
    const others = (workspace.workspaceFolders ?? []).filter((folder) => !isLocal(folder));
    return others.find((folder) => isWithin(homeOf(folder), dir));
  }

  function uriOf(fsPath: string): Uri {
    const folder = folderOf(fsPath);
    if (folder === undefined || isLocal(folder)) return Uri.file(fsPath);
    return Uri.joinPath(folder.uri, path.relative(homeOf(folder), fsPath).split(path.sep).join('/'));
  }

  function pathOf(uri: Uri): string | undefined {
    if (isOnDisk(uri)) return uri.fsPath;
    const folder = workspace.getWorkspaceFolder(uri);
    return folder && path.join(homeOf(folder), path.posix.relative(folder.uri.path, uri.path));
  }

  function excludeOf(dir: string): string[] {
    const set = workspace.getConfiguration('pressroom', uriOf(dir)).get<unknown>('exclude') ?? [];
    if (Array.isArray(set) && set.every((pattern) => typeof pattern === 'string')) return set;
    // The editor passes on any value; without the patterns, what they exclude would be published.
    throw new Error(l10n.t('The setting pressroom.exclude is not a list of patterns, such as ["*.csv"].'));
  }

  function isCopy(dir: string): boolean {
    const folder = folderOf(dir);
    return folder !== undefined && !isLocal(folder);
  }

  async function scan(dir: string): Promise<void> {
    if (isCopy(dir)) await copies.scan(uriOf(dir), dir, { exclude: excludeOf(dir), shallow: true });
  }

  async function contentOf(folder: WorkspaceFolder): Promise<string[]> {
    const home = homeOf(folder);
    if (!isLocal(folder)) {
      await scan(home);
      const below = (await readdir(home, { withFileTypes: true })).filter((entry) => entry.isDirectory());
      for (const { name } of below) {
        if (defaultExclusion(name) === undefined) await scan(path.join(home, name));
      }
    }
    return findContentDirectories(home, looksLikeContent);
  }

  async function contentsOf(folders: readonly WorkspaceFolder[] = []): Promise<string[]> {
    const looks = await Promise.allSettled(folders.map(contentOf));
    const found = looks.flatMap((look) => (look.status === 'fulfilled' ? look.value : []));
    const failed = looks.find((look) => look.status === 'rejected');
    // An unreadable folder does not hide the others.
    if (failed !== undefined && found.length === 0) throw failed.reason;
    // Workspace folders may be nested.
    return [...new Set(found)];
  }

  const all = () => contentsOf(workspace.workspaceFolders);

  async function atHand(): Promise<string[]> {
    const local = await contentsOf(workspace.workspaceFolders?.filter(isLocal));
    return [...local, ...[...whole].filter((dir) => folderOf(dir) !== undefined)];
  }

  /**
   * The directory itself; for a file, the nearest published directory above it, otherwise the nearest that is content.
   */
  async function holding(fsPath: string): Promise<string | undefined> {
    const folder = folderOf(fsPath);
    if (folder === undefined) {
      void showErrorMessage(l10n.t('{0} is not in this workspace.', fsPath));
      return undefined;
    }
    const home = homeOf(folder);
    const above: string[] = [];
    for (let dir = path.dirname(fsPath); isWithin(home, dir); dir = path.dirname(dir)) {
      above.push(dir);
      if (dir === home) break;
    }
    // From the top: the copy of a directory needs its parent's.
    for (const dir of above.toReversed()) await scan(dir);
    const stats = await stat(fsPath).catch(() => undefined);
    if (fsPath === home || stats?.isDirectory() === true) {
      await scan(fsPath);
      return fsPath;
    }
    for (const dir of above) {
      if ((await readRecords(dir).catch(() => [])).length > 0) return dir;
    }
    for (const dir of above) {
      if (await looksLikeContent(dir)) return dir;
    }
    return path.dirname(fsPath);
  }

  async function meantBy(argument: unknown): Promise<string | undefined> {
    const given = givenPath(argument, pathOf);
    const repository = isRepository(argument) ? given : undefined;
    if (given !== undefined && repository === undefined) return holding(path.resolve(given));
    const active = window.activeTextEditor?.document.uri ?? window.activeNotebookEditor?.notebook.uri;
    const open = active && pathOf(active);
    const isMeant = (dir: string) => repository === undefined || isWithin(repository, dir);
    if (open !== undefined && folderOf(open) !== undefined && isMeant(open)) return holding(open);
    const found = (await all()).filter(isMeant);
    if (found.length === 1) return found[0];
    // A repository may hold content, or be content itself.
    if (repository !== undefined && (found.length === 0 || found.includes(repository)))
      return holding(repository);
    const choices = found.length > 0 ? found : (workspace.workspaceFolders ?? []).map(homeOf);
    // Links and the walkthrough start commands that menus do not offer then.
    if (choices.length === 0) void showErrorMessage(l10n.t('No folder is open.'));
    if (choices.length < 2) return choices[0];
    const picked = await window.showQuickPick(
      choices.map((dir) => ({
        label: path.basename(dir),
        description: placeText(dir, choices) || workspace.asRelativePath(uriOf(dir)),
        dir,
      })),
      { placeHolder: l10n.t('Select content'), matchOnDescription: true },
    );
    return picked?.dir;
  }

  return {
    folderOf,
    uriOf,
    pathOf,
    excludeOf,
    all,
    atHand,
    meantBy,
    scan,
    async update(dir) {
      if (!isCopy(dir)) return;
      await copies.update(uriOf(dir), dir, { exclude: excludeOf(dir) });
      whole.add(dir);
    },
    async take(dir, options) {
      if (!isCopy(dir)) return { lacks: [], release: () => undefined };
      const taken = await copies.take(uriOf(dir), dir, { exclude: excludeOf(dir), ...options });
      whole.add(dir);
      return taken;
    },
    follow: async (dir) => !isCopy(dir) || copies.scan(uriOf(dir), dir, { exclude: excludeOf(dir) }),
    async save(dir) {
      if (isCopy(dir)) await copies.save(dir, uriOf(dir));
    },
  };
}

/** Of the Source Control view. */
function isRepository(argument: unknown): boolean {
  return typeof argument === 'object' && argument !== null && 'rootUri' in argument;
}

function givenPath(argument: unknown, pathOf: Directories['pathOf']): string | undefined {
  if (typeof argument === 'string') return argument;
  if (typeof argument !== 'object' || argument === null) return undefined;
  const { fsPath, dir, rootUri, resourceUri } = argument as Record<string, unknown>;
  if (typeof dir === 'string') return dir;
  if (typeof fsPath === 'string') return pathOf(argument as Uri) ?? fsPath;
  return givenPath(rootUri, pathOf) ?? givenPath(resourceUri, pathOf);
}
