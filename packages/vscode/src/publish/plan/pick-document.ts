// A folder may hold several documents or applications: which of them is published, if the file in the editor starts
// another one than those published before.
import path from 'node:path';
import { collectFiles, detectContent, type StoredRecord } from '@pressroom/api/publish';
import { l10n, type QuickPickItem } from 'vscode';
import type { Memory } from '../../store/memory.ts';
import { targetOfFile } from '../../store/targets.ts';
import { askPick } from '../../ui/steps.ts';
import { hostOf } from '../../ui/texts.ts';

interface Item extends QuickPickItem {
  readonly isNew: boolean;
}

/** Whether new content is meant; asks once for each file. Undefined if cancelled. */
export async function pickDocument(
  dir: string,
  file: string,
  records: readonly StoredRecord[],
  active: StoredRecord,
  memory: Pick<Memory, 'isPart' | 'notePart'>,
): Promise<boolean | undefined> {
  if (memory.isPart(file) || targetOfFile(records, active, dir, file) !== undefined) return false;
  if (!(await startsOther(dir, path.relative(dir, file), active))) return false;
  const [name, document] = [path.basename(dir), path.basename(file)];
  const picked = await askPick<Item>({
    title: l10n.t('Publish {0}', name),
    placeholder: l10n.t('{0} was not published yet. What do you want to publish?', document),
    items: [
      {
        label: l10n.t('$(add) Publish {0} as new content…', document),
        detail: l10n.t('It becomes another target of this folder.'),
        isNew: true,
      },
      {
        label: l10n.t('$(repo-push) Publish {0}', active.entrypoint ?? active.name),
        description: hostOf(active.server),
        detail: l10n.t('{0} is part of it. You are not asked about {0} again.', document),
        isNew: false,
      },
    ],
  });
  if (picked === undefined || typeof picked === 'symbol') return undefined;
  if (!picked.isNew) memory.notePart(file);
  return picked.isNew;
}

/** Whether content could start from the file, and it is neither a page of a published site nor in a manifest. */
async function startsOther(dir: string, name: string, active: StoredRecord): Promise<boolean> {
  if (active.entrypoint === null) return false;
  const { files } = await collectFiles(dir, { exclude: ['/*/'] });
  const candidates = await detectContent(dir, files);
  const isWhole = candidates.some(
    ({ primary, contentCategory, reason }) =>
      reason.code === 'manifest' || (contentCategory !== '' && primary === active.entrypoint),
  );
  return !isWhole && candidates.some(({ primary }) => primary === name);
}
