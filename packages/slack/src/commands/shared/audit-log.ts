// Reads the audit log of a server, newest first, and its deploys.
import { isMissingEndpoint, type Client } from '@pressroom/api/client';
import type { AuditEntry, AuditEvent } from '@pressroom/api/contract';
import { guidIn } from '../line/content-reference.ts';

export interface AuditedDeploy {
  readonly id: string;
  readonly time: string;
  readonly who: string;
  readonly what: string;
  readonly content: string | null;
  readonly bundle: string | null;
  readonly task: string | null;
  /** The Slack user who asked the bot. */
  readonly slackUser: string | null;
}

const DEPLOY = 'deploy_application';
const DELETION = 'remove_application';
/** Entries per request. */
const PAGE = 200;

/** Servers whose entries are text only. */
const withoutEvents = new WeakSet<Client>();

/** All entries since a time (milliseconds), newest first. */
export async function* auditSince(
  client: Client,
  from: number,
  signal: AbortSignal,
): AsyncGenerator<AuditEntry, void, undefined> {
  for await (const entry of client.each.getAuditLogs({ ascOrder: false, limit: PAGE }, { signal })) {
    if (Date.parse(entry.time) < from) return;
    yield entry;
  }
}

/** All deploys since a time (milliseconds), newest first. @param content only of this item */
export async function* deploysIn(
  client: Client,
  from: number,
  signal: AbortSignal,
  content: string | null = null,
): AsyncGenerator<AuditedDeploy, void, undefined> {
  if (!withoutEvents.has(client)) {
    try {
      const selection = { action: DEPLOY, ...(content !== null && { content_guid: content }) };
      const page = { ascOrder: false, limit: PAGE, ...selection };
      for await (const event of client.each.getAuditEvents(page, { signal })) {
        if (Date.parse(event.time) < from) return;
        yield deployOf(event);
      }
      return;
    } catch (error) {
      if (!isMissingEndpoint(error)) throw error;
      withoutEvents.add(client);
    }
  }
  for await (const entry of auditSince(client, from, signal)) {
    const deploy = readDeploy(entry);
    if (deploy !== null && (content === null || deploy.content === content)) yield deploy;
  }
}

/** Content deleted since a time (milliseconds), newest first; none on servers whose entries are text only. */
export async function* deletionsIn(
  client: Client,
  from: number,
  signal: AbortSignal,
): AsyncGenerator<{ readonly guid: string; readonly who: string }, void, undefined> {
  if (withoutEvents.has(client)) return;
  const page = { ascOrder: false, limit: PAGE, action: DELETION };
  for await (const event of client.each.getAuditEvents(page, { signal })) {
    if (Date.parse(event.time) < from) return;
    if (event.content_guid !== null) yield { guid: event.content_guid, who: event.user_description };
  }
}

function deployOf(event: AuditEvent): AuditedDeploy {
  const { id, time, user_description: who, description: what } = event;
  return {
    id,
    time,
    who,
    what,
    content: event.content_guid,
    bundle: event.bundle_id,
    task: event.task_id,
    slackUser: event.slack_user,
  };
}

/** The deploy in an entry's text; null for other entries. */
export function readDeploy(entry: AuditEntry): AuditedDeploy | null {
  if (entry.action !== DEPLOY) return null;
  const { id, time, user_description: who, event_description: what } = entry;
  return {
    id,
    time,
    who,
    what,
    content: guidIn(what),
    bundle: /\bbundle (\d{1,15})\b/i.exec(what)?.[1] ?? null,
    task: /\btask ([A-Za-z0-9]{16})\b/.exec(what)?.[1] ?? null,
    slackUser: /\bSlack user ([A-Z0-9]{1,32})$/.exec(what)?.[1] ?? null,
  };
}
