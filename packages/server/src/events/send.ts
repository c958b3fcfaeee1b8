// Sends events to external programs: signed webhooks, in order, retried until accepted.
import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import { labelOf, startSinks, type AuditSinks, type Sink } from '../audit/sinks.ts';
import { findAuditCursor } from '../audit/store.ts';
import { postSigned } from '../audit/webhook.ts';
import type { Heartbeat } from '../cluster/heartbeat.ts';
import { draftPath } from '../deploys/present.ts';
import { ConfigError } from '../main/config/load-config.ts';
import type { Config } from '../main/config/settings.ts';
import { toTimestamp } from '../platform/clock.ts';
import type { ReasonCode } from '../platform/database/schema.ts';
import type { Storage } from '../platform/database/storage.ts';
import { heldPath } from '../variants/present.ts';
import type { SentRequest } from './request-event.ts';
import { eventsAfter, newestEvent, removeEvents, type NamedEvent } from './store.ts';
import type { SentRendering } from './task-event.ts';

export interface SentEvent {
  /** Increases with every event; a repeated delivery has the same. */
  readonly id: string;
  readonly type: string;
  readonly time: string;
  /** Null for a request for a role. */
  readonly content: {
    readonly guid: string;
    /** Null for deleted content. */
    readonly name: string | null;
    readonly title: string | null;
    readonly url: string;
    /** The active bundle at the time. */
    readonly bundle_id: string | null;
  } | null;
  /** The request for access or a role; null for other events. */
  readonly request: SentRequest | null;
  /** The rendering; null for other events. */
  readonly rendering: SentRendering | null;
  /** Where collaborators open the draft; null for other events. */
  readonly draft_url: string | null;
  /** Null for a process. */
  readonly task_id: string | null;
  /** The crashed process; null for a task. */
  readonly job_key: string | null;
  /** Why a process or canary ended, a task ended early, or a release was withdrawn; null for other events. */
  readonly reason: string | null;
  /** The same for programs; null if it is none of these. */
  readonly reason_code: ReasonCode | null;
  /** What the code does not say, in words of a person or a program. */
  readonly reason_detail: string | null;
  readonly bundle_id: string | null;
  readonly actor: { readonly guid: string; readonly username: string | null; readonly name: string | null };
  /** 0 for success; null while it runs. */
  readonly code: number | null;
  readonly stages: unknown;
  readonly started_time: string;
}

/** Milliseconds between two polls. */
const LOOK_MS = 500;

/** @throws if an address has no secret. */
export function eventReceivers(config: Config): Sink<SentEvent>[] {
  const addresses = config['Events.Webhooks'].split(/\s+/).filter((address) => address !== '');
  const secret = config['Events.WebhookSecret'];
  if (addresses.length > 0 && secret === '')
    throw new ConfigError('Events.Webhooks requires Events.WebhookSecret');
  return addresses.map((address) => ({
    name: `events ${createHash('sha256').update(address).digest('hex').slice(0, 16)}`,
    label: labelOf('Events.Webhooks', address),
    send: (events) => postSigned(address, secret, { events }),
  }));
}

interface EventParts {
  readonly storage: Storage;
  readonly log: Logger;
  /** Null for a single server. */
  readonly heartbeat: Heartbeat | null;
  readonly contentUrl: (guid: string) => string;
}

export function startEvents(
  { storage, log, heartbeat, contentUrl }: EventParts,
  receivers: readonly Sink<SentEvent>[],
): AuditSinks {
  const feed = {
    what: 'events',
    newest: newestEvent,
    async after(db: Storage['db'], id: number, limit: number) {
      const rows = await eventsAfter(db, id, limit);
      return rows.map((row) => ({ id: row.id, entry: sentEvent(row, contentUrl) }));
    },
    async moved() {
      const all = await Promise.all(receivers.map(({ name }) => findAuditCursor(storage.db, name)));
      const upTo = Math.min(...all.map((id) => id ?? 0));
      await storage.write((tx) => removeEvents(tx, upTo));
    },
  };
  return startSinks({ storage, log, isFirst: heartbeat?.isFirst, every: LOOK_MS }, feed, receivers);
}

function sentEvent(row: NamedEvent, contentUrl: (guid: string) => string): SentEvent {
  const full = `${row.first_name ?? ''} ${row.last_name ?? ''}`.trim();
  const rendering = row.rendering === null ? null : (JSON.parse(row.rendering) as SentRendering);
  const bundle = (id: number | null) => (id === null ? null : String(id));
  return {
    id: String(row.id),
    type: row.type,
    time: toTimestamp(row.time),
    content:
      row.content_guid === ''
        ? null
        : {
            guid: row.content_guid,
            name: row.name,
            title: row.title,
            url: contentUrl(row.content_guid),
            bundle_id: bundle(row.active_bundle),
          },
    request: row.request === null ? null : (JSON.parse(row.request) as SentRequest),
    rendering,
    draft_url:
      rendering !== null && row.type === 'render.held'
        ? contentUrl(row.content_guid) + heldPath(rendering.variant)
        : row.type.startsWith('draft.') && row.bundle_id !== null
          ? contentUrl(row.content_guid) + draftPath({ bundle_id: row.bundle_id, name: null })
          : null,
    task_id: row.task_id === '' ? null : row.task_id,
    job_key: row.job_key,
    reason: row.reason,
    reason_code: row.reason_code,
    reason_detail: row.reason_detail,
    bundle_id: bundle(row.bundle_id),
    actor: {
      guid: row.user_guid,
      username: row.username,
      name: row.username === null ? null : full === '' ? row.username : `${full} (${row.username})`,
    },
    code: row.code,
    stages: JSON.parse(row.stages),
    started_time: toTimestamp(row.started_time),
  };
}
