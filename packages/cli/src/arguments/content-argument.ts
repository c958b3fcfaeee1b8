// The content of a command: a directory with a deployment record, or the GUID, address or name of content.
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { type Client, type ContentItem, isAt, nearest } from '@pressroom/api/client';
import { readRecords, type StoredRecord } from '@pressroom/api/publish';
import { stringOption, type CommandContext } from '../command.ts';
import { openClient, resolveConnection } from '../connection.ts';
import { UsageError } from '../exit-codes.ts';
import { shellWord } from '../terminal/shell-word.ts';
import { commandHint } from './command-hint.ts';

const GUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;

export interface ContentArgument {
  client: Client;
  guid: string;
  /** The directory with the record to update: the given one, or the current one. */
  dir: string;
  /** The record that was used; null if no directory was given. */
  record: StoredRecord | null;
}

/** Nothing has the name. */
export class NoContentError extends UsageError {
  readonly near: readonly string[];

  /** @param others what else has not that name, before a comma */
  constructor(context: CommandContext, argument: string, near: readonly string[], others = '') {
    const names = near.map(shellWord).join(', ');
    super(
      `There is no directory ${argument} here, ${others}and no content of that name that you can see on the server.`,
      near.length === 0
        ? `To list the content you can see, run: ${commandHint(context, 'list')}`
        : `Did you mean: ${names}`,
    );
    this.near = near;
  }
}

/**
 * Resolves `[CONTENT]`, by default the current directory. An existing directory takes precedence over a name; of an
 * address counts what it names, not the server. The caller closes the client. Throws UsageError, RecordError.
 */
export async function resolveContent(
  context: CommandContext,
  given?: string,
  remedy?: string,
): Promise<ContentArgument> {
  const found = await resolve(context, given, remedy);
  context.about.guid = found.guid;
  return found;
}

async function resolve(
  context: CommandContext,
  given: string | undefined,
  remedy: string | undefined,
): Promise<ContentArgument> {
  const argument = given ?? '.';
  // At the end, when the server is known.
  const advice = () =>
    remedy ??
    `Use the GUID or address of the content, or publish the directory with: ${commandHint(context, `deploy ${shellWord(argument)}`)}`;
  // A variable that a script lacks: not the current directory.
  if (argument.trim() === '') throw new UsageError('The name of the content is empty.', advice());
  context.about.content = given;
  const guid = guidIn(argument);
  if (guid !== null) {
    const connection = await resolveConnection(context, undefined, () => guid);
    return { client: openClient(context, connection), guid, dir: context.cwd, record: null };
  }
  const dir = path.resolve(context.cwd, argument);
  const isName = isAddress(argument) || (!/[/\\]/.test(argument) && !(await isDirectory(dir)));
  if (isName) return findNamed(context, argument);
  const records = await readRecords(dir);
  const recordOn = (url: string) => records.find((candidate) => candidate.server === url);
  const connection = await resolveConnection(context, records[0]?.server, (url) => recordOn(url)?.guid);
  const record = recordOn(connection.url);
  if (record === undefined) {
    throw new UsageError(`${dir} has not been published to ${connection.url} from here.`, advice());
  }
  return { client: openClient(context, connection), guid: record.guid, dir, record };
}

/** The same for commands whose content is the option `--content`: people name it as the argument. */
export function resolveContentOption(context: CommandContext): Promise<ContentArgument> {
  return resolveContent(
    context,
    stringOption(context, 'content'),
    'Name the content with --content CONTENT: its directory, name, address or GUID.',
  );
}

/** A GUID, or the one in an address such as `https://connect.example.com/content/{guid}/`. */
function guidIn(argument: string): string | null {
  const found = GUID.exec(argument)?.[0];
  return found !== undefined && (found === argument || isAddress(argument)) ? found.toLowerCase() : null;
}

async function findNamed(context: CommandContext, wanted: string): Promise<ContentArgument> {
  await using stack = new AsyncDisposableStack();
  const client = stack.use(openClient(context, await resolveConnection(context)));
  const include = isAddress(wanted) ? ({ include: 'vanity_url' } as const) : {};
  const all = await client.listContent(include, { signal: context.signal });
  const found = named(all, wanted);
  const [item] = found;
  if (item === undefined) {
    // Once each: a title is much like its name.
    const [near = []] = (['name', 'title'] as const)
      .map((field) =>
        nearest(
          wanted,
          all.flatMap((one) => one[field] || []),
        ),
      )
      .filter(({ length }) => length > 0);
    throw new NoContentError(context, wanted, isAddress(wanted) ? [] : near);
  }
  if (found.length > 1)
    throw new UsageError(
      `${found.length} content items on ${client.url} are called ${wanted}.`,
      `Use a GUID: ${found.map(({ guid }) => guid).join(', ')}`,
    );
  stack.move();
  return { client, guid: item.guid, dir: context.cwd, record: null };
}

/** By address, or by name or title in any case. */
function named(items: readonly ContentItem[], wanted: string): ContentItem[] {
  const isWanted = (text: string | null | undefined) => text?.toLowerCase() === wanted.toLowerCase();
  if (isAddress(wanted)) return items.filter((item) => isAt(item, wanted));
  return items.filter(({ name, title }) => isWanted(name) || isWanted(title));
}

function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

export async function isDirectory(file: string): Promise<boolean> {
  return (await stat(file).catch(() => null))?.isDirectory() ?? false;
}
