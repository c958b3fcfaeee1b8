// The extension in an editor that runs in a browser only: follows, rolls back and sets variables of what is published.
// Publishing reads and packs files with Node.js: those commands say where it works.
import { commands, l10n, Uri, window, workspace, type ExtensionContext, type LogOutputChannel } from 'vscode';
import type { CommandParts } from '../commands/command.ts';
import { WEB_COMMANDS } from './table.ts';
import { registerAuthentication } from '../sign-in/authentication-provider.ts';
import { createConnect } from '../sign-in/connect.ts';
import { createKeys } from '../sign-in/keys.ts';
import { createSignIn } from '../sign-in/sign-in.ts';
import { createHistory } from '../store/history.ts';
import { attempt } from '../ui/attempt.ts';
import { hostOf } from '../ui/texts.ts';
import { createFollowedLogs } from '../views/followed-logs.ts';
import { createProcessLogs, PROCESS_SCHEME } from '../views/process-logs.ts';
import { fetchConnection } from './fetch-connection.ts';
import { makeLive } from './make-live.ts';
import { createWebTree, nodeOf, type WebContent } from './tree.ts';

/** What is in bundles is of interest beside files only. */
const NOTHING_KEPT = { get: async () => undefined, keep: async () => undefined };

export function activate(context: ExtensionContext): void {
  const { subscriptions } = context;
  const manifest = context.extension.packageJSON as {
    version: string;
    contributes: { commands: { command: string }[] };
  };
  let channel: LogOutputChannel | undefined;
  const output = () => {
    if (channel === undefined)
      subscriptions.push((channel = window.createOutputChannel('Pressroom', { log: true })));
    return channel;
  };
  const log = {
    line: (text: string) => output().info(text),
    trace: (text: string) => output().trace(text),
    show: () => output().show(true),
  };
  const { version } = manifest;
  const connect = createConnect({
    version,
    onNotice: undefined,
    trace: log.trace,
    connection: fetchConnection,
  });
  const keys = createKeys(context.secrets, context.globalState);
  const signIn = createSignIn(keys, connect, context.globalState);
  const history = createHistory(keys, connect, NOTHING_KEPT, undefined);
  const tree = createWebTree(history, keys.accounts, Date.now);
  const processLogs = createProcessLogs(history, Date.now);
  const followedLogs = createFollowedLogs(history);

  const live = async (_dir: string, bundle: Parameters<typeof makeLive>[1]) => {
    const key = await keys.get(bundle.server);
    if (key === undefined) return undefined;
    const client = connect(bundle.server, key);
    try {
      await makeLive(client, bundle, log);
    } finally {
      await client.close();
      tree.refresh();
    }
    return undefined;
  };
  const top = workspace.workspaceFolders?.[0]?.uri;
  const parts = {
    keys,
    signIn,
    history,
    processLogs,
    followedLogs,
    log,
    refresh: tree.refresh,
    publisher: { rollback: live, activateDraft: live },
    store: { refresh: tree.refresh, reload: async () => tree.refresh() },
    directories: { uriOf: (name: string) => (top === undefined ? Uri.file(name) : Uri.joinPath(top, name)) },
  } as unknown as CommandParts;

  /** The content that a command is about: of the tree, else one that the person picks. */
  async function pick(): Promise<WebContent | undefined> {
    const server = keys.accounts()[0]?.server ?? (await signIn.server());
    if (server === undefined) return undefined;
    const items = (await history.mine(server)).map((content) => ({
      label: content.title ?? content.name,
      description: hostOf(server),
      node: nodeOf(server, content),
    }));
    return (await window.showQuickPick(items, { placeHolder: l10n.t('Select content') }))?.node;
  }

  for (const { command: id } of manifest.contributes.commands) {
    const command = WEB_COMMANDS[id.replace('pressroom.', '')];
    const run = async (argument?: unknown) => {
      if (command === undefined) return tellWhere();
      const given = command.takes === 'content' && !isNode(argument) ? await pick() : argument;
      if (command.takes === 'content' && given === undefined) return;
      await command.run(parts, given);
    };
    subscriptions.push(commands.registerCommand(id, (argument?: unknown) => attempt(() => run(argument))));
  }
  subscriptions.push(
    window.createTreeView('pressroom.deployments', { treeDataProvider: tree }),
    keys.onDidChange(tree.refresh),
    registerAuthentication(keys, signIn),
    workspace.registerTextDocumentContentProvider(PROCESS_SCHEME, processLogs),
    followedLogs,
  );
  void commands.executeCommand('setContext', 'pressroom.inBrowser', true);
}

function isNode(argument: unknown): boolean {
  return typeof argument === 'object' && argument !== null && 'record' in argument;
}

/** Why nothing is published here, and where it is. */
function tellWhere(): void {
  const text = l10n.t(
    'This does not work in an editor that runs in the browser only: it reads your files with Node.js. Open the folder in VS Code on your computer, in a codespace or on a remote machine. What is published can be followed, rolled back and given variables here.',
  );
  void window.showWarningMessage(text);
}
