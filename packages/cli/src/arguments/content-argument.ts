// The content of a command: a GUID, or a directory with a deployment record.
import path from 'node:path';
import type { Client } from '@pressroom/api/client';
import { readRecords, type StoredRecord } from '@pressroom/api/publish';
import type { CommandContext } from '../command.ts';
import { openClient, resolveConnection } from '../connection.ts';
import { UsageError } from '../exit-codes.ts';

const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export interface ContentArgument {
  client: Client;
  guid: string;
  /** The directory with the record to update: the given one, or the current one. */
  dir: string;
  /** The record that was used, or null for a GUID. */
  record: StoredRecord | null;
}

export function isGuid(text: string): boolean {
  return GUID.test(text);
}

/**
 * Resolves `[DIR|GUID]`, by default the current directory. The caller closes the client. Throws UsageError,
 * RecordError.
 */
export async function resolveContent(context: CommandContext, argument = '.'): Promise<ContentArgument> {
  if (isGuid(argument)) {
    const connection = await resolveConnection(context, undefined, () => argument);
    return {
      client: openClient(context, connection),
      guid: argument.toLowerCase(),
      dir: context.cwd,
      record: null,
    };
  }
  const dir = path.resolve(context.cwd, argument);
  const records = await readRecords(dir);
  const recordOn = (url: string) => records.find((candidate) => candidate.server === url);
  const connection = await resolveConnection(context, records[0]?.server, (url) => recordOn(url)?.guid);
  const record = recordOn(connection.url);
  if (record === undefined) {
    throw new UsageError(
      `${dir} has not been published to ${connection.url} from here.`,
      'Use the GUID of the content, or publish the directory with: pressroom deploy',
    );
  }
  return { client: openClient(context, connection), guid: record.guid, dir, record };
}
