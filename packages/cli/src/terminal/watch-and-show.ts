// Shows a task's output until it ends, for the commands that start or follow one, and notes what went live.
import { RefusedError, type Client } from '@pressroom/api/client';
import { findStartedCanary, noteDeployed, watchTask, type WatchOptions } from '@pressroom/api/publish';
import { commandHint } from '../arguments/command-hint.ts';
import type { ContentArgument } from '../arguments/content-argument.ts';
import type { CommandContext } from '../command.ts';
import { noteCanary } from '../deploy/show-event.ts';
import { EXIT } from '../exit-codes.ts';
import { warn } from './output.ts';

/** Codes of a task that the server does not know, and of what cannot be the id of one. */
const NO_TASK: ReadonlySet<number | null> = new Set([141, 3]);

interface Options extends Pick<WatchOptions, 'first' | 'patience'> {
  /** Whether the output is what the command is for; by default it is progress. */
  readonly isResult?: boolean;
}

/**
 * Returns the exit code. Throws the signal's reason when cancelled, after a note that what was started goes on, and the
 * refusal of a task whose output is the result if the server does not know it.
 */
export async function watchAndShow(
  context: CommandContext,
  client: Client,
  id: string,
  options: Options = {},
): Promise<number> {
  try {
    return await watchToEnd(context, client, id, options);
  } catch (error) {
    if (context.signal.aborted && options.isResult !== true)
      warn(
        context,
        `Task ${id} continues on the server. To follow it, run: ${commandHint(context, `logs ${id}`)}`,
      );
    throw error;
  }
}

async function watchToEnd(
  context: CommandContext,
  client: Client,
  id: string,
  { isResult = false, ...options }: Options,
): Promise<number> {
  const { terminal, json, signal } = context;
  let code: number = EXIT.unknown;
  for await (const event of watchTask(client, id, { ...options, signal })) {
    // The argument of logs is more often a misspelled name than a task.
    if (
      event.type === 'unknown' &&
      isResult &&
      event.first === (options.first ?? 0) &&
      isNoTask(event.failure)
    )
      throw event.failure;
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
      terminal.note(
        `To check again, run: ${commandHint(context, `logs ${event.task_id} --first ${event.first}`)}`,
      );
    }
  }
  return code;
}

export function nullIfNoTask(error: unknown): null {
  if (isNoTask(error)) return null;
  throw error;
}

function isNoTask(error: unknown): boolean {
  return error instanceof RefusedError && NO_TASK.has(error.code);
}

/** The same for a task that makes a bundle live: notes it in the record of the directory, too. */
export async function watchUntilLive(
  context: CommandContext,
  { client, guid, dir }: Pick<ContentArgument, 'client' | 'guid' | 'dir'>,
  bundle_id: string,
  task_id: string,
): Promise<number> {
  const { json, terminal } = context;
  // The event of `pressroom deploy`.
  if (json) terminal.printJson({ type: 'deploy', task_id, guid, bundle_id });
  const code = await watchAndShow(context, client, task_id);
  if (code !== EXIT.ok) return code;
  // The rule of the content may begin a canary instead.
  const canary = await findStartedCanary(client, await client.getContent({ guid }), bundle_id);
  if (canary !== null) {
    if (json) terminal.printJson({ type: 'canary', ...canary });
    else noteCanary(terminal, canary, commandHint(context, `canary show ${guid}`));
    return code;
  }
  const deployed_time = new Date().toISOString();
  await noteDeployed(dir, { server: client.url, guid, bundle_id, deployed_time }).catch((error: unknown) => {
    // It is live nevertheless.
    const warning = `The deployment record could not be written: ${(error as Error).message}`;
    if (json) terminal.noteJson({ warning });
    else terminal.note(`Warning: ${warning}`);
  });
  if (!json) terminal.note(`Bundle ${bundle_id} is live.`);
  return code;
}
