// The content of a command: a directory with a deployment record, or the GUID, address or name of content.
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { type Client, type ContentItem, isAt } from '@pressroom/api/client';
import { readRecords, type StoredRecord } from '@pressroom/api/publish';
import { stringOption, type CommandContext } from '../command.ts';
import { openClient, resolveConnection } from '../connection.ts';
import { UsageError } from '../exit-codes.ts';

const GUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;

export interface ContentArgument {
  client: Client;
  guid: string;
  /** The directory with the record to update: the given one, or the current one. */
  dir: string;
  /** The record that was used; null if no directory was given. */
  record: StoredRecord | null;
}

/**
 * Resolves `[CONTENT]`, by default the current directory. An existing directory takes precedence over a name; of an
 * address counts what it names, not the server. The caller closes the client. Throws UsageError, RecordError.
 */
export async function resolveContent(
  context: CommandContext,
  argument = '.',
  remedy?: string,
): Promise<ContentArgument> {
  const found = await findContent(context, argument, remedy);
  if (found !== null) return found;
  throw new UsageError(
    `There is no directory ${argument} here, and no content of that name that you can see on the server.`,
    'To list the content you can see, run: pressroom list',
  );
}

/** The same for commands whose content is the option `--content`: people name it as the argument. */
export function resolveContentOption(context: CommandContext): Promise<ContentArgument> {
  return resolveContent(
    context,
    stringOption(context, 'content'),
    'Name the content with --content CONTENT: its directory, name, address or GUID.',
  );
}

/** Null if nothing has that name. Otherwise as resolveContent. */
export async function findContent(
  context: CommandContext,
  argument: string,
  remedy = 'Use the GUID or address of the content, or publish the directory with: pressroom deploy',
): Promise<ContentArgument | null> {
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
    throw new UsageError(`${dir} has not been published to ${connection.url} from here.`, remedy);
  }
  return { client: openClient(context, connection), guid: record.guid, dir, record };
}

/** A GUID, or the one in an address such as `https://connect.example.com/content/{guid}/`. */
function guidIn(argument: string): string | null {
  const found = GUID.exec(argument)?.[0];
  return found !== undefined && (found === argument || isAddress(argument)) ? found.toLowerCase() : null;
}

async function findNamed(context: CommandContext, wanted: string): Promise<ContentArgument | null> {
  await using stack = new AsyncDisposableStack();
  const client = stack.use(openClient(context, await resolveConnection(context)));
  const include = isAddress(wanted) ? ({ include: 'vanity_url' } as const) : {};
  const found = named(await client.listContent(include, { signal: context.signal }), wanted);
  const [item] = found;
  if (item === undefined) return null;
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
