// Shows a task's output until it ends, for the commands that start or follow one.
import type { Client } from '@pressroom/api/client';
import { watchTask, type WatchOptions } from '@pressroom/api/publish';
import type { CommandContext } from '../command.ts';
import { EXIT } from '../exit-codes.ts';

interface Options extends Pick<WatchOptions, 'first' | 'patience'> {
  /** Whether the output is what the command is for; by default it is progress. */
  readonly isResult?: boolean;
}

/** Returns the exit code. Throws the signal's reason when cancelled. */
export async function watchAndShow(
  context: CommandContext,
  client: Client,
  id: string,
  { isResult = false, ...options }: Options = {},
): Promise<number> {
  const { terminal, json, signal } = context;
  let code: number = EXIT.unknown;
  for await (const event of watchTask(client, id, { ...options, signal })) {
    if (json) {
      const { failure: _failure, ...rest } = { failure: undefined, ...event };
      terminal.printJson(rest);
    } else if (event.type === 'log') terminal[isResult ? 'print' : 'note'](event.line);
    if (event.type === 'finished') {
      code = event.code === 0 ? EXIT.ok : EXIT.failed;
      const how = event.end_reason === null ? `Failed (code ${event.code})` : 'Ended early';
      if (!json && event.code !== 0) terminal.note(`${how}: ${event.error}`);
    }
    if (event.type === 'unknown' && !json) {
      terminal.note(`The outcome of the task is unknown: ${event.reason}`);
      terminal.note(`To check again, run: pressroom logs ${event.task_id} --first ${event.first}`);
    }
  }
  return code;
}
