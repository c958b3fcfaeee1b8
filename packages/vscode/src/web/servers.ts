// Servers in the tree of an editor in the browser, with content that the user may publish to, and its bundles.
import type { Bundle, Draft } from '@pressroom/api/contract';
import {
  EventEmitter,
  l10n,
  ThemeIcon,
  TreeItem,
  TreeItemCollapsibleState,
  type TreeDataProvider,
} from 'vscode';
import type { Account } from '../sign-in/keys.ts';
import type { ContentRef } from '../store/content-ref.ts';
import { BUNDLES_SHOWN, type ContentDetails, type History } from '../store/history.ts';
import { bundleText } from '../ui/bundle-text.ts';
import { explain } from '../ui/explain.ts';
import { engineMark, hostOf, typeText } from '../ui/texts.ts';

/** Directories of content without a folder, for commands: none of them is in the workspace. */
const NOWHERE = '/published/';

export const isNowhere = (dir: string): boolean => dir.startsWith(NOWHERE);

/** Argument of commands: `dir` ends in its name. */
export interface ServerContent {
  readonly kind: 'content';
  readonly dir: string;
  readonly record: ContentRef & { readonly name: string; readonly app_mode: string };
}
export type ServerNode =
  | ServerContent
  | { readonly kind: 'server'; readonly account: Account }
  | (Omit<ServerContent, 'kind'> & {
      readonly kind: 'bundle';
      readonly bundle: Bundle;
      readonly draft: Draft | undefined;
    })
  | { readonly kind: 'note'; readonly text: string };

export interface Servers extends TreeDataProvider<ServerNode> {
  refresh(): void;
}

export function createServers(
  history: Pick<History, 'mine' | 'bundles' | 'drafts'>,
  accounts: () => readonly Account[],
  now: () => number,
): Servers {
  const changed = new EventEmitter<undefined>();

  async function childrenOf(node: ServerNode | undefined): Promise<ServerNode[]> {
    if (node === undefined) return accounts().map((account) => ({ kind: 'server', account }));
    if (node.kind === 'server') {
      const found = await history.mine(node.account.server);
      return found.length === 0
        ? [{ kind: 'note', text: l10n.t('Nothing was published by you or with you yet.') }]
        : found.map((content) => nodeOf(node.account.server, content));
    }
    if (node.kind !== 'content') return [];
    const { dir, record } = node;
    const [bundles, drafts] = await Promise.all([history.bundles(record), history.drafts(record)]);
    if (bundles.length === 0) return [{ kind: 'note', text: l10n.t('No bundles yet') }];
    return bundles.slice(0, BUNDLES_SHOWN).map((bundle) => {
      const draft = drafts.find(({ bundle_id }) => bundle_id === bundle.id);
      return { kind: 'bundle', dir, record, bundle, draft };
    });
  }

  return {
    onDidChangeTreeData: changed.event,
    refresh: () => changed.fire(undefined),
    getChildren: (node) =>
      childrenOf(node).catch((error: unknown) => [{ kind: 'note', text: explain(error) } as const]),
    getTreeItem: (node) => itemOf(node, now()),
  };
}

export function nodeOf(server: string, { guid, name, title, app_mode }: ContentDetails): ServerContent {
  const shown = title ?? name;
  const dir = `${NOWHERE}${guid}/${shown.replaceAll('/', '-')}`;
  return { kind: 'content', dir, record: { server, guid, name: shown, app_mode } };
}

function itemOf(node: ServerNode, now: number): TreeItem {
  const [label, description, icon, context, open] = partsOf(node, now);
  const item = new TreeItem(label, open ? TreeItemCollapsibleState.Collapsed : TreeItemCollapsibleState.None);
  item.description = description;
  if (icon !== null) item.iconPath = new ThemeIcon(icon);
  item.contextValue = context;
  item.accessibilityInformation = { label: [label, description].filter(Boolean).join(', ') };
  return item;
}

type Parts = readonly [
  label: string,
  description: string,
  icon: string | null,
  context: string,
  open: boolean,
];

function partsOf(node: ServerNode, now: number): Parts {
  switch (node.kind) {
    case 'server':
      return [hostOf(node.account.server), node.account.username, 'server', 'server', true];
    case 'content':
      return [
        node.record.name,
        typeText(node.record.app_mode),
        'globe',
        `content.other${engineMark(node.record.app_mode)}`,
        true,
      ];
    case 'bundle': {
      const { bundle, draft } = node;
      const mark = bundle.active ? l10n.t('active') : draft && l10n.t('draft');
      const description = bundleText(bundle, mark, now);
      const state = bundle.active ? 'active' : draft ? 'draft' : 'earlier';
      const icon = { active: 'pass-filled', draft: 'beaker', earlier: 'package' }[state];
      return [l10n.t('Bundle {0}', bundle.id), description, icon, `bundle.${state}`, false];
    }
    case 'note':
      return [node.text, '', null, 'note', false];
  }
}
