// The tree of deployments: directories, the content each was published as, and the bundles of that content.
import path from 'node:path';
import type { Bundle } from '@pressroom/api/contract';
import { collectFiles, detectContent, readRecords, type StoredRecord } from '@pressroom/api/publish';
import {
  EventEmitter,
  l10n,
  MarkdownString,
  ThemeColor,
  ThemeIcon,
  TreeItem,
  TreeItemCollapsibleState,
  workspace,
  type Disposable,
  type TreeDataProvider,
} from 'vscode';
import type { Directories } from '../publish/directories.ts';
import { NotSignedInError, type History } from '../store/history.ts';
import type { Memory } from '../store/memory.ts';
import type { Run, Runs, RunState } from '../store/runs.ts';
import { explain } from '../ui/explain.ts';
import { agoText, hostOf, sizeText, typeText } from '../ui/texts.ts';

export interface DirectoryNode {
  readonly kind: 'directory';
  readonly dir: string;
  readonly records: readonly StoredRecord[];
  readonly problem: string | null;
}
export interface ContentNode {
  readonly kind: 'content';
  readonly dir: string;
  readonly record: StoredRecord;
}
export interface BundleNode {
  readonly kind: 'bundle';
  readonly dir: string;
  readonly record: StoredRecord;
  readonly bundle: Bundle;
}
interface NoteNode {
  readonly kind: 'note';
  readonly text: string;
  readonly command?: { readonly title: string; readonly command: string; readonly arguments?: unknown[] };
}
export type DeploymentNode = DirectoryNode | ContentNode | BundleNode | NoteNode;

const ICONS: Readonly<Record<RunState, ThemeIcon>> = {
  running: new ThemeIcon('loading~spin'),
  done: new ThemeIcon('pass', new ThemeColor('testing.iconPassed')),
  failed: new ThemeIcon('error', new ThemeColor('testing.iconFailed')),
  cancelled: new ThemeIcon('circle-slash'),
  unknown: new ThemeIcon('question'),
};

export interface DeploymentsView extends TreeDataProvider<DeploymentNode>, Disposable {
  refresh(): void;
}

export function createDeployments(
  runs: Runs,
  history: History,
  memory: Memory,
  directories: Directories,
  now: () => number,
): DeploymentsView {
  const changed = new EventEmitter<DeploymentNode | undefined>();
  const subscription = runs.onDidChange(() => changed.fire(undefined));
  /** Guesses by directory, made when the tree is shown. */
  const guesses = new Map<string, Promise<string>>();

  async function roots(): Promise<DeploymentNode[]> {
    const dirs = await directories.all();
    const others = runs
      .all()
      .map(({ dir }) => dir)
      .filter((dir) => !dirs.includes(dir));
    const all = [...dirs, ...others];
    if (all.length === 0 && workspace.workspaceFolders)
      return [{ kind: 'note', text: l10n.t('No content to publish was found.') }];
    return Promise.all(
      all.map(async (dir): Promise<DirectoryNode> => {
        try {
          return { kind: 'directory', dir, records: await readRecords(dir), problem: null };
        } catch (error) {
          return { kind: 'directory', dir, records: [], problem: explain(error) };
        }
      }),
    );
  }

  async function bundles({ dir, record }: ContentNode): Promise<DeploymentNode[]> {
    if (!workspace.isTrusted)
      return [{ kind: 'note', text: l10n.t('To see the history, trust this workspace.') }];
    try {
      const all = await history.bundles(record);
      if (all.length === 0) return [{ kind: 'note', text: l10n.t('No bundles yet') }];
      return all.map((bundle) => ({ kind: 'bundle', dir, record, bundle }));
    } catch (error) {
      if (!(error instanceof NotSignedInError)) return [{ kind: 'note', text: explain(error) }];
      const title = l10n.t('Sign in to {0}', hostOf(record.server));
      const command = { title, command: 'pressroom.signIn', arguments: [record.server] };
      return [{ kind: 'note', text: title, command }];
    }
  }

  function guess(dir: string): Promise<string> {
    const found = guesses.get(dir) ?? guessOf(dir, memory);
    guesses.set(dir, found);
    return found;
  }

  return {
    onDidChangeTreeData: changed.event,
    refresh() {
      guesses.clear();
      changed.fire(undefined);
    },
    async getChildren(node) {
      if (node === undefined) return roots();
      if (node.kind === 'directory') {
        return node.records.map((record) => ({ kind: 'content', dir: node.dir, record }));
      }
      return node.kind === 'content' ? bundles(node) : [];
    },
    async getTreeItem(node) {
      switch (node.kind) {
        case 'directory':
          return directoryItem(
            node,
            directories,
            runs.get(node.dir),
            node.records.length === 0 ? await guess(node.dir) : '',
            now(),
          );
        case 'content':
          return contentItem(node);
        case 'bundle':
          return bundleItem(node, now());
        case 'note': {
          const item = new TreeItem(node.text);
          if (node.command) item.command = node.command;
          return item;
        }
      }
    },
    dispose: () => subscription.dispose(),
  };
}

