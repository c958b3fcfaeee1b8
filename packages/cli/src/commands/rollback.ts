// pressroom rollback: activates an earlier bundle.
import type { Bundle, ContentDeploy } from '@pressroom/api/contract';
import { deploysOf, rollbackTarget } from '@pressroom/api/publish';
import { commandHint } from '../arguments/command-hint.ts';
import { resolveContentOption } from '../arguments/content-argument.ts';
import type { Command, CommandContext } from '../command.ts';
import { UsageError } from '../exit-codes.ts';
import { shellWord } from '../terminal/shell-word.ts';
import { watchUntilLive } from '../terminal/watch-and-show.ts';

export const rollback: Command = {
  name: 'rollback',
  synopsis: 'rollback [BUNDLE] [--content CONTENT]',
  summary: 'Activate an earlier bundle (default: the one that was live before)',
  help: ['  --content CONTENT    Content to roll back (default: the current directory)'],
  options: { content: { type: 'string' } },
  positionals: [0, 1],
  async run(context) {
    const [named] = context.positionals;
    if (named !== undefined && !/^\d+$/.test(named))
      throw new UsageError(
        `${named} is not a bundle: bundles have numbers.`,
        `To name the content, run: ${commandHint(context, `rollback --content ${shellWord(named)}`)}`,
      );
    const { client, guid, dir } = await resolveContentOption(context);
    await using _client = client;
    const options = { signal: context.signal };
    const list = await Array.fromAsync(client.each.getBundles({ guid }, options));
    const chosen =
      named === undefined
        ? previous(context, list, await deploysOf(client, guid, options))
        : bundleCalled(context, list, named);
    if (!context.json)
      context.terminal.note(`Rolling back to bundle ${chosen.id}, uploaded ${chosen.created_time}`);
    const { task_id } = await client.deployContentBundle({ guid, bundle_id: chosen.id }, options);
    return await watchUntilLive(context, { client, guid, dir }, chosen.id, task_id);
  },
};

function bundleCalled(context: CommandContext, list: readonly Bundle[], id: string): Bundle {
  const named = list.find((bundle) => bundle.id === id);
  if (named === undefined)
    throw new UsageError(
      `The content has no bundle ${id}.`,
      `To list its bundles, run: ${commandHint(context, 'bundles', 'argument')}`,
    );
  return named;
}

function previous(
  context: CommandContext,
  list: readonly Bundle[],
  deploys: readonly ContentDeploy[] | null,
): Bundle {
  const active = list.find((bundle) => bundle.active);
  if (active === undefined)
    throw new UsageError(
      'No bundle is active.',
      `Choose one: ${commandHint(context, 'rollback BUNDLE', 'option')}`,
    );
  const ids = list.map(({ id }) => id);
  const target = rollbackTarget(ids, deploys, active.id);
  const found = list.find(({ id }) => id === target);
  if (found !== undefined) return found;
  if (rollbackTarget(ids, null, active.id) === null)
    throw new UsageError(`There is no bundle before the active bundle ${active.id}.`);
  throw new UsageError(
    `No bundle before the active bundle ${active.id} was live.`,
    `Choose one: ${commandHint(context, 'rollback BUNDLE', 'option')}`,
  );
}
