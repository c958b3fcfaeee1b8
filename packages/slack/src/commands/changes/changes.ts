// `changes`: differences of two bundles in files and lines.
import { deploysOf, rollbackTarget } from '@pressroom/api/publish';
import { titleOf } from '../../blocks/names.ts';
import { note } from '../../blocks/notes.ts';
import { inline } from '../../blocks/text.ts';
import { MAX_ARCHIVE_BYTES, readChanges } from '../../deliver/releases/read-changes.ts';
import type { Command } from '../command.ts';
import { textOption } from '../line/parsed-command.ts';
import { bundlesOf, resolveContent } from '../shared/find-content.ts';
import { changesMessage } from './blocks.ts';
import { changesTexts } from './texts.ts';

export const changes: Command = {
  texts: changesTexts,
  syntax: {
    usage: 'changes <content> [--bundle id] [--since id]',
    examples: ['changes sales-report', 'changes sales-report --bundle 42 --since 41'],
    subject: 'required',
    options: {
      bundle: { type: 'number' },
      since: { type: 'number' },
    },
  },
  account: 'own',
  timeout: 60_000,
  async run(run) {
    const found = await resolveContent(run);
    if ('message' in found) return found.message;
    const { content } = found;
    const words = run.texts.changes;
    const title = titleOf(content);
    const [bundles, deploys] = await Promise.all([
      bundlesOf(run, content.guid),
      deploysOf(run.client, content.guid, { signal: run.signal }),
    ]);
    const newest = bundles.toSorted((a, b) => Number(BigInt(b.id) - BigInt(a.id)))[0];
    const to = textOption(run.command, 'bundle') ?? newest?.id ?? null;
    if (to === null) return note(words.noBundles(inline(title)));
    // The live bundle is compared with the previous one.
    const ids = bundles.map(({ id }) => id);
    const before = rollbackTarget(ids, deploys, to);
    const from = textOption(run.command, 'since') ?? (to === content.bundle_id ? before : content.bundle_id);
    if (from === null) return note(words.nothingToCompare(inline(to), inline(title)));
    for (const id of [from, to]) {
      const bundle = bundles.find((one) => one.id === id);
      if (!bundle) return note(words.noBundle(inline(title), inline(id)));
      if ((bundle.size ?? 0) > MAX_ARCHIVE_BYTES) return note(words.tooLarge(inline(id)));
    }
    const differences = await readChanges(run, content.guid, from, to);
    if (differences === null) return note(words.tooLarge(inline(to)));
    return changesMessage({ title, from, to, ...differences }, run.share, run.texts);
  },
};
