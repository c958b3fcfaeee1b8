// Activates the extension: creates and registers its parts. Makes no connection.
import path from 'node:path';
import { nodeConnection } from '@pressroom/api/client';
import {
  commands,
  l10n,
  tasks,
  window,
  workspace,
  type ExtensionContext,
  type LogOutputChannel,
  type TreeItemCheckboxState,
} from 'vscode';
import type { Actions } from './actions.ts';
import { createCopies } from './publish/directories/copies.ts';
import { createDirectories } from './publish/directories/directories.ts';
import type { Publisher } from './publish/publisher.ts';
import { resumeDeploys } from './publish/resume-deploys.ts';
import type { Log } from './publish/run/drive.ts';
import { createTaskProvider, TASK_TYPE } from './publish/task-provider.ts';
import { createUriHandler } from './publish/uri-handler.ts';
import { registerAuthentication } from './sign-in/authentication-provider.ts';
import { claimAt } from './sign-in/claim-at.ts';
import { createConnect } from './sign-in/connect.ts';
import { createKeys } from './sign-in/keys.ts';
import { createSignIn } from './sign-in/sign-in.ts';
import { createBundleContents } from './store/bundle-contents.ts';
import { earlierState } from './store/earlier-state.ts';
import { watchFiles } from './store/file-changes.ts';
import { createHistory, type History } from './store/history.ts';
import { createMemory, type Kept, type Memory } from './store/memory.ts';
import { createRuns } from './store/runs.ts';
import { createStore } from './store/store.ts';
import { activeTarget, targetName } from './store/targets.ts';
import { registerTools } from './tools/register.ts';
import { attempt } from './ui/attempt.ts';
import { explain } from './ui/explain.ts';
import {
  createBundleDocuments,
  createNumberDocuments,
  NUMBERS_SCHEME,
  SCHEME,
} from './views/bundle-documents.ts';
import { createBundlePictures, PICTURES_SCHEME } from './views/bundle-pictures.ts';
import { createDecorations } from './views/decorations.ts';
import { createDeployments } from './views/deployments.ts';
import { createFiles } from './views/files.ts';
import { createFollowedLogs } from './views/followed-logs.ts';
import { createProcessLogs, PROCESS_SCHEME } from './views/process-logs.ts';
import { createStatusBar } from './views/status-bar.ts';
import { fetchConnection } from './web/fetch-connection.ts';
import { IN_BROWSER } from './web/platform/in-browser.ts';
import { createServers, isNowhere } from './web/servers.ts';
import { createPicker, withServers } from './web/with-servers.ts';

const PREFIX = 'pressroom.';
/** Milliseconds between two checks of records that changed without an event. */
const CHECK_MS = 3000;

/** Fields of the extension's manifest. */
interface PackageJson {
  readonly version: string;
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    readonly languageModelTools: readonly { readonly name: string }[];
  };
}

let abandon: () => Promise<void> = () => Promise.resolve();

