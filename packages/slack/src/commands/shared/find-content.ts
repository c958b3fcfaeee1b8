// Finds the subject of a command as the invoker may see it: content, its bundles, people's names.
import { type ContentItem, RefusedError } from '@pressroom/api/client';
import type { Bundle, User } from '@pressroom/api/contract';
import type { Message } from '../../blocks/blocks.ts';
import { fullName } from '../../blocks/names.ts';
import { notFoundMessage, pickerMessage } from '../../blocks/notes.ts';
import type { Run } from '../command.ts';
import { isAddress, matchContent, readReference, type Match } from '../line/content-reference.ts';
import { commandLine } from '../line/parsed-command.ts';

export type AsInvoker = Pick<Run, 'client' | 'signal'>;

export function listContent({ client, signal }: AsInvoker, owner?: string): Promise<ContentItem[]> {
  return client.listContent(owner === undefined ? {} : { owner_guid: owner }, { signal });
}

/** The content with this name or address, as far as the client may see it. */
export async function contentNamed(
  words: string,
  { client, signal }: AsInvoker,
): Promise<Match<ContentItem>> {
  const include = isAddress(words) ? ({ include: 'vanity_url' } as const) : {};
  return matchContent(words, await client.listContent(include, { signal }));
}

/**
 * The content that the command names; otherwise a message to show instead: a menu, or similar names.
 * @param remark shown if nothing matches
 */
export async function resolveContent(
  run: Run,
  remark?: string,
): Promise<{ content: ContentItem } | { message: Message }> {
  const { client, command, signal } = run;
  const reference = readReference(command.subject);
  if (reference.kind === 'guid') {
    try {
      return { content: await client.getContent({ guid: reference.guid }, { signal }) };
    } catch (error) {
      if (error instanceof RefusedError && (error.status === 404 || error.status === 403)) {
        return { message: notFoundMessage(command.subject, [], run.texts) };
      }
      throw error;
    }
  }
  const match = await contentNamed(reference.words, run);
  if (match.kind === 'one') return { content: match.item };
  if (match.kind === 'several') return { message: await picker(run, match.items) };
  const near = match.nearest.map((name) => ({ name, line: commandLine({ ...command, subject: name }) }));
  return { message: notFoundMessage(reference.words, near, run.texts, remark) };
}

async function picker(
  { services, command, invoker, responseUrl, texts }: Run,
  items: readonly ContentItem[],
): Promise<Message> {
  const pending = await services.store.addPending({
    team: invoker.team,
    slack_user: invoker.user,
    channel: invoker.channel,
    line: commandLine(command),
    response_url: responseUrl ?? '',
  });
  return pickerMessage(command.subject, items, pending, texts);
}

/** Null if the invoker may not see who it is. */
export async function nameOf(run: AsInvoker, guid: string | null | undefined): Promise<string | null> {
  const user = await userOf(run, guid);
  return user && fullName(user);
}

/** Null if the invoker may not see the account, or the server does not say whose it is. */
export async function userOf(run: AsInvoker, guid: string | null | undefined): Promise<User | null> {
  if (!guid) return null;
  try {
    return await run.client.getUser({ guid }, { signal: run.signal });
  } catch (error) {
    if (error instanceof RefusedError && error.status !== 401) return null;
    throw error;
  }
}

export function mayChange(content: ContentItem, me: User): boolean {
  if (me.user_role === 'viewer') return false;
  return content.role === 'owner' || content.role === 'editor' || me.user_role === 'administrator';
}

/** Empty if the invoker may not see them: administrators see an item, but not its bundles. */
export async function bundlesOf({ client, signal }: AsInvoker, guid: string): Promise<Bundle[]> {
  try {
    return await Array.fromAsync(client.each.getBundles({ guid }, { signal }));
  } catch (error) {
    if (error instanceof RefusedError && error.status !== 401) return [];
    throw error;
  }
}
