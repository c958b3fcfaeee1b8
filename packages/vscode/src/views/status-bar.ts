// The status bar: publishes the content in view to its active target with one click, shows the progress of a deploy,
// and offers other targets.
import { l10n, StatusBarAlignment, ThemeColor, window, workspace, type Disposable, type Uri } from 'vscode';
import { innermost } from '../publish/directories/copies.ts';
import type { Run, Runs } from '../store/runs.ts';
import type { DirectoryState, Store } from '../store/store.ts';
import { shownRun, targetName, targetOfFile } from '../store/targets.ts';
import { hostOf } from '../ui/texts.ts';

interface StatusText {
  readonly text: string;
  readonly tooltip: string;
  readonly command: string;
  readonly failed: boolean;
}

export function createStatusBar(
  runs: Pick<Runs, 'all' | 'onDidChange'>,
  store: Pick<Store, 'known' | 'directories' | 'onDidChange'>,
  pathOf: (uri: Uri) => string | undefined,
): Disposable {
  const item = window.createStatusBarItem('pressroom.status', StatusBarAlignment.Left, 10);
  item.name = 'Pressroom';
  const chooser = window.createStatusBarItem('pressroom.target', StatusBarAlignment.Left, 9.9);
  chooser.name = l10n.t('Pressroom: target');
  chooser.text = '$(chevron-up)';
  chooser.tooltip = l10n.t('Select another target');
  chooser.accessibilityInformation = { label: l10n.t('Select another target'), role: 'button' };
  chooser.command = 'pressroom.selectTarget';
  const show = () => {
    const open = window.activeTextEditor?.document.uri ?? window.activeNotebookEditor?.notebook.uri;
    const known = store.known();
    const state = known.length === 0 ? undefined : inView(known, open && pathOf(open));
    const { text, tooltip, command, failed } = statusText(runs.all(), state);
    // Without arguments: the editor forgets a command with arguments when the next one is set, even during a click.
    Object.assign(item, { text, tooltip, command });
    item.backgroundColor = failed ? new ThemeColor('statusBarItem.errorBackground') : undefined;
    if (state?.active === undefined) chooser.hide();
    else chooser.show();
  };
  const look = () => {
    // Folders that are not on disk are read only on request.
    const local = (workspace.workspaceFolders ?? []).every(({ uri }) => uri.scheme === 'file');
    if (local) void store.directories().then(show, () => undefined);
    else show();
  };
  show();
  item.show();
  look();
  const subscriptions = [
    runs.onDidChange(show),
    store.onDidChange(look),
    window.onDidChangeActiveTextEditor(show),
    window.onDidChangeActiveNotebookEditor(show),
    item,
    chooser,
  ];
  return {
    dispose() {
      for (const subscription of subscriptions) subscription.dispose();
    },
  };
}

/** The directory of the file in the editor, with its target as the active one; otherwise the only directory. */
export function inView(
  known: readonly DirectoryState[],
  file: string | undefined,
): DirectoryState | undefined {
  const dirs = known.map(({ dir }) => dir);
  const dir = file === undefined ? undefined : innermost(dirs, file);
  const state = known.find((one) => one.dir === dir);
  if (state === undefined || file === undefined) return known.length === 1 ? known[0] : undefined;
  // The document in the editor may have a target of its own.
  return { ...state, active: targetOfFile(state.targets, state.active, state.dir, file) ?? state.active };
}

/** A running deploy is shown whatever is in view; a failure only with its directory. */
export function statusText(runs: readonly Run[], state: DirectoryState | undefined): StatusText {
  const own = shownRun(
    runs.find((run) => run.dir === state?.dir),
    state?.active,
  );
  const running = own?.state === 'running' ? own : runs.find((run) => run.state === 'running');
  if (running) {
    const text = `$(loading~spin) ${running.name}: ${running.text}`;
    return { text, tooltip: l10n.t('Show publishing log'), command: 'pressroom.showLog', failed: false };
  }
  const { active } = state ?? {};
  const failed = own?.state === 'failed';
  const label = active === undefined ? l10n.t('Publish') : l10n.t('Publish to {0}', targetName(active));
  const where = active && l10n.t('Publish {0} to {1}', active.name, hostOf(active.server));
  return {
    text: `${failed ? '$(error)' : '$(rocket)'} ${label}`,
    tooltip: failed ? `${own.name}: ${own.text}` : (where ?? l10n.t('Publish this content')),
    command: 'pressroom.publish',
    failed,
  };
}
