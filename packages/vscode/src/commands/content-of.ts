// The published content of a command.
import path from 'node:path';
import type { StoredRecord } from '@pressroom/api/publish';
import { l10n } from 'vscode';
import { mayUseKeys } from '../publish/may-use-keys.ts';
import { keyFor } from '../sign-in/key-for.ts';
import { activeTarget } from '../store/targets.ts';
import { showInformationMessage } from '../ui/messages.ts';
import type { CommandParts } from './command.ts';

export interface Published {
  readonly dir: string;
  readonly record: StoredRecord;
}

/**
 * From a tree node, otherwise the directory's active target; undefined without one, or without a key for its server.
 */
export async function signedIn(
  parts: Pick<CommandParts, 'directories' | 'keys' | 'memory' | 'signIn'>,
  argument: unknown,
): Promise<Published | undefined> {
  if (!mayUseKeys()) return undefined;
  const found = await contentOf(parts, argument);
  if (found === undefined) return undefined;
  return (await keyFor(parts, found.record.server)) === undefined ? undefined : found;
}

/** Like `signedIn`, for commands that need no server. */
export async function contentOf(
  { directories, memory }: Pick<CommandParts, 'directories' | 'memory'>,
  argument: unknown,
): Promise<Published | undefined> {
  const node = publishedNode(argument);
  if (node !== undefined) return node;
  const dir = await directories.meantBy(argument);
  if (dir === undefined) return undefined;
  const record = await activeTarget(dir, memory);
  if (record !== undefined) return { dir, record };
  void showInformationMessage(l10n.t('{0} has not been published yet.', path.basename(dir)));
  return undefined;
}

/** A tree node of a content item; undefined for other arguments of keys and links. */
export function publishedNode(argument: unknown): Published | undefined {
  const { dir, record } = (argument ?? {}) as Partial<Published>;
  const isRecord = typeof record?.server === 'string' && typeof record.guid === 'string';
  return typeof dir === 'string' && isRecord ? { dir, record } : undefined;
}
