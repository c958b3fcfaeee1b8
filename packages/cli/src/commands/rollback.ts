// pressroom rollback: activates an earlier bundle.
import type { Bundle } from '@pressroom/api/contract';
import { resolveContent } from '../arguments/content-argument.ts';
import { newestOf } from '../arguments/newest-bundle.ts';
import { stringOption, type Command } from '../command.ts';
import { UsageError } from '../exit-codes.ts';
import { watchUntilLive } from '../terminal/watch-and-show.ts';

export const rollback: Command = {
  name: 'rollback',
  synopsis: 'rollback [BUNDLE]',
  summary: 'Activate an earlier bundle (default: the one before the active bundle)',
  help: ['  --content DIR|GUID   Content to roll back (default: the current directory)'],
  options: { content: { type: 'string' } },
  positionals: [0, 1],
  async run(context) {
    const [named] = context.positionals;
    if (named !== undefined && !/^\d+$/.test(named))
      throw new UsageError(
        `${named} is not a bundle: bundles have numbers.`,
        `To name the content, run: pressroom rollback --content ${named}`,
      );
    const { client, guid, dir } = await resolveContent(context, stringOption(context, 'content'));
    await using _client = client;
    const options = { signal: context.signal };
    const list = await Array.fromAsync(client.each.getBundles({ guid }, options));
    const chosen = choose(list, named);
    if (!context.json)
      context.terminal.note(`Rolling back to bundle ${chosen.id}, uploaded ${chosen.created_time}`);
    const { task_id } = await client.deployContentBundle({ guid, bundle_id: chosen.id }, options);
    return await watchUntilLive(context, { client, guid, dir }, chosen.id, task_id);
  },
};

function choose(list: readonly Bundle[], id: string | undefined): Bundle {
  if (id !== undefined) {
    const named = list.find((bundle) => bundle.id === id);
    if (named === undefined)
      throw new UsageError(`The content has no bundle ${id}.`, 'To list its bundles, run: pressroom bundles');
    return named;
  }
  const active = list.find((bundle) => bundle.active);
  if (active === undefined)
    throw new UsageError('No bundle is active.', 'Choose one: pressroom rollback BUNDLE');
  const previous = newestOf(list.filter((bundle) => BigInt(bundle.id) < BigInt(active.id)));
  if (previous === undefined)
    throw new UsageError(`There is no bundle before the active bundle ${active.id}.`);
  return previous;
}