export function activate(context: ExtensionContext): void {
  const { subscriptions } = context;
  const log = createLog(subscriptions);
  const { version, contributes } = context.extension.packageJSON as PackageJson;
  const connect = createConnect({
    version,
    onNotice: (notice) => log.line(notice.message),
    trace: log.trace,
    // The editor applies its proxy and certificates to node:https, and handles environment variables.
    connection: IN_BROWSER ? fetchConnection : nodeConnection,
  });
  const keys = createKeys(context.secrets, context.globalState);
  const signIn = createSignIn(keys, connect, context.globalState, IN_BROWSER ? undefined : claimAt);
  const { storage, state, bundles } = places(context);
  const memory = createMemory(
    state,
    (error) => log.line(explain(error)),
    typeof state === 'string' && workspace.workspaceFile !== undefined
      ? () => earlierState(state, (dir) => directories.folderOf(dir) !== undefined)
      : undefined,
  );
  const directories = createDirectories(
    createCopies(workspace.fs),
    storage,
    ({ scheme }) => !IN_BROWSER && scheme === 'file',
  );
  const runs = createRuns();
  const contents = createBundleContents(bundles);
  const history = createHistory(keys, connect, contents, async (archive) =>
    (await import('./actions.ts')).readBundle(archive),
  );
  const fileChanges = watchFiles(directories);
  const store = createStore({ runs, history, memory, directories, keys, fileChanges });
  const files = createFiles(directories, memory, workspace.fs);
  const pictures = createBundlePictures();
  const processLogs = createProcessLogs(history, Date.now);
  const followedLogs = createFollowedLogs(history);
  const deployments = createDeployments(store, directories, Date.now, (record, id) =>
    history.release(record, id),
  );
  const decorations = createDecorations(directories, contents, memory, fileChanges, store);
  const servers = createServers(history, keys.accounts, Date.now);
  const pick = createPicker({ keys, signIn, history, store });
  const deploymentsTree = window.createTreeView('pressroom.deployments', {
    treeDataProvider: IN_BROWSER ? withServers(deployments, servers) : deployments,
  });
  const filesTree = window.createTreeView('pressroom.files', {
    treeDataProvider: files,
    manageCheckboxStateManually: true,
  });
  const refresh = () => {
    store.refresh();
    servers.refresh();
    files.refresh();
    void decorations.refresh();
  };
  const checkRecords = () => void (deploymentsTree.visible && store.check());
  // In a browser, only this window changes them.
  const checking = IN_BROWSER ? undefined : setInterval(checkRecords, CHECK_MS);
  let loaded: Promise<Actions> | undefined;
  const load = async () => {
    const { createActions } = await import('./actions.ts');
    const actions = createActions({
      directories,
      keys,
      signIn,
      connect,
      runs,
      memory,
      history,
      store,
      contents,
      files,
      pictures,
      processLogs,
      followedLogs,
      log,
      refresh,
    });
    subscriptions.push(actions, fileChanges.onDidChange(actions.dependencies.onFile));
    return actions;
  };
  const actions = () => (loaded ??= load());
  const publisher: Pick<Publisher, 'publish'> = {
    publish: async (...args) => (await actions()).publisher.publish(...args),
  };
  for (const { command } of contributes.commands) {
    const name = command.slice(PREFIX.length);
    const run = (argument?: unknown) =>
      attempt(async () => {
        const about = IN_BROWSER ? await pick(name, argument) : { argument };
        return about && (await actions()).run(name, about.argument);
      });
    subscriptions.push(commands.registerCommand(command, run));
  }
  subscriptions.push(
    { dispose: () => clearInterval(checking) },
    fileChanges,
    store,
    deployments,
    decorations,
    files,
    followedLogs,
    filesTree,
    deploymentsTree,
    createStatusBar(runs, store, directories.pathOf),
    registerAuthentication(keys, signIn),
    workspace.registerTextDocumentContentProvider(SCHEME, createBundleDocuments(history)),
    workspace.registerTextDocumentContentProvider(NUMBERS_SCHEME, createNumberDocuments()),
    workspace.registerFileSystemProvider(PICTURES_SCHEME, pictures, { isReadonly: true }),
    workspace.registerTextDocumentContentProvider(PROCESS_SCHEME, processLogs),
    tasks.registerTaskProvider(TASK_TYPE, createTaskProvider(publisher, directories)),
    window.registerUriHandler(createUriHandler(publisher, directories)),
    ...registerTools(contributes.languageModelTools, actions),
    filesTree.onDidChangeCheckboxState(({ items }) =>
      attempt(() =>
        files.check(items.map(([node, state]) => [node, state as TreeItemCheckboxState] as const)),
      ),
    ),
    fileChanges.onDidChange(files.onFile),
    // The Files view shows the selection of the Deployments tree.
    deploymentsTree.onDidChangeSelection(({ selection: [node] }) => {
      if (node === undefined || node.kind === 'note' || node.kind === 'server') return;
      if (node.dir !== files.dir && !isNowhere(node.dir)) files.show(node.dir);
    }),
    store.onDidChange(() => {
      const [only, ...others] = store.known();
      const target = others.length === 0 ? only?.active : undefined;
      deploymentsTree.description = target && targetName(target);
    }),
    runs.onDidChange((dir) => {
      setContext(
        'running',
        runs.all().some(({ state }) => state === 'running'),
      );
      if (runs.get(dir)?.state === 'done') setContext('published', true);
      if (runs.get(dir)?.state === 'done') void learned(dir, history, memory);
      if (runs.get(dir)?.state === 'running') return;
      servers.refresh();
      void decorations.scan();
    }),
    workspace.onDidChangeWorkspaceFolders(refresh),
    workspace.onDidGrantWorkspaceTrust(refresh),
  );
  const noteAccounts = () => {
    servers.refresh();
    setContext('signedIn', keys.accounts().length > 0);
  };
  setContext('inBrowser', IN_BROWSER);
  noteAccounts();
  subscriptions.push(keys, keys.onDidChange(noteAccounts));
  void decorations.scan();
  subscriptions.push(
    resumeDeploys(memory, (deploy) => attempt(async () => (await actions()).publisher.resume(deploy))),
  );
  for (const upload of memory.interrupted())
    void attempt(async () => (await actions()).publisher.offerAgain(upload));
  abandon = async () => {
    await runs.abandon();
    await memory.settled();
  };
}

/** Storage locations. In a browser, files are in memory while the window is open; the editor stores the rest. */
function places({ storageUri, globalStorageUri, workspaceState }: ExtensionContext) {
  if (!IN_BROWSER) {
    const storage = storageUri?.fsPath;
    return {
      storage,
      state: storage && path.join(storage, 'state.json'),
      bundles: path.join(globalStorageUri.fsPath, 'bundles'),
    };
  }
  const state: Kept = {
    read: () => workspaceState.get<string>('state'),
    write: (text) => workspaceState.update('state', text),
  };
  return { storage: '/pressroom', state, bundles: undefined };
}

/** For menus and the steps of the walkthrough. */
function setContext(name: string, value: boolean): void {
  void commands.executeCommand('setContext', `pressroom.${name}`, value);
}

/** Cancels uploads that the server has not started to deploy; running deploys continue, and are resumed next time. */
export function deactivate(): Promise<void> {
  return abandon();
}

/** After a rollback, the contents of the active bundle may be unknown here. */
async function learned(dir: string, history: History, memory: Memory): Promise<void> {
  const record = await activeTarget(dir, memory).catch(() => undefined);
  if (record === undefined || record.bundle_id === null) return;
  // Otherwise files have no marks, which needs no message.
  await history.learn(record, record.bundle_id).catch(() => undefined);
}

function createLog(subscriptions: { dispose(): unknown }[]): Log {
  let channel: LogOutputChannel | undefined;
  const open = () => {
    if (channel === undefined) {
      channel = window.createOutputChannel(l10n.t('Pressroom'), { log: true });
      subscriptions.push(channel);
    }
    return channel;
  };
  return {
    line: (text) => {
      if (text !== '') open().info(text);
    },
    trace: (text) => open().trace(text),
    show: () => open().show(true),
  };
}
