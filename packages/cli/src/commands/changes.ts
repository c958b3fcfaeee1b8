// pressroom changes: differences of two bundles in manifest, files, lines, and numbers that readers see.
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { CallOptions, Client } from '@pressroom/api/client';
import type { Bundle, PageComparison } from '@pressroom/api/contract';
import { deploysOf, rollbackTarget } from '@pressroom/api/publish';
import { commandHint } from '../arguments/command-hint.ts';
import { resolveContent } from '../arguments/content-argument.ts';
import { newestOf } from '../arguments/newest-bundle.ts';
import { changeLines, compareBundles } from '../bundle-changes.ts';
import { stringOption, type Command } from '../command.ts';
import { EXIT, UsageError } from '../exit-codes.ts';

export const changes: Command = {
  name: 'changes',
  synopsis: 'changes [CONTENT]',
  summary: 'Show what differs between two bundles, in files, lines and numbers in tables',
  help: [
    '  --bundle BUNDLE      The newer one (default: the newest)',
    '  --since BUNDLE       The older one (default: the active one; of that one, the one live before)',
    '  --summary            Without the lines',
    '  --pictures DIR       Save what a reader sees of both, and what differs, as PNG files',
  ],
  options: {
    bundle: { type: 'string' },
    since: { type: 'string' },
    summary: { type: 'boolean' },
    pictures: { type: 'string' },
  },
  positionals: [0, 1],
  async run(context) {
    const { client, guid } = await resolveContent(context, context.positionals[0]);
    await using _client = client;
    const options = { signal: context.signal };
    const bundles = await Array.fromAsync(client.each.getBundles({ guid }, options));
    const to = stringOption(context, 'bundle') ?? newestOf(bundles)?.id;
    const from = stringOption(context, 'since') ?? (await olderThan(to, bundles, client, guid, options));
    for (const id of [from, to])
      if (id === undefined || !bundles.some((bundle) => bundle.id === id))
        throw new UsageError(
          id === undefined ? 'There is nothing to compare.' : `The content has no bundle ${id}.`,
          `To list its bundles, run: ${commandHint(context, 'bundles', 'argument')}`,
        );
    const ids = { before: from!, after: to! };
    const compared = await compareBundles(client, guid, ids, context.signal);
    const directory = stringOption(context, 'pictures');
    const pages =
      directory === undefined
        ? null
        : await client.compareBundlePages({ guid, id: to!, since: from! }, options);
    if (pages !== null) await savePictures(resolve(context.cwd, directory!), pages);
    const { json, terminal, values } = context;
    if (json) {
      const moved = compared.numbers && { moved: compared.numbers.moved };
      terminal.printJson({ from, to, ...compared.found, ...moved, ...(pages && { changed: pages.changed }) });
      return EXIT.ok;
    }
    for (const line of changeLines(ids, compared, values['summary'] !== true)) terminal.print(line);
    if (pages !== null) {
      const share = (pages.changed * 100).toFixed(1);
      terminal.print(`${share} % of the first screen differs: see difference.png in ${directory}`);
    }
    return EXIT.ok;
  },
};

/** The active bundle; the one that was live before if it is the active one that is compared. */
async function olderThan(
  to: string | undefined,
  bundles: readonly Bundle[],
  client: Client,
  guid: string,
  options: CallOptions,
): Promise<string | undefined> {
  const active = bundles.find((bundle) => bundle.active);
  if (active === undefined || active.id !== to) return active?.id;
  const ids = bundles.map(({ id }) => id);
  return rollbackTarget(ids, await deploysOf(client, guid, options), active.id) ?? undefined;
}

async function savePictures(directory: string, { before, after, difference }: PageComparison): Promise<void> {
  await mkdir(directory, { recursive: true });
  const files = { 'before.png': before.image, 'after.png': after.image, 'difference.png': difference };
  for (const [name, image] of Object.entries(files))
    await writeFile(join(directory, name), Buffer.from(image, 'base64'));
}
