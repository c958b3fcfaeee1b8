// pressroom logs: follows the output of a task until it ends.
import { stringOption, type Command } from '../command.ts';
import { openClient, resolveConnection } from '../connection.ts';
import { UsageError } from '../exit-codes.ts';
import { watchAndShow } from '../watch-and-show.ts';

/** Failed lookups before giving up: an unknown task ID is probably a typo. */
const PATIENCE = 4;

export const logs: Command = {
  name: 'logs',
  synopsis: 'logs TASK',
  summary: 'Follow the output of a deploy until it ends',
  help: ['  --first NUMBER     Skip this many lines'],
  options: { first: { type: 'string' } },
  positionals: [1, 1],
  async run(context) {
    const first = stringOption(context, 'first') ?? '0';
    if (!/^\d{1,9}$/.test(first)) throw new UsageError('--first must be a number of lines.');
    await using client = openClient(context, await resolveConnection(context));
    return await watchAndShow(context, client, context.positionals[0] as string, {
      first: Number(first),
      patience: PATIENCE,
    });
  },
};
