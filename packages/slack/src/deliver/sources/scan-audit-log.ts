// Finds unannounced deploys and deleted content in the audit log.
import { type ClientClock, RefusedError } from '@pressroom/api/client';
import { deletionsIn, deploysIn } from '../../commands/shared/audit-log.ts';
import type { Services } from '../../services.ts';
import { announceInChannels } from '../deploys/announce-in-channels.ts';
import { endSubscriptionsTo } from '../subscriptions/end-subscription.ts';

interface ScanOptions {
  readonly services: Services;
  readonly clock: ClientClock;
  readonly signal: AbortSignal;
}

const CURSOR = 'audit';
/** Milliseconds: older deploys are not announced. */
const NEWS = 3_600_000;

/** Reads what happened since the last scan. */
export async function scanAuditLog({ services, clock, signal: stop }: ScanOptions): Promise<void> {
  const { store, clients } = services;
  const reader = clients.service;
  if (reader === null) return;
  const known = await store.readCursor(CURSOR);
  // The first scan starts now. IDs may have any order, times are ordered.
  const since = known === null || !Number.isFinite(Number(known)) ? null : Number(known);
  const now = clock.now();
  // A clock, the server's or this one, may have been ahead.
  const from = Math.max(Math.min(since ?? now, now), now - NEWS);
  const signal = AbortSignal.any([stop, AbortSignal.timeout(30_000)]);
  let newest = from;
  /** Start of the next scan. */
  let again = Infinity;
  const isScoped = (await store.scopedSubscriptions()).length > 0;
  const found = await Array.fromAsync(deploysIn(reader, from, signal));
  for (const { id, time: at, who, content, bundle, task } of found.reverse()) {
    const time = Date.parse(at);
    // An entry without a time must not become the start of all later scans.
    if (!Number.isFinite(time)) continue;
    newest = Math.max(newest, time);
    if (content === null) continue;
    const isWanted = (await store.subscriptions({ content })).length > 0 || isScoped;
    if (!isWanted) continue;
    const item = await reader.getContent({ guid: content }, { signal }).catch((error: unknown) => {
      if (error instanceof RefusedError && error.status === 404) return null;
      throw error;
    });
    // Deleted since.
    if (item === null) continue;
    const { complete } = await announceInChannels(services, {
      content: item,
      task,
      bundle,
      who,
      via: 'on the server',
      slackUser: null,
      otherwise: `audit:${id}`,
      time,
      channel: null,
    });
    if (!complete) again = Math.min(again, time);
  }
  for await (const { guid, who } of deletionsIn(reader, from, signal))
    await endSubscriptionsTo(services, { guid, who });
  // Entries of the same millisecond are read again, and recognised by their task.
  const next = Math.min(newest, again);
  if (next !== since) await store.saveCursor(CURSOR, String(next));
}
