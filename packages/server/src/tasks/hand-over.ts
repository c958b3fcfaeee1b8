// Tasks that a server cannot do while it drains are given to another one.
import { ApiError } from '@pressroom/api/contract';
import { findOpenServer } from '../cluster/drain-store.ts';
import { GOODBYE } from '../cluster/heartbeat.ts';
import type { Storage } from '../platform/database/storage.ts';
import { giveTask } from './lease-store.ts';
import { aboutTask, appendLines, findTask, type Holder } from './store.ts';

/** Fails a task, unless another server can do it. */
export class Drained extends ApiError {}

const DRAINS = 'This server starts no more processes: it drains. Another one starts this task again.';

/** Gives a task to a server that does not drain. False if there is none, or the task has ended or was taken over. */
export async function handOver(storage: Storage, id: string, holder: Holder): Promise<boolean> {
  const isGiven = await storage.write(async (tx) => {
    const to = await findOpenServer(tx, holder.node);
    const task = await findTask(tx, id);
    if (to === undefined || task === undefined || !(await giveTask(tx, id, holder, to))) return false;
    const { lines, stages } = task;
    return appendLines(tx, id, { from: lines, lines: [DRAINS], stages }, { ...holder, node: to });
  }, aboutTask(id));
  if (isGiven) storage.events.publish(GOODBYE);
  return isGiven;
}
