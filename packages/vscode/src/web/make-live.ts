// Makes a bundle live from an editor in the browser: no folder, and so no record and no marks.
import type { Client } from '@pressroom/api/client';
import { watchTask } from '@pressroom/api/publish';
import { l10n, ProgressLocation, window } from 'vscode';
import type { BundleRef } from '../store/bundle-contents.ts';
import { hostOf } from '../ui/texts.ts';

/** Shows lines and the end. @throws a call's failure */
export async function makeLive(
  client: Client,
  { server, guid, bundle_id }: BundleRef,
  log: { line(text: string): void; show(): void },
): Promise<void> {
  const title = l10n.t('Bundle {0} is made live.', bundle_id);
  log.show();
  log.line(`${title} → ${hostOf(server)}`);
  await window.withProgress({ location: ProgressLocation.Notification, title }, async () => {
    const { task_id } = await client.deployContentBundle({ guid, bundle_id });
    for await (const event of watchTask(client, task_id)) {
      if (event.type === 'log') log.line(event.line);
      if (event.type === 'unknown')
        return void window.showWarningMessage(l10n.t('{0} may still be deploying: {1}', guid, event.reason));
      if (event.type === 'finished' && event.code !== 0)
        return void window.showErrorMessage(l10n.t('Deploy failed: {0}', event.error));
    }
    void window.showInformationMessage(l10n.t('{0} is live.', l10n.t('Bundle {0}', bundle_id)));
  });
}
