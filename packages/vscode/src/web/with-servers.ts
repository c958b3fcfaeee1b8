// An editor in the browser may have no folder open: below the workspace's directories its tree shows the servers, and
// commands offer their content.
import { EventEmitter, l10n, window, type TreeDataProvider } from 'vscode';
import type { Keys } from '../sign-in/keys.ts';
import type { SignIn } from '../sign-in/sign-in.ts';
import type { History } from '../store/history.ts';
import type { Store } from '../store/store.ts';
import { hostOf } from '../ui/texts.ts';
import type { DeploymentNode, DeploymentsView } from '../views/deployments.ts';
import { isNowhere, nodeOf, type ServerContent, type ServerNode, type Servers } from './servers.ts';

type Node = DeploymentNode | ServerNode;

/** Combines both trees. */
export function withServers(deployments: DeploymentsView, servers: Servers): TreeDataProvider<Node> {
  const changed = new EventEmitter<Node | undefined>();
  deployments.onDidChangeTreeData?.((node) => changed.fire(node as Node | undefined));
  servers.onDidChangeTreeData?.(() => changed.fire(undefined));
  /** Nodes of the servers. */
  const theirs = new WeakSet<object>();
  const isTheirs = (node: Node): node is ServerNode => theirs.has(node);

  async function childrenOfServers(node?: ServerNode): Promise<Node[]> {
    const children = (await servers.getChildren(node)) ?? [];
    for (const child of children) theirs.add(child);
    return children;
  }

  return {
    onDidChangeTreeData: changed.event,
    async getChildren(node) {
      if (node !== undefined && isTheirs(node)) return childrenOfServers(node);
      const own = (await deployments.getChildren(node)) ?? [];
      if (node !== undefined) return own;
      const shown = own.filter((item) => item.kind === 'note' || !isNowhere(item.dir));
      return [...shown, ...(await childrenOfServers())];
    },
    getTreeItem: (node) =>
      isTheirs(node) ? servers.getTreeItem(node) : deployments.getTreeItem(node as DeploymentNode),
  };
}

/** Commands about published content. */
const ON_CONTENT: ReadonlySet<string> = new Set([
  'activateDraft',
  'discardDraft',
  'followLog',
  'manageVariables',
  'open',
  'openDashboard',
  'openDraft',
  'restart',
  'rollback',
  'rollbackLast',
  'schedule',
  'showProcessLog',
  'showRenderingLog',
  'stop',
  'variants',
]);

/** The content of a command without an argument if nothing in the workspace is published; undefined if cancelled. */
export function createPicker(parts: {
  readonly keys: Keys;
  readonly signIn: SignIn;
  readonly history: Pick<History, 'mine'>;
  readonly store: Pick<Store, 'directories'>;
}): (command: string, argument: unknown) => Promise<{ readonly argument: unknown } | undefined> {
  const { keys, signIn, history, store } = parts;

  async function pick(): Promise<ServerContent | undefined> {
    const server = keys.accounts()[0]?.server ?? (await signIn.server());
    if (server === undefined) return undefined;
    const items = (await history.mine(server)).map((content) => ({
      label: content.title ?? content.name,
      description: hostOf(server),
      node: nodeOf(server, content),
    }));
    return (await window.showQuickPick(items, { placeHolder: l10n.t('Select content') }))?.node;
  }

  return async (command, argument) => {
    if (!ON_CONTENT.has(command) || argument !== undefined) return { argument };
    if ((await store.directories()).some(({ targets }) => targets.length > 0)) return { argument };
    const node = await pick();
    return node && { argument: node };
  };
}
