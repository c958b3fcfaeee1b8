// The audit log of a server, newest first, and the deploys in it.
import type { Client } from '@pressroom/api/client';
import type { AuditEntry } from '@pressroom/api/contract';

export interface AuditedDeploy {
  readonly entry: AuditEntry;
  readonly content: string | null;
  readonly bundle: string | null;
  readonly task: string | null;
}

const GUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;
/** Entries in one request. */
const PAGE = 200;

/** Every entry since a moment (milliseconds), the newest first. */
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

export async function* deploysIn(client: Client, from: number, signal: AbortSignal) {
  for await (const entry of auditSince(client, from, signal)) {
    const deploy = readDeploy(entry);
    if (deploy !== null) yield deploy;
  }
}

/** The deploy that an entry is about; null for other entries. */
export function readDeploy(entry: AuditEntry): AuditedDeploy | null {
  if (entry.action !== 'deploy_application') return null;
  const text = entry.event_description;
  return {
    entry,
    content: GUID.exec(text)?.[0].toLowerCase() ?? null,
    bundle: /\bbundle (\d{1,15})\b/i.exec(text)?.[1] ?? null,
    task: /\btask ([A-Za-z0-9]{16})\b/.exec(text)?.[1] ?? null,
  };
}
