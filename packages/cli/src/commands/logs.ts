// pressroom logs: output of an application or of renderings, or of a deploy until it ends.
import path from 'node:path';
import type { Client } from '@pressroom/api/client';
import type { Job } from '@pressroom/api/contract';
import { followProcesses } from '@pressroom/api/publish';
import { commandHint } from '../arguments/command-hint.ts';
import { isDirectory, NoContentError, resolveContent } from '../arguments/content-argument.ts';
import { listedBy } from '../arguments/missing-object.ts';
import { stringOption, type Command, type CommandContext } from '../command.ts';
import { openClient, resolveConnection } from '../connection.ts';
import { EXIT, UsageError } from '../exit-codes.ts';
import { confirm, show, warn } from '../terminal/output.ts';
import { nullIfNoTask, watchAndShow } from '../terminal/watch-and-show.ts';

/** As servers make them; other ids are tasks if nothing has that name. */
const TASK = /^[A-Za-z0-9]{16}$/;
/** Failed lookups before giving up: an unknown task ID is probably a typo. */
const PATIENCE = 4;

export const logs: Command = {
  name: 'logs',
  synopsis: 'logs [CONTENT|TASK]',
  summary: 'Show the log of an application or the last rendering, or follow the output of a deploy',
  help: [
    '  --follow           Go on with new lines, also of processes and renderings that start later; Ctrl-C ends it',
    '  --process KEY      Log of this process or rendering (default: the newest); pressroom processes lists them',
    '  --first NUMBER     Skip this many lines',
  ],
  options: { follow: { type: 'boolean' }, process: { type: 'string' }, first: { type: 'string' } },
  positionals: [0, 1],
  readsOnly: true,
  async run(context) {
    const given = stringOption(context, 'first') ?? '0';
    if (!/^\d{1,9}$/.test(given)) throw new UsageError('--first must be a number of lines.');
    const first = Number(given);
    const [argument = '.'] = context.positionals;
    const isTask = TASK.test(argument) && !(await isDirectory(path.resolve(context.cwd, argument)));
    try {
      const code = isTask ? await ofTask(context, argument, { first, patience: PATIENCE }) : null;
      // Content may be called like a task.
      return code ?? (await ofContent(context, argument, first));
    } catch (error) {
      if (!(error instanceof NoContentError)) throw error;
      const code = isTask ? null : await ofTask(context, argument, { first, patience: 0 });
      return code ?? Promise.reject(new NoContentError(context, argument, error.near, 'no such task, '));
    }
  },
};

/** Null if the server has no such task. */
async function ofTask(
  context: CommandContext,
  id: string,
  options: { readonly first: number; readonly patience: number },
): Promise<number | null> {
  await using client = openClient(context, await resolveConnection(context));
  return await watchAndShow(context, client, id, { ...options, isResult: true }).catch(nullIfNoTask);
}

async function ofContent(context: CommandContext, argument: string, first: number): Promise<number> {
  const { client, guid } = await resolveContent(context, argument);
  await using _client = client;
  return await ofProcesses(context, client, guid, first);
}

async function ofProcesses(
  context: CommandContext,
  client: Client,
  guid: string,
  first: number,
): Promise<number> {
  const { signal, values } = context;
  const key = stringOption(context, 'process');
  if (values['follow'] === true) {
    await follow(context, client, guid, { key, first });
    return EXIT.ok;
  }
  const job = key ?? newest(await client.getContentJobs({ guid }, { signal }))?.key;
  if (job === undefined)
    return confirm(
      context,
      null,
      `No process has run this content yet. To list its deploys and their tasks, run: ${commandHint(context, 'deploys', 'argument')}`,
    );
  const log = await client
    .getContentJobLog({ guid, key: job, first }, { signal })
    .catch(listedBy(context, 'processes', true));
  return show(context, log, ({ entries }) => entries.map(({ timestamp, data }) => [timestamp, data]));
}

function follow(
  context: CommandContext,
  client: Client,
  guid: string,
  which: { key: string | undefined; first: number },
): Promise<void> {
  const { signal, json, terminal } = context;
  return followProcesses(client, guid, {
    ...which,
    signal,
    onNone: () => terminal.note('No process has run this content yet. Waiting for one…'),
    onStart: ({ key, pid }, later) => {
      if (later && !json) terminal.note(`${pid === null ? 'Rendering' : 'Process'} ${key} started.`);
    },
    onLost: ({ message }) => warn(context, `${message} Trying again …`),
    onBack: () => warn(context, 'The server responds again.'),
    onLines: (process, lines, shared) => {
      for (const entry of lines) {
        if (json) terminal.printJson({ process, ...entry });
        else terminal.print(`${entry.timestamp}  ${shared ? `${process}  ` : ''}${entry.data}`);
      }
    },
  });
}

function newest(jobs: readonly Job[]): Job | undefined {
  return jobs.find(({ status }) => status === 0) ?? jobs[0];
}
