// pressroom variables: environment variables of content, set from a file. Values are never on a command line or shown.
import { addAbortSignal } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Client } from '@pressroom/api/client';
import { CLIENT_VARIABLES, readVariables, setVariables } from '@pressroom/api/publish';
import { commandHint } from '../arguments/command-hint.ts';
import { resolveContent } from '../arguments/content-argument.ts';
import { readTextFile } from '../arguments/text-file.ts';
import { listOption, stringOption, type Command, type CommandContext } from '../command.ts';
import { EXIT, UsageError } from '../exit-codes.ts';
import { show, warn } from '../terminal/output.ts';
import { shellWord } from '../terminal/shell-word.ts';

export const variables: Command = {
  name: 'variables',
  synopsis: 'variables [CONTENT]',
  summary: 'List, set or remove the environment variables of published content',
  help: [
    '  --from FILE          Set the variables of a file such as .env (- for standard input)',
    '  --env NAME           Set it to what it is in the environment of this command (repeatable)',
    '  --only NAME          Set only this variable of the file (repeatable)',
    '  --except NAME        Skip this variable of the file (repeatable)',
    '  --remove NAME        Remove this variable (repeatable)',
  ],
  options: {
    from: { type: 'string' },
    env: { type: 'string', multiple: true },
    only: { type: 'string', multiple: true },
    except: { type: 'string', multiple: true },
    remove: { type: 'string', multiple: true },
  },
  // More than the content: values are refused with advice.
  positionals: [0, 101],
  async run(context) {
    const { terminal, signal } = context;
    requireNoValues(context);
    const values = new Map([...(await valuesOfFile(context)), ...valuesOfEnvironment(context)]);
    const set = [...values].map(([name, value]) => ({ name, value }));
    const remove = [...new Set(listOption(context, 'remove'))];
    const both = set.find(({ name }) => remove.includes(name));
    if (both !== undefined) throw new UsageError(`${both.name} cannot be both set and removed.`);
    const body = [...set, ...remove.map((name) => ({ name, value: null }))];
    const { client, guid } = await resolveContent(context, context.positionals[0]);
    await using _client = client;
    await refuseUnknown(context, client, guid, remove);
    const names =
      body.length === 0
        ? await client.getEnvironment({ guid }, { signal })
        : await setVariables(client, guid, body, { signal });
    await show(context, names, (all) => all.map((name) => [name]), 'No variables are set.');
    if (body.length > 0 && !context.json) {
      terminal.note('Processes and renderings that start from now on use the change.');
      const [restart, render] = ['restart', 'render'].map((name) => commandHint(context, name, 'argument'));
      terminal.note(`To start one now, run: ${restart}; for a document: ${render}`);
    }
    return EXIT.ok;
  },
};

/** @throws UsageError */
function requireNoValues(context: CommandContext): void {
  const { positionals } = context;
  if ([...positionals, ...listOption(context, 'env')].some((word) => word.includes('='))) {
    const content = positionals.find((word) => !word.includes('='));
    throw new UsageError(
      'Values are not given on the command line, which other accounts of the machine can see.',
      `Enter them as NAME=value: ${commandHint(context, `variables ${content === undefined ? '' : `${shellWord(content)} `}--from -`)}`,
    );
  }
  const [, more] = positionals;
  if (more !== undefined)
    throw new UsageError(`Unexpected argument: ${more}.`, 'See: pressroom variables --help');
}

/** Removing a misspelled name would leave the variable that was meant. @throws UsageError */
async function refuseUnknown(
  context: CommandContext,
  client: Client,
  guid: string,
  remove: readonly string[],
) {
  if (remove.length === 0) return;
  const names = await client.getEnvironment({ guid }, { signal: context.signal });
  const unknown = remove.filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw new UsageError(
      `Not set, so nothing was changed: ${unknown.join(', ')}.`,
      `To list the variables, run: ${commandHint(context, 'variables', 'argument')}`,
    );
}

/** Of a pipeline, whose secrets are there. @throws UsageError */
function valuesOfEnvironment(context: CommandContext): [name: string, value: string][] {
  return listOption(context, 'env').map((name) => {
    const value = context.env[name];
    // A secret that a pipeline lacks is empty in most of them.
    if (!value) throw new UsageError(`${name} is not set in the environment of this command, or empty.`);
    return [name, value];
  });
}

async function valuesOfFile(context: CommandContext): Promise<[name: string, value: string][]> {
  const file = stringOption(context, 'from');
  const only = listOption(context, 'only');
  const except = listOption(context, 'except');
  if (file === undefined) {
    if (only.length > 0 || except.length > 0)
      throw new UsageError('--only and --except require --from FILE.');
    return [];
  }
  const called = file === '-' ? 'standard input' : file;
  const values = readVariables(
    file === '-' ? await typed(context) : await readTextFile(context, file),
    called,
  );
  const missing = [...only, ...except].find((name) => !values.has(name));
  if (missing !== undefined) throw new UsageError(`${called} does not set ${missing}.`);
  const named = [...values.keys()].filter(
    (name) => (only.length === 0 || only.includes(name)) && !except.includes(name),
  );
  const own = only.length > 0 ? [] : named.filter((name) => CLIENT_VARIABLES.has(name));
  if (own.length > 0) {
    const why = 'read by this command itself. Use --only to set them anyway.';
    warn(context, `Skipped: ${own.join(', ')}, ${why}`);
  }
  const wanted = named.filter((name) => !own.includes(name));
  if (wanted.length === 0) {
    const problem = values.size === 0 ? 'sets no variables' : 'sets no variables that are not skipped';
    throw new UsageError(`${called} ${problem}.`, 'Write one NAME=value per line.');
  }
  return wanted.map((name) => [name, values.get(name) ?? '']);
}

function typed({ stdin, signal, terminal }: CommandContext): Promise<string> {
  if (stdin.isTTY === true) terminal.note('Enter NAME=value lines, then press Ctrl-D.');
  return text(addAbortSignal(signal, stdin));
}
