// Logs of processes and renderings of published content, as documents.
import type { Job } from '@pressroom/api/contract';
import { EventEmitter, l10n, Uri, window, workspace, type TextDocumentContentProvider } from 'vscode';
import type { ContentRef } from '../store/content-ref.ts';
import type { History } from '../store/history.ts';
import { showInformationMessage } from '../ui/messages.ts';
import { agoText } from '../ui/texts.ts';

export const PROCESS_SCHEME = 'pressroom-process';

export interface ProcessLogs extends TextDocumentContentProvider {
  /** Opens the log of the only process or rendering, or of one picked from a list; reloads it if open. */
  show(content: ContentRef & { readonly name: string }): Promise<void>;
}

export function createProcessLogs(history: History, now: () => number): ProcessLogs {
  const changed = new EventEmitter<Uri>();

  return {
    onDidChange: changed.event,
    async provideTextDocumentContent(uri) {
      const [server, guid, key] = JSON.parse(uri.query) as [string, string, string];
      const lines = await history.processLog({ server, guid }, key);
      return lines.map(({ timestamp, data }) => `${timestamp}  ${data}\n`).join('');
    },
    async show({ server, guid, name }) {
      const jobs = await history.processes({ server, guid });
      if (jobs.length === 0) {
        void showInformationMessage(l10n.t('Nothing has run for {0} yet.', name));
        return;
      }
      const [only] = jobs;
      const key = jobs.length === 1 && only ? only.key : await pick(jobs, now());
      if (key === undefined) return;
      const query = JSON.stringify([server, guid, key]);
      const uri = Uri.from({ scheme: PROCESS_SCHEME, path: `/${name}-${key}.log`, query });
      changed.fire(uri);
      await window.showTextDocument(await workspace.openTextDocument(uri));
    },
  };
}

async function pick(jobs: readonly Job[], now: number): Promise<string | undefined> {
  const items = jobs.map((job) => ({
    label: agoText(job.start_time, now),
    description: job.outcome ?? (job.status === 0 ? l10n.t('running') : ''),
    detail: l10n.t('Bundle {0}', job.bundle_id),
    key: job.key,
  }));
  const placeHolder = jobs[0]?.pid === null ? l10n.t('Select a rendering') : l10n.t('Select a process');
  return (await window.showQuickPick(items, { placeHolder }))?.key;
}
