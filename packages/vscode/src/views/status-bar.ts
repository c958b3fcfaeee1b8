// The status bar item: publishes with one click, and shows the progress of a deploy.
import path from 'node:path';
import { l10n, StatusBarAlignment, ThemeColor, window, type Disposable } from 'vscode';
import type { Runs } from '../store/runs.ts';

export function createStatusBar(runs: Runs): Disposable {
  const item = window.createStatusBarItem('pressroom.status', StatusBarAlignment.Left, 10);
  item.name = 'Pressroom';
  const show = () => {
    const running = runs.all().find(({ state }) => state === 'running');
    const failed = runs.all().find(({ state }) => state === 'failed');
    if (running) {
      item.text = `$(loading~spin) ${running.name}: ${running.text}`;
      item.tooltip = l10n.t('Show publishing log');
      item.command = 'pressroom.showLog';
    } else {
      item.text = failed ? `$(error) ${l10n.t('Publish')}` : `$(cloud-upload) ${l10n.t('Publish')}`;
      item.tooltip = failed ? `${path.basename(failed.dir)}: ${failed.text}` : l10n.t('Publish this content');
      item.command = 'pressroom.publish';
    }
    item.backgroundColor = !running && failed ? new ThemeColor('statusBarItem.errorBackground') : undefined;
  };
  show();
  item.show();
  const subscription = runs.onDidChange(show);
  return { dispose: () => (subscription.dispose(), item.dispose()) };
}
