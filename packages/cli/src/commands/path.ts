// pressroom path: the custom path of content, a second address.
import { statusOf, type Client } from '@pressroom/api/client';
import { commandHint } from '../arguments/command-hint.ts';
import { resolveContentOption } from '../arguments/content-argument.ts';
import type { Command, CommandContext } from '../command.ts';
import { UsageError } from '../exit-codes.ts';
import { confirm, show } from '../terminal/output.ts';

export const path: Command = {
  name: 'path',
  synopsis: 'path [PATH] [--content CONTENT]',
  summary: 'Show, set or remove the custom path of content: a second address, such as /sales/',
  help: [
    '  PATH                 The new path: letters, digits, - and _ between slashes',
    '  --content CONTENT    Content (default: the current directory)',
    '  --force              Take the path from other content of yours that has it',
    '  --remove             Remove the path',
  ],
  options: { content: { type: 'string' }, force: { type: 'boolean' }, remove: { type: 'boolean' } },
  positionals: [0, 1],
  async run(context) {
    const { signal, values } = context;
    const wanted = wantedPath(context);
    const isRemoved = values['remove'] === true;
    if (isRemoved && wanted !== undefined)
      throw new UsageError('--remove takes no path: content has at most one.');
    const { client, guid } = await resolveContentOption(context);
    await using _client = client;
    // A path that is not there has the same code as content that is not.
    await client.getContent({ guid }, { signal });
    if (isRemoved) await client.deleteVanity({ guid }, { signal });
    const found =
      wanted === undefined
        ? await findPath(client, guid, signal)
        : (await client.setVanity({ guid, path: wanted, force: values['force'] === true }, { signal })).path;
    if (found === null) return confirm(context, { path: null, url: null }, 'The content has no custom path.');
    const url = `${client.url}${found}`;
    return show(context, { path: found, url }, () => [[url]]);
  },
};

/** With the slashes around it, which are easily left out. */
function wantedPath(context: CommandContext): string | undefined {
  const [typed] = context.positionals;
  const inner = typed?.replace(/^\/+|\/+$/g, '');
  if (inner === '')
    throw new UsageError(
      'The path is empty.',
      `To remove it, run: ${commandHint(context, 'path --remove', 'option')}`,
    );
  return inner === undefined ? undefined : `/${inner}/`;
}

/** Null without one, and from servers that have no custom paths. */
export async function findPath(client: Client, guid: string, signal: AbortSignal): Promise<string | null> {
  try {
    return (await client.getVanity({ guid }, { signal })).path;
  } catch (error) {
    if (statusOf(error) === 404) return null;
    throw error;
  }
}
