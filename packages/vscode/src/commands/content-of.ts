// The published content that a command is about.
import path from 'node:path';
import type { StoredRecord } from '@pressroom/api/publish';
import { l10n } from 'vscode';
import { mayUseKeys } from '../publish/may-use-keys.ts';
import { activeTarget } from '../store/targets.ts';
import type { CommandParts } from './command.ts';
import { showInformationMessage } from '../ui/messages.ts';

export interface Published {
  readonly dir: string;
  readonly record: StoredRecord;
}

/** Of a tree node, else the active target of the directory; undefined without one, or without a key for its server. */
export async function signedIn(
  parts: Pick<CommandParts, 'directories' | 'keys' | 'memory' | 'signIn'>,
  argument: unknown,
): Promise<Published | undefined> {
  if (!mayUseKeys()) return undefined;
  const found = await contentOf(parts, argument);
  if (found === undefined) return undefined;
  return (await hasKey(parts, found.record.server)) ? found : undefined;
}

/** As `signedIn`, where no server is asked. */
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

/** Whether there is a key for a server, after asking for one. */
export async function hasKey(
  { keys, signIn }: Pick<CommandParts, 'keys' | 'signIn'>,
  server: string,
): Promise<boolean> {
  if ((await keys.get(server)) !== undefined) return true;
  return (await signIn.key(server)) === true && (await keys.get(server)) !== undefined;
}

/** A node of the tree that is of a content item; whatever else a key or a link passes is not. */
export function publishedNode(argument: unknown): Published | undefined {
  const { dir, record } = (argument ?? {}) as Partial<Published>;
  const isRecord = typeof record?.server === 'string' && typeof record.guid === 'string';
  return typeof dir === 'string' && isRecord ? { dir, record } : undefined;
}
