// The Deployments tree: directories, their targets, and bundles. It subscribes to the store.
import path from 'node:path';
import type { Bundle, BundleRelease, Draft } from '@pressroom/api/contract';
import type { StoredRecord } from '@pressroom/api/publish';
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
import type { Directories } from '../publish/directories/directories.ts';
import { BUNDLES_SHOWN } from '../store/history.ts';
import type { Run, RunState } from '../store/runs.ts';
import type { DirectoryState, Store } from '../store/store.ts';
import { isOf, shownRun, targetName } from '../store/targets.ts';
import { bundleText, commitOf } from '../ui/bundle-text.ts';
import { placeText } from '../ui/place-text.ts';
import { releaseLines } from '../ui/release-text.ts';
import { agoText, engineMark, hostOf, typeText } from '../ui/texts.ts';

export interface DirectoryNode {
  readonly kind: 'directory';
  readonly dir: string;
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
  readonly draft: Draft | undefined;
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

/** Milliseconds between updates of a row during a publish. */
const REDRAW_MS = 250;

export type DeploymentsView = TreeDataProvider<DeploymentNode> & Disposable;

export function createDeployments(
  store: Store,
  directories: Pick<Directories, 'folderOf' | 'pathOf' | 'uriOf'>,
  now: () => number,
  /** Requested for a bundle's tooltip. */
  releaseOf: (record: StoredRecord, bundleId: string) => Promise<BundleRelease | null>,
): DeploymentsView {
  const changed = new EventEmitter<DeploymentNode | undefined>();
  /** One object per directory: the editor identifies the row to update by it. */
  const nodes = new Map<string, DirectoryNode>();
  const waiting = new Map<string, NodeJS.Timeout>();
  const subscription = store.onDidChange(onChange);

  function onChange(dir: string | undefined): void {
    const node = dir === undefined ? undefined : nodes.get(dir);
    if (dir === undefined || node === undefined) return changed.fire(undefined);
    if (store.run(dir)?.state !== 'running') return changed.fire(node);
    if (waiting.has(dir)) return;
    const draw = () => {
      waiting.delete(dir);
      changed.fire(node);
    };
    waiting.set(dir, setTimeout(draw, REDRAW_MS));
  }

  function nodeOf(dir: string): DirectoryNode {
    const node = nodes.get(dir) ?? { kind: 'directory', dir };
    nodes.set(dir, node);
    return node;
  }

  async function stateOf(dir: string): Promise<DirectoryState> {
    const known = await store.directories();
    return known.find((state) => state.dir === dir) ?? { dir, targets: [], active: undefined, problem: null };
  }

  async function roots(): Promise<DeploymentNode[]> {
    const states = await store.directories();
    if (states.length === 0 && workspace.workspaceFolders)
      return [{ kind: 'note', text: l10n.t('No content to publish was found.') }];
    return states.map(({ dir }) => nodeOf(dir));
  }

  async function bundles({ dir, record }: ContentNode): Promise<DeploymentNode[]> {
    const known = await store.bundles(record);
    switch (known.state) {
      case 'loaded':
        if (known.bundles.length === 0) return [{ kind: 'note', text: l10n.t('No bundles yet') }];
        return known.bundles.slice(0, BUNDLES_SHOWN).map((bundle) => ({
          kind: 'bundle',
          dir,
          record,
          bundle,
          draft: known.drafts.find(({ bundle_id }) => bundle_id === bundle.id),
        }));
      case 'untrusted':
        return [{ kind: 'note', text: l10n.t('To see the history, trust this workspace.') }];
      case 'signed-out': {
        const title = l10n.t('Sign in to {0}', hostOf(record.server));
        const command = { title, command: 'pressroom.signIn', arguments: [record.server] };
        return [{ kind: 'note', text: title, command }];
      }
      case 'failed':
        return [{ kind: 'note', text: known.why }];
    }
  }

  return {
    onDidChangeTreeData: changed.event,
    async getChildren(node) {
      if (node === undefined) return roots();
      if (node.kind === 'directory') {
        const { targets } = await stateOf(node.dir);
        return targets.map((record) => ({ kind: 'content', dir: node.dir, record }));
      }
      return node.kind === 'content' ? bundles(node) : [];
    },
    async getTreeItem(node) {
      switch (node.kind) {
        case 'directory': {
          const state = await stateOf(node.dir);
          const guess = state.active === undefined ? await store.guess(node.dir) : '';
          const run = shownRun(store.run(node.dir), state.active);
          const all = await store.directories();
          const place = placeText(
            node.dir,
            all.map(({ dir }) => dir),
          );
          return directoryItem(state, directories, { run, guess, place, now: now() });
        }
        case 'content': {
          const { active, targets } = await stateOf(node.dir);
          return contentItem(node, { active: isOf(node.record, active), only: targets.length === 1 });
        }
        case 'bundle':
          return bundleItem(node, now());
        case 'note': {
          const item = new TreeItem(node.text);
          if (node.command) item.command = node.command;
          return item;
        }
      }
    },
    async resolveTreeItem(item, node) {
      if (node.kind !== 'bundle') return item;
      const release = await releaseOf(node.record, node.bundle.id).catch(() => null);
      if (release !== null) item.tooltip = releaseLines(release).join('\n');
      else item.tooltip = commitText(node.bundle);
      return item;
    },
    dispose() {
      for (const timer of waiting.values()) clearTimeout(timer);
      subscription.dispose();
    },
  };
}

function directoryItem(
  { dir, targets, active, problem }: DirectoryState,
  { folderOf, pathOf, uriOf }: Pick<Directories, 'folderOf' | 'pathOf' | 'uriOf'>,
  { run, guess, place, now }: { run: Run | undefined; guess: string; place: string; now: number },
): TreeItem {
  const folder = folderOf(dir);
  const label = folder && pathOf(folder.uri) === dir ? folder.name : path.basename(dir);
  const item = new TreeItem(
    label,
    active === undefined ? TreeItemCollapsibleState.None : TreeItemCollapsibleState.Collapsed,
  );
  item.id = dir;
  item.resourceUri = uriOf(dir);
  const [what = '', why = ''] = guess.split('\n');
  const live = active !== undefined && active.bundle_id !== null;
  const published = live ? agoText(active.deployed_time, now) : l10n.t('not live yet');
  const where = active !== undefined && targets.length > 1 ? `${targetName(active)} · ` : '';
  const idle = active === undefined ? l10n.t('not published · {0}', what) : `${where}${published}`;
  item.description = [place, problem ?? run?.text ?? idle].filter(Boolean).join(' · ');
  item.tooltip = new MarkdownString().appendText(
    [dir, run?.text, problem ?? why].filter(Boolean).join('\n\n'),
  );
  item.iconPath = run ? ICONS[run.state] : new ThemeIcon(live ? 'pass' : 'circle-large-outline');
  const state = run?.state === 'running' ? 'running' : active === undefined ? 'unpublished' : 'published';
  const unknown = run?.state === 'unknown' ? '.unknown' : '';
  item.contextValue = `directory.${state}${engineMark(active?.app_mode)}${unknown}`;
  return named(item, label);
}

function contentItem(
  { dir, record }: ContentNode,
  { active, only }: { active: boolean; only: boolean },
): TreeItem {
  const label = record.target ?? record.name;
  const item = new TreeItem(label, TreeItemCollapsibleState.Collapsed);
  item.id = `${dir}\0${record.file}`;
  const parts = [
    ...(active && !only ? [l10n.t('active target')] : []),
    ...(record.target === undefined ? [] : [record.name]),
    hostOf(record.server),
  ];
  item.description = parts.join(' · ');
  const what = [typeText(record.app_mode), record.entrypoint ?? ''].filter(Boolean).join(', ');
  item.tooltip = `${what} · ${record.server}\n${record.guid}`;
  item.iconPath = new ThemeIcon(active && !only ? 'target' : 'globe');
  item.contextValue = `content.${active ? 'active' : 'other'}${engineMark(record.app_mode)}`;
  return named(item, label);
}

function bundleItem({ dir, record, bundle, draft }: BundleNode, now: number): TreeItem {
  const label = l10n.t('Bundle {0}', bundle.id);
  const item = new TreeItem(label);
  item.id = `${dir}\0${record.file}\0${bundle.id}`;
  const mark = bundle.active ? l10n.t('active') : draft && draftText(draft);
  item.description = bundleText(bundle, mark, now);
  item.iconPath = new ThemeIcon(bundle.active ? 'pass-filled' : draft ? 'beaker' : 'package');
  item.contextValue = bundle.active ? 'bundle.active' : draft ? 'bundle.draft' : 'bundle.earlier';
  return named(item, label);
}

/** For servers without further details. */
function commitText(bundle: Bundle): string {
  const { subject = '', author = '', sha = '' } = commitOf(bundle) ?? {};
  return [subject, author, sha].filter((text) => text !== '').join('\n');
}

function draftText({ preview }: Draft): string {
  return preview === null ? l10n.t('draft') : l10n.t('draft {0}', preview);
}

/** Screen readers read the label: otherwise the tooltip would replace it. */
function named(item: TreeItem, label: string): TreeItem {
  item.accessibilityInformation = { label: [label, item.description].filter(Boolean).join(', ') };
  return item;
}
