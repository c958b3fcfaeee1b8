// Activates the extension: creates its parts and registers them. Opens no connection by itself.
import path from 'node:path';
import {
  commands,
  l10n,
  lm,
  tasks,
  window,
  workspace,
  type ExtensionContext,
  type OutputChannel,
  type TreeItemCheckboxState,
} from 'vscode';
import { type HandOver, readRecords } from '@pressroom/api/publish';
import type { CommandParts } from './commands/command.ts';
import { COMMANDS } from './commands/table.ts';
import { registerAuthentication } from './sign-in/authentication-provider.ts';
import { createConnect } from './sign-in/connect.ts';
import { createKeys } from './sign-in/keys.ts';
import { createSignIn } from './sign-in/sign-in.ts';
import { createBundleContents } from './store/bundle-contents.ts';
import { createCopies } from './publish/copies.ts';
import { createDiagnostics } from './publish/diagnostics.ts';
import { createDirectories } from './publish/directories.ts';
import type { Log } from './publish/drive.ts';
import { createHistory, type History } from './store/history.ts';
import { createTool, TOOL } from './publish/language-model-tool.ts';
import { createMemory } from './store/memory.ts';
import { createPlanner } from './publish/plan.ts';
import { createPublisher } from './publish/publisher.ts';
import { createRuns } from './store/runs.ts';
import { createTaskProvider, TASK_TYPE } from './publish/task-provider.ts';
import { createUriHandler } from './publish/uri-handler.ts';
import { attempt } from './ui/attempt.ts';
import { explain } from './ui/explain.ts';
import { createBundleDocuments, SCHEME } from './views/bundle-documents.ts';
import { createDecorations } from './views/decorations.ts';
import { createDeployments } from './views/deployments.ts';
import { createFiles } from './views/files.ts';
import { createProcessLogs, PROCESS_SCHEME } from './views/process-logs.ts';
import { createStatusBar } from './views/status-bar.ts';

let abandon: () => Promise<void> = () => Promise.resolve();

export function activate(context: ExtensionContext): void {
  const { subscriptions } = context;
  const log = createLog(subscriptions);
  const version = (context.extension.packageJSON as { version: string }).version;
  const connect = createConnect(version, (notice) => log.line(notice.message));
  const keys = createKeys(context.secrets, context.globalState);
  const signIn = createSignIn(keys, connect, context.globalState);
  const storage = context.storageUri?.fsPath;
  const memory = createMemory(storage && path.join(storage, 'state.json'), (error) =>
    log.line(explain(error)),
  );
  const directories = createDirectories(createCopies(workspace.fs), storage);
  const runs = createRuns();
  const contents = createBundleContents(path.join(context.globalStorageUri.fsPath, 'bundles'));
  const history = createHistory(keys, connect, contents);
  const planner = createPlanner(keys, signIn, memory, directories);
  const diagnostics = createDiagnostics(directories);
  const handOver = slackHook(process.env);
  const publisher = createPublisher({
    directories,
    planner,
    keys,
    signIn,
    connect,
    runs,
    memory,
    log,
    diagnostics,
    contents,
    handOver,
  });
  const files = createFiles(directories, workspace.fs);
  const processLogs = createProcessLogs(history, Date.now);
  const deployments = createDeployments(runs, history, memory, directories, Date.now);
  const decorations = createDecorations(directories, contents);
  const filesTree = window.createTreeView('pressroom.files', {
    treeDataProvider: files,
    manageCheckboxStateManually: true,
  });
  const refresh = () => {
    deployments.refresh();
    files.refresh();
    void decorations.refresh();
  };
  const parts: CommandParts = {
    directories,
    publisher,
    planner,
    keys,
    signIn,
    runs,
    memory,
    history,
    files,
    processLogs,
    log,
    refresh,
  };
  for (const [name, command] of Object.entries(COMMANDS)) {
    const run = (argument?: unknown) => attempt(() => command.run(parts, argument));
    subscriptions.push(commands.registerCommand(`pressroom.${name}`, run));
  }
  subscriptions.push(
    diagnostics,
    deployments,
    decorations,
    filesTree,
    window.registerTreeDataProvider('pressroom.deployments', deployments),
    createStatusBar(runs),
    registerAuthentication(keys, signIn),
    workspace.registerTextDocumentContentProvider(SCHEME, createBundleDocuments(history)),
    workspace.registerTextDocumentContentProvider(PROCESS_SCHEME, processLogs),
    tasks.registerTaskProvider(TASK_TYPE, createTaskProvider(publisher, directories)),
    window.registerUriHandler(createUriHandler(publisher, directories)),
    lm.registerTool(TOOL, createTool(publisher, directories)),
    filesTree.onDidChangeCheckboxState(({ items }) =>
      attempt(() =>
        files.check(items.map(([node, state]) => [node, state as TreeItemCheckboxState] as const)),
      ),
    ),
    runs.onDidChange((dir) => {
      const running = runs.all().some(({ state }) => state === 'running');
      void commands.executeCommand('setContext', 'pressroom.running', running);
      if (runs.get(dir)?.state === 'done') void learned(dir, history);
      if (runs.get(dir)?.state !== 'running') void decorations.scan();
    }),
    workspace.onDidChangeWorkspaceFolders(refresh),
    workspace.onDidGrantWorkspaceTrust(refresh),
    keys.onDidChange(() => deployments.refresh()),
  );
  void decorations.scan();
  for (const deploy of memory.unfinished()) void attempt(() => publisher.resume(deploy));
  for (const upload of memory.interrupted()) publisher.offerAgain(upload);
  abandon = async () => {
    await runs.abandon();
    await memory.settled();
  };
}

/** Takes back what the server has not started; deploys that run there go on, and are resumed next time. */
export function deactivate(): Promise<void> {
  return abandon();
}

/** After a rollback the contents of the active bundle may not be known here. */
async function learned(dir: string, history: History): Promise<void> {
  const [record] = await readRecords(dir).catch(() => []);
  if (record === undefined || record.bundle_id === null) return;
  // Without it, files have no marks: not worth a message.
  await history.learn(record, record.bundle_id).catch(() => undefined);
}

function createLog(subscriptions: { dispose(): unknown }[]): Log {
  let channel: OutputChannel | undefined;
  const open = () => {
    if (channel === undefined) {
      channel = window.createOutputChannel(l10n.t('Pressroom'), 'log');
      subscriptions.push(channel);
    }
    return channel;
  };
  return { line: (text) => open().appendLine(text), show: () => open().show(true) };
}

/** From the environment of the editor, as for the command line: a workspace cannot set it. */
function slackHook(env: NodeJS.ProcessEnv): HandOver | undefined {
  const { PRESSROOM_SLACK_HOOK: url, PRESSROOM_SLACK_HOOK_SECRET: secret } = env;
  return url && secret ? { url, secret, source: 'vscode' } : undefined;
}
