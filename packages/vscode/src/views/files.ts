// The tree of a directory's files: included files with their size, excluded files with the reason, and check boxes.
import path from 'node:path';
import type { PublishedFiles } from '@pressroom/api/publish';
import {
  EventEmitter,
  l10n,
  ThemeIcon,
  TreeItem,
  TreeItemCheckboxState,
  TreeItemCollapsibleState,
  Uri,
  type Disposable,
  type FileSystem,
  type TreeDataProvider,
} from 'vscode';
import { isWithin } from '../publish/directories/copies.ts';
import type { Directories } from '../publish/directories/directories.ts';
import { IGNORE_FILE, writeChoices } from '../publish/directories/ignore-file.ts';
import { publishedFiles } from '../publish/plan/published-files.ts';
import type { FileChange } from '../store/file-changes.ts';
import type { Memory } from '../store/memory.ts';
import { reasonText } from '../ui/reasons.ts';
import { sizeText } from '../ui/texts.ts';

export interface FileNode {
  readonly name: string;
  /** Relative to the directory; '' for the top. */
  readonly path: string;
  readonly folder: boolean;
  /** Bytes included. */
  size: number;
  /** Why it is excluded; null if included. */
  readonly reason: string | null;
  /** By an own manifest.json, included or not: ignore files do not change it. */
  readonly isListed: boolean;
  readonly children: Map<string, FileNode>;
}

export interface FilesView extends TreeDataProvider<FileNode>, Disposable {
  /** The directory shown. */
  readonly dir: string | undefined;
  show(dir: string): void;
  refresh(): void;
  /** Follows file changes in the directory shown. */
  onFile(change: FileChange): void;
  /** Includes or excludes paths, by a line in .pressroomignore. */
  check(changes: readonly (readonly [FileNode, TreeItemCheckboxState])[]): Promise<void>;
}

const SETTLE_MS = 500;
/** Files excluded by an ignore file can be included by the same file. */
const BY_FILE = 'left out by an ignore file';

