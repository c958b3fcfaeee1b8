// Makes an earlier bundle of the active target live again.
import path from 'node:path';
import type { Bundle } from '@pressroom/api/contract';
import { l10n } from 'vscode';
import type { ContentRef } from '../store/content-ref.ts';
import { activeTarget } from '../store/targets.ts';
import { outcomeText } from './publish.ts';
import { nothing, targetText, textOf, type Tool, type ToolInput, type ToolParts } from './tool.ts';

export const rollBack: Tool = {
  title: 'Roll back content',
  description: 'Makes an earlier bundle of published content live again, after you confirm which.',
  model:
    'Makes an earlier bundle of the active target of a folder live again: the one that was live before, or the one that is named. Files of the workspace do not change.',
  icon: '$(history)',
  input: {
    bundle: { type: 'string', description: 'Id of the bundle; the one that was live before if not given.' },
  },
  async prepare({ history, memory, publisher }, dir, input) {
    const record = await activeTarget(dir, memory);
    const bundle = record && (await wantedBundle(history, record, input));
    const title = l10n.t('Roll back {0}?', path.basename(dir));
    if (record === undefined || bundle === undefined)
      return nothing(title, l10n.t('There is no such bundle to roll back to.'));
    const { server, guid } = record;
    return {
      title,
      lines: [l10n.t('Target: {0}', targetText(record)), l10n.t('Bundle {0} is made live.', bundle.id)],
      run: async () =>
        outcomeText(
          dir,
          await publisher.rollback(dir, { server, guid, bundle_id: bundle.id }, { ask: false }),
        ),
    };
  },
};

async function wantedBundle(
  history: ToolParts['history'],
  record: ContentRef,
  input: ToolInput,
): Promise<Bundle | undefined> {
  const wanted = textOf(input, 'bundle');
  if (wanted === undefined) return history.previous(record);
  return (await history.bundles(record)).find(({ id }) => id === wanted);
}
