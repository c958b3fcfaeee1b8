// The outbox of events: numbered in commit order, removed once every receiver has them.
import type { Selectable } from 'kysely';
import type { Micros, OutgoingEventTable, ReasonCode } from '../platform/database/schema.ts';
import type { Executor, Storage } from '../platform/database/storage.ts';

export type EventRow = Selectable<OutgoingEventTable>;

/** Why something ended, for programs and people. */
export interface Reason {
  readonly code: ReasonCode;
  readonly text: string;
  /** What the code does not say, in words of a person or a program: part of the text. */
  readonly detail?: string;
}

export function reasonColumns(reason: Partial<Reason> | null | undefined) {
  return {
    reason: reason?.text ?? null,
    reason_code: reason?.code ?? null,
    reason_detail: reason?.detail ?? null,
  };
}

const HEAD = 'events';

/** Of an event without a task, a bundle and a process. */
const NOTHING = {
  task_id: '',
  bundle_id: null,
  code: null,
  stages: '[]',
  job_key: null,
  reason: null,
  reason_code: null,
  reason_detail: null,
};

type NewEvent = Pick<EventRow, 'type' | 'time' | 'started_time' | 'content_guid' | 'user_guid'> &
  Partial<Pick<EventRow, keyof typeof NOTHING | 'request' | 'rendering'>>;

/**
 * To be called in the transaction of the change, before any audit entry: both lock the end of their log, and the
 * opposite order could deadlock.
 */
export async function appendEvent(db: Executor, event: NewEvent): Promise<void> {
  // Later writers wait for this row, so that numbers are committed in order.
  const { seq } = await db
    .insertInto('outgoing_head')
    .values({ name: HEAD, seq: 1 })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((eb) => ({ seq: eb('outgoing_head.seq', '+', 1) })),
    )
    .returning('seq')
    .executeTakeFirstOrThrow();
  const content = await db
    .selectFrom('content')
    .select('bundle_id')
    .where('guid', '=', event.content_guid)
    .executeTakeFirst();
  await db
    .insertInto('outgoing_event')
    .values({ ...NOTHING, id: seq, active_bundle: content?.bundle_id ?? null, ...event })
    .execute();
}

export async function newestEvent(db: Executor): Promise<number> {
  const head = await db.selectFrom('outgoing_head').select('seq').where('name', '=', HEAD).executeTakeFirst();
  return head?.seq ?? 0;
}

/** 0 if none waits, also where those that nobody accepted were dropped. */
export async function newestWaiting(db: Executor): Promise<number> {
  const newest = db.selectFrom('outgoing_event').select((eb) => eb.fn.max('id').as('id'));
  return Number((await newest.executeTakeFirst())?.id ?? 0);
}

/** With the current names of content and person; null if deleted. */
export function eventsAfter(db: Executor, id: number, limit: number) {
  return db
    .selectFrom('outgoing_event')
    .leftJoin('content', 'content.guid', 'outgoing_event.content_guid')
    .leftJoin('user_account', 'user_account.guid', 'outgoing_event.user_guid')
    .selectAll('outgoing_event')
    .select(['content.name', 'content.title'])
    .select(['user_account.username', 'user_account.first_name', 'user_account.last_name'])
    .where('outgoing_event.id', '>', id)
    .orderBy('outgoing_event.id')
    .limit(limit)
    .execute();
}
export type NamedEvent = Awaited<ReturnType<typeof eventsAfter>>[number];

/** Removes events that every receiver has. */
export async function removeEvents(db: Executor, upTo: number): Promise<void> {
  await db.deleteFrom('outgoing_event').where('id', '<=', upTo).execute();
}

/** Microseconds after which undelivered events are dropped. */
const KEPT: Micros = 7 * 86_400_000_000;

/** Returns their number. */
export async function dropEvents({ write }: Pick<Storage, 'write'>, now: Micros): Promise<number> {
  const { numDeletedRows } = await write((tx) =>
    tx
      .deleteFrom('outgoing_event')
      .where('time', '<', now - KEPT)
      .executeTakeFirstOrThrow(),
  );
  return Number(numDeletedRows);
}