export function createFiles(
  directories: Pick<Directories, 'excludeOf' | 'update' | 'uriOf'>,
  memory: Pick<Memory, 'choice' | 'target'>,
  fs: Pick<FileSystem, 'readFile' | 'writeFile' | 'stat'>,
): FilesView {
  const changed = new EventEmitter<FileNode | undefined>();
  let dir: string | undefined;
  let checked: Promise<void> = Promise.resolve();
  /** The tree shown. */
  let seen: Promise<FileNode> | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** The editor was told to ask for the tree, which is read only then. */
  let isAwaited = false;

  async function read(shown: string): Promise<FileNode> {
    await directories.update(shown);
    return treeOf(await publishedFiles(shown, directories, memory));
  }

  /** Updating a tree during a click loses the click: an unchanged one is not updated. */
  async function lookAgain(): Promise<void> {
    const before = seen;
    if (isAwaited) return;
    if (dir === undefined || before === undefined) return view.refresh();
    const now = read(dir);
    const [one, other] = await Promise.all([before, now].map((tree) => tree.then(textOf, () => null)));
    if (seen !== before || (one === other && one !== null)) return;
    seen = other === null ? undefined : now;
    changed.fire(undefined);
  }

  const view: FilesView = {
    onDidChangeTreeData: changed.event,
    get dir() {
      return dir;
    },
    show(next) {
      if (dir === next) return;
      dir = next;
      view.refresh();
    },
    refresh() {
      seen = undefined;
      isAwaited = true;
      changed.fire(undefined);
    },
    onFile({ file, kind }) {
      // A save changes only sizes: a tree of 30,000 files is not read again for that.
      if (dir === undefined || file === undefined || !isWithin(dir, file)) return;
      const decides = path.basename(file) === IGNORE_FILE || file === path.join(dir, 'manifest.json');
      if (kind === 'changed' && !decides) return;
      clearTimeout(timer);
      timer = setTimeout(() => void lookAgain(), SETTLE_MS);
    },
    dispose: () => clearTimeout(timer),
    async check(changes) {
      if (dir === undefined) return;
      const file = Uri.joinPath(directories.uriOf(dir), IGNORE_FILE);
      const choices = changes.map(([{ path: at, folder }, state]) => ({
        path: folder ? `${at}/` : at,
        isIncluded: state === TreeItemCheckboxState.Checked,
      }));
      const write = () => writeChoices(fs, file, choices);
      // One after another: each reads what the previous one wrote.
      checked = checked.catch(() => undefined).then(write);
      // After a failure, the boxes show the actual state again.
      await checked.finally(view.refresh);
    },
    async getChildren(node) {
      if (dir === undefined) return [];
      if (seen === undefined) {
        isAwaited = false;
        const reading = read(dir);
        seen = reading;
        // A failure is shown once; the next request reads again.
        reading.catch(() => (seen = seen === reading ? undefined : seen));
      }
      const children = [...(node ?? (await seen)).children.values()];
      return children.toSorted((a, b) => Number(b.folder) - Number(a.folder) || (a.name < b.name ? -1 : 1));
    },
    getTreeItem(node) {
      const item = new TreeItem(
        node.name,
        node.children.size > 0 ? TreeItemCollapsibleState.Collapsed : TreeItemCollapsibleState.None,
      );
      item.id = `${dir}\0${node.path}`;
      item.resourceUri = directories.uriOf(path.join(dir ?? '', node.path));
      item.iconPath = node.folder ? ThemeIcon.Folder : ThemeIcon.File;
      item.description = node.reason === null ? sizeText(node.size) : reasonText(node.reason);
      item.tooltip =
        node.reason === null
          ? l10n.t('Included: {0}', sizeText(node.size))
          : l10n.t('Excluded: {0}', reasonText(node.reason));
      const fixed = node.isListed || (node.reason !== null && node.reason !== BY_FILE);
      // Screen readers read the label: otherwise the tooltip would replace the name.
      const label = [node.name, item.tooltip].join(', ');
      item.accessibilityInformation = { label };
      if (!fixed) {
        item.checkboxState = {
          state: node.reason === null ? TreeItemCheckboxState.Checked : TreeItemCheckboxState.Unchecked,
          tooltip: l10n.t('Include {0} in the bundle', node.name),
          accessibilityInformation: { label: l10n.t('Include {0} in the bundle', node.name) },
        };
      }
      if (!node.folder) item.command = { title: '', command: 'vscode.open', arguments: [item.resourceUri] };
      return item;
    },
  };
  return view;
}

function treeOf({ files, excluded, isListed }: PublishedFiles): FileNode {
  const top: FileNode = {
    name: '',
    path: '',
    folder: true,
    size: 0,
    reason: null,
    isListed,
    children: new Map(),
  };
  for (const { path: file, size } of files) insert(top, file, size, null);
  for (const { path: file, reason } of excluded) insert(top, file, 0, reason);
  return top;
}

/** @param file with a slash at the end for a folder */
function insert(top: FileNode, file: string, size: number, reason: string | null): void {
  const folder = file.endsWith('/');
  const parts = (folder ? file.slice(0, -1) : file).split('/');
  let at = top;
  for (const [index, name] of parts.entries()) {
    const last = index === parts.length - 1;
    let next = at.children.get(name);
    if (next === undefined) {
      next = {
        name,
        path: parts.slice(0, index + 1).join('/'),
        folder: last ? folder : true,
        size: 0,
        reason: last ? reason : null,
        isListed: top.isListed,
        children: new Map(),
      };
      at.children.set(name, next);
    }
    next.size += size;
    at = next;
  }
}

/** All that is shown of a tree. */
function textOf({ path: at, size, reason, isListed, children }: FileNode): string {
  return JSON.stringify([at, size, reason, isListed, [...children.values()].map(textOf)]);
}
