// pressroom variables: environment variables of content, set from a file. Values are never on a command line or shown.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { parseEnv } from 'node:util';
import { listOption, stringOption, type Command, type CommandContext } from '../command.ts';
import { resolveContent } from '../content-argument.ts';
import { EXIT, UsageError } from '../exit-codes.ts';

export const variables: Command = {
  name: 'variables',
  synopsis: 'variables [DIR|GUID]',
  summary: 'List the names of the environment variables of content, set or remove some',
  help: [
    '  --from FILE          Set those of a file such as .env; - for standard input',
    '  --only NAME          Of that file only this one (may be repeated)',
    '  --remove NAME        Remove this one (may be repeated)',
  ],
  options: {
    from: { type: 'string' },
    only: { type: 'string', multiple: true },
    remove: { type: 'string', multiple: true },
  },
  positionals: [0, 1],
  async run(context) {
    const { terminal, json, signal } = context;
    const body = [
      ...(await valuesToSet(context)),
      ...listOption(context, 'remove').map((name) => ({ name, value: null })),
    ];
    const { client, guid } = await resolveContent(context, context.positionals[0]);
    await using _client = client;
    const names =
      body.length === 0
        ? await client.getEnvironment({ guid }, { signal })
        : await client.updateEnvironment({ guid, body }, { signal });
    if (json) terminal.printJson(names);
    else for (const name of names) terminal.print(name);
    if (body.length > 0)
      terminal.note('What runs or was rendered already changes when it is deployed again.');
    return EXIT.ok;
  },
};

async function valuesToSet(context: CommandContext): Promise<{ name: string; value: string }[]> {
  const file = stringOption(context, 'from');
  const only = listOption(context, 'only');
  if (file === undefined) {
    if (only.length > 0) throw new UsageError('--only goes with --from FILE.');
    return [];
  }
  const source = file === '-' ? await text(context.stdin) : await read(path.resolve(context.cwd, file));
  const values = Object.entries(parseEnv(source)).map(([name, value]) => ({ name, value: value ?? '' }));
  const missing = only.find((name) => values.every((value) => value.name !== name));
  if (missing !== undefined) throw new UsageError(`${file} does not set ${missing}.`);
  const wanted = only.length === 0 ? values : values.filter(({ name }) => only.includes(name));
  if (wanted.length === 0)
    throw new UsageError(`${file} sets no variables.`, 'Write them as NAME=value, a line each.');
  return wanted;
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`Cannot read ${file} (${(error as NodeJS.ErrnoException).code}).`);
  }
}
