// The published content that a command is about.
import path from 'node:path';
import { readRecords, type StoredRecord } from '@pressroom/api/publish';
import { l10n, window } from 'vscode';
import { mayUseKeys } from '../publish/publisher.ts';
import type { ContentNode } from '../views/deployments.ts';
import type { CommandParts } from './command.ts';

interface Published {
  readonly dir: string;
  readonly record: StoredRecord;
}

/** Of a tree node, else the newest record of the directory; undefined without one, or without a key for its server. */
export async function signedIn(
  { directories, keys, signIn }: Pick<CommandParts, 'directories' | 'keys' | 'signIn'>,
  argument: unknown,
): Promise<Published | undefined> {
  if (!mayUseKeys()) return undefined;
  const found = await contentFor(directories, argument);
  if (found === undefined) return undefined;
  const { server } = found.record;
  if ((await keys.get(server)) !== undefined) return found;
  return (await signIn.key(server)) === true && (await keys.get(server)) !== undefined ? found : undefined;
}

async function contentFor(
  directories: CommandParts['directories'],
  argument: unknown,
): Promise<Published | undefined> {
  const node = argument as Partial<ContentNode> | undefined;
  if (node?.record !== undefined && node.dir !== undefined) return { dir: node.dir, record: node.record };
  const dir = await directories.meantBy(argument);
  if (dir === undefined) return undefined;
  const [record] = await readRecords(dir);
  if (record !== undefined) return { dir, record };
  void window.showInformationMessage(l10n.t('{0} has not been published yet.', path.basename(dir)));
  return undefined;
}
