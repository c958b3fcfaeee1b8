// What the commands share: who asks, with which client, what is known of the world around.
import type { Client, ContentItem, User } from '@pressroom/api';
import { isCallFailure, RefusedError } from '@pressroom/api';
import type { Logger } from 'pino';
import { matchContent, readReference, type Match } from '../line/content-reference.ts';
import { commandLine, type Command } from '../line/parse.ts';
import type { Announcer } from '../../deliver/announcer.ts';
import type { Store } from '../../store/store.ts';
import type { Message } from '../../blocks/blocks.ts';
import { notFoundMessage, pickerMessage } from '../../blocks/notes.ts';
import { fullName } from '../user/blocks.ts';
import type { Asker, ContentClients } from '../../link/content-clients.ts';
import type { Reply } from '../../deliver/reply.ts';
import type { SlackPort } from '../../deliver/slack-port.ts';

export interface Services {
  readonly store: Store;
  readonly slack: SlackPort;
  readonly clients: ContentClients;
  readonly announcer: Announcer;
  readonly log: Logger;
  readonly now: () => number;
  /** The slash command, such as `/pressroom`. */
  readonly command: string;
  /** Commands that people who are not linked may use, with the guest key. */
  readonly unlinked: readonly string[];
}

export interface Run {
  readonly services: Services;
  readonly command: Command;
  readonly asker: Asker;
  readonly client: Client;
  readonly reply: Reply;
  readonly signal: AbortSignal;
  /** The line that asks for the same again: behind [Share to channel]. */
  readonly share: string;
  /** Where Slack answers; null where a picker could not go on. */
  readonly responseUrl: string | null;
}

/** Answers what is to be shown; null when it has shown everything itself. */
export type Runner = (run: Run) => Promise<Message | null>;

export async function listContent(
  run: Pick<Run, 'client' | 'signal'>,
  owner?: string,
): Promise<ContentItem[]> {
  return run.client.listContent(owner === undefined ? {} : { owner_guid: owner }, { signal: run.signal });
}

/**
 * The content the asker named; or a message to show instead: a picker, or the nearest names.
 * @param remark said when nothing fits
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
        return { message: notFoundMessage(command.subject, []) };
      }
      throw error;
    }
  }
  const match: Match<ContentItem> = matchContent(reference.words, await listContent(run));
  if (match.kind === 'one') return { content: match.item };
  if (match.kind === 'several') return { message: await picker(run, match.items) };
  const near = match.nearest.map((name) => ({ name, line: commandLine({ ...command, subject: name }) }));
  return { message: notFoundMessage(reference.words, near, remark) };
}

async function picker(
  { services, command, asker, responseUrl }: Run,
  items: readonly ContentItem[],
): Promise<Message> {
  const pending = await services.store.addPending({
    team: asker.team,
    slack_user: asker.user,
    channel: asker.channel,
    line: commandLine(command),
    response_url: responseUrl ?? '',
  });
  return pickerMessage(command.subject, items, pending);
}

/** Somebody's name as the asker may see it; null otherwise. */
export async function nameOf(run: Pick<Run, 'client' | 'signal'>, guid: string): Promise<string | null> {
  try {
    return fullName(await run.client.getUser({ guid }, { signal: run.signal }));
  } catch (error) {
    if (isCallFailure(error) && error instanceof RefusedError && error.status !== 401) return null;
    throw error;
  }
}

export function mayChange(content: ContentItem, me: User): boolean {
  if (me.user_role === 'viewer') return false;
  return content.role === 'owner' || content.role === 'editor' || me.user_role === 'administrator';
}
