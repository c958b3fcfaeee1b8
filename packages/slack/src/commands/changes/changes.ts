// `changes`: what differs between two bundles, in files and lines.
import { isUtf8 } from 'node:buffer';
import { type ArchivedFile, readArchive } from '@pressroom/api/publish';
import PQueue from 'p-queue';
import { titleOf } from '../../blocks/names.ts';
import { note } from '../../blocks/notes.ts';
import { inline } from '../../blocks/text.ts';
import type { Command, Run } from '../command.ts';
import { textOption } from '../line/parsed-command.ts';
import { deploysOf, lastGood, targetsOf } from '../shared/deploys-of.ts';
import { bundlesOf, resolveContent } from '../shared/find-content.ts';
import { changesMessage, type ChangedFile } from './blocks.ts';
import { lineCounts } from './line-counts.ts';

/** Bytes of an archive that is read. */
const LARGEST = 50_000_000;
/** Bytes of a file whose lines are compared. */
const LARGEST_TEXT = 500_000;
/** Archives are held in memory: no more than these at a time. */
const reading = new PQueue({ concurrency: 1 });

export const changes: Command = {
  syntax: {
    usage: 'changes <content> [--bundle id] [--since id]',
    summary:
      'Show what differs between the newest bundle, or another one, and the live one, in files and lines',
    examples: ['changes sales-report', 'changes sales-report --bundle 42 --since 41'],
    subject: 'required',
    options: {
      bundle: { type: 'number', about: 'the newer bundle; the newest by default' },
      since: { type: 'number', about: 'the older bundle; the live one by default' },
    },
  },
  account: 'own',
  timeout: 60_000,
  async run(run) {
    const found = await resolveContent(run);
    if ('message' in found) return found.message;
    const { content } = found;
    const title = titleOf(content);
    const [bundles, deploys] = await Promise.all([
      bundlesOf(run, content.guid),
      deploysOf(run, content.guid),
    ]);
    const newest = bundles.toSorted((a, b) => Number(BigInt(b.id) - BigInt(a.id)))[0];
    const to = textOption(run.command, 'bundle') ?? newest?.id ?? null;
    if (to === null) return note(`*${inline(title)}* has no bundles that you can see.`);
    // What is live is compared with what was live before.
    const before = lastGood(targetsOf(bundles, deploys, to), to, deploys !== null)?.id ?? null;
    const from = textOption(run.command, 'since') ?? (to === content.bundle_id ? before : content.bundle_id);
    if (from === null)
      return note(`There is nothing to compare bundle ${inline(to)} of *${inline(title)}* with.`);
    for (const id of [from, to]) {
      const bundle = bundles.find((one) => one.id === id);
      if (!bundle) return note(`*${inline(title)}* has no bundle ${inline(id)}.`);
      if ((bundle.size ?? 0) > LARGEST) return note(`Bundle ${inline(id)} is too large to be compared here.`);
    }
    const files = await reading.add(async () =>
      compare(await read(run, content.guid, from), await read(run, content.guid, to)),
    );
    return changesMessage({ title, from, to, files }, run.share);
  },
};

async function read({ client, signal }: Run, guid: string, id: string): Promise<Map<string, ArchivedFile>> {
  const { stream } = await client.downloadBundle({ guid, id }, { signal });
  return readArchive(stream, { signal });
}

/** Sorted by path. */
function compare(
  old: ReadonlyMap<string, ArchivedFile>,
  fresh: ReadonlyMap<string, ArchivedFile>,
): ChangedFile[] {
  const paths = [...new Set([...old.keys(), ...fresh.keys()])].toSorted();
  return paths.flatMap((path): ChangedFile[] => {
    const [before, after] = [old.get(path), fresh.get(path)];
    if (before?.md5 === after?.md5) return [];
    const kind = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
    const [one, other] = [textOf(before), textOf(after)];
    return [{ path, kind, lines: one === null || other === null ? null : lineCounts(one, other) }];
  });
}

/** Empty for a file that is not there; null for one that is no text. */
function textOf(file: ArchivedFile | undefined): string | null {
  if (file === undefined) return '';
  const { bytes } = file;
  if (bytes === null || bytes.length > LARGEST_TEXT || bytes.includes(0) || !isUtf8(bytes)) return null;
  return bytes.toString();
}
