// Database access for leases of tasks, which pass from server to server.
import type { Updateable } from 'kysely';
import type { Micros, TaskTable } from '../platform/database/schema.ts';
import type { Executor } from '../platform/database/storage.ts';
import type { TurnOrder } from '../platform/turn-order.ts';
import { findTask, type Holder, type TaskRow } from './store.ts';

/** Kinds of tasks that run one at a time per content item, and can be restarted from the beginning. */
export const SERIAL_KINDS: readonly string[] = ['deploy', 'draft', 'render'];

/** A lease of a lost server; 0 is that of a released task. */
const ENDED = 1;

export async function isHeld(db: Executor, id: string, { node, attempt }: Holder): Promise<boolean> {
  const task = await findTask(db, id);
  return task !== undefined && task.finished === 0 && task.node === node && task.attempt === attempt;
}

/** Tasks of servers whose leases have expired, or of this one: the caller skips those it knows. */
export async function orphanedTasks(db: Executor, now: Micros, node: string): Promise<TaskRow[]> {
  return db
    .selectFrom('task')
    .selectAll()
    .where('finished', '=', 0)
    .where('lease_until', '<', now)
    .where((eb) =>
      eb.or([
        eb('node', '=', node),
        eb('node', 'not in', eb.selectFrom('server_life').select('server_life.node')),
      ]),
    )
    .orderBy('created_time')
    .execute();
}

/** Passes a task to another holder, once: returns false if it has ended or somebody else has it. */
export function takeTask(
  db: Executor,
  { id, node, attempt, losses }: TaskRow,
  to: { readonly node: string; readonly until: Micros; readonly isLoss: boolean },
): Promise<boolean> {
  return changeHeld(
    db,
    id,
    { node, attempt },
    {
      node: to.node,
      attempt: attempt + 1,
      begun: 0,
      losses: losses + (to.isLoss ? 1 : 0),
      lease_until: to.until,
    },
  );
}

/** Gives a task to a running server, which takes it over. Returns false if it has ended or somebody else has it. */
export function giveTask(db: Executor, id: string, holder: Holder, to: string): Promise<boolean> {
  return changeHeld(db, id, holder, { node: to, lease_until: 0, begun: 0 });
}

async function changeHeld(
  db: Executor,
  id: string,
  { node, attempt }: Holder,
  changes: Updateable<TaskTable>,
): Promise<boolean> {
  const result = await db
    .updateTable('task')
    .set(changes)
    .where('id', '=', id)
    .where('node', '=', node)
    .where('attempt', '=', attempt)
    .where('finished', '=', 0)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Releases a server's unfinished tasks that others can run. */
export async function releaseTasks(db: Executor, node: string): Promise<void> {
  await db
    .updateTable('task')
    .set({ lease_until: 0, begun: 0 })
    .where('finished', '=', 0)
    .where('node', '=', node)
    .where('kind', 'in', SERIAL_KINDS)
    .execute();
}

/** Ends the leases of a lost server: its clock may have been ahead. */
export async function endLeases(db: Executor, node: string): Promise<void> {
  await db
    .updateTable('task')
    .set({ lease_until: ENDED })
    .where('finished', '=', 0)
    .where('node', '=', node)
    .where('lease_until', '>', ENDED)
    .execute();
}

/**
 * Starts whichever of these tasks may start: up to the limit of all servers, one per content item, in order, on any
 * server. People take turns. In a transaction that excludes other servers.
 */
export async function beginTasks(
  tx: Executor,
  ids: ReadonlySet<string>,
  { node, atOnce, order }: { readonly node: string; readonly atOnce: number; readonly order: TurnOrder },
): Promise<{ begun: string[]; over: string[] }> {
  const open = await tx
    .selectFrom('task')
    .select(['id', 'node', 'begun', 'content_guid', 'user_guid as person'])
    .where('finished', '=', 0)
    .where('kind', 'in', SERIAL_KINDS)
    .orderBy('created_time')
    .orderBy('id')
    .execute();
  const ours = open.filter((task) => task.node === node && ids.has(task.id));
  const waiting = new Set(ours.map(({ id }) => id));
  // Also started ones, if the database's response was lost.
  const begun = ours.filter((task) => task.begun === 1).map(({ id }) => id);
  const running = open.filter((task) => task.begun === 1);
  const persons = running.map(({ person }) => person);
  const busy = new Set(running.map((task) => task.content_guid));
  const eligible: typeof ours = [];
  for (const task of open) {
    if (busy.has(task.content_guid)) continue;
    busy.add(task.content_guid);
    if (waiting.has(task.id)) eligible.push(task);
  }
  while (persons.length < atOnce && eligible.length > 0) {
    const chosen = order.next(eligible, persons);
    eligible.splice(eligible.indexOf(chosen), 1);
    persons.push(chosen.person);
    begun.push(chosen.id);
  }
  if (begun.length > 0) await tx.updateTable('task').set({ begun: 1 }).where('id', 'in', begun).execute();
  return { begun, over: [...ids].filter((id) => !waiting.has(id)) };
}