/** The type it would be published as, and why. */
async function guessOf(dir: string, memory: Memory): Promise<string> {
  try {
    const { files } = await collectFiles(dir, { exclude: ['/*/'] });
    const candidates = await detectContent(dir, files);
    const { type } = memory.choice(dir) ?? {};
    const best = candidates.find((candidate) => candidate.appmode === type) ?? candidates[0];
    if (best === undefined) return l10n.t('No content to publish was found.');
    const others =
      candidates.length > 1 ? ` ${l10n.t('Other possible types: {0}.', candidates.length - 1)}` : '';
    return `${typeText(best.appmode)}, ${best.entrypoint || best.primary}\n${best.why}${others}`;
  } catch (error) {
    return explain(error);
  }
}

function directoryItem(
  node: DirectoryNode,
  { folderOf, pathOf, uriOf }: Directories,
  run: Run | undefined,
  guess: string,
  now: number,
): TreeItem {
  const { dir, records, problem } = node;
  const folder = folderOf(dir);
  const label = folder && pathOf(folder.uri) === dir ? folder.name : path.basename(dir);
  const [newest] = records;
  const item = new TreeItem(
    label,
    newest === undefined ? TreeItemCollapsibleState.None : TreeItemCollapsibleState.Collapsed,
  );
  item.id = dir;
  item.resourceUri = uriOf(dir);
  const [what = '', why = ''] = guess.split('\n');
  const live = newest !== undefined && newest.bundle_id !== null;
  const published = live ? agoText(newest.deployed_time, now) : l10n.t('not live yet');
  const idle = newest === undefined ? l10n.t('not published · {0}', what) : published;
  item.description = problem ?? run?.text ?? idle;
  item.tooltip = new MarkdownString().appendText(
    [dir, run?.text, problem ?? why].filter(Boolean).join('\n\n'),
  );
  item.iconPath = run ? ICONS[run.state] : new ThemeIcon(live ? 'pass' : 'circle-large-outline');
  const state = run?.state === 'running' ? 'running' : newest === undefined ? 'unpublished' : 'published';
  item.contextValue = `directory.${state}${run?.state === 'unknown' ? '.unknown' : ''}`;
  return item;
}

function contentItem({ dir, record }: ContentNode): TreeItem {
  const item = new TreeItem(record.name, TreeItemCollapsibleState.Collapsed);
  item.id = `${dir}\0${record.file}`;
  item.description = hostOf(record.server);
  item.tooltip = `${typeText(record.app_mode)} · ${record.server}\n${record.guid}`;
  item.iconPath = new ThemeIcon('globe');
  item.contextValue = 'content';
  return item;
}

function bundleItem({ dir, record, bundle }: BundleNode, now: number): TreeItem {
  const item = new TreeItem(l10n.t('Bundle {0}', bundle.id));
  item.id = `${dir}\0${record.file}\0${bundle.id}`;
  const active = bundle.active ? `${l10n.t('active')} · ` : '';
  item.description = `${active}${agoText(bundle.created_time, now)} · ${sizeText(bundle.size)}`;
  item.iconPath = new ThemeIcon(bundle.active ? 'pass-filled' : 'package');
  item.contextValue = bundle.active ? 'bundle.active' : 'bundle.earlier';
  return item;
}
