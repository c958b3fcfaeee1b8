// Starts processes within the limit across all servers: each holds a place until it ends.
import { setTimeout as delay } from 'node:timers/promises';
import { NoPlace } from '../unavailable.ts';
import type { Worker } from './worker.ts';

/** A process that has just ended releases its place a moment later. */
const LEAVING = { times: 8, ms: 150 };

/**
 * @param held all places of the pool
 * @throws NoPlace if other servers run the maximum
 */
export async function startInPlace(
  take: () => Promise<Disposable | null>,
  held: Set<Disposable>,
  start: () => Promise<Worker>,
): Promise<Worker> {
  const place = await takeSoon(take);
  if (place === null) throw new NoPlace();
  held.add(place);
  const leave = () => {
    held.delete(place);
    place[Symbol.dispose]();
  };
  try {
    const worker = await start();
    void worker.ended.then(leave);
    return worker;
  } catch (error) {
    leave();
    throw error;
  }
}

async function takeSoon(take: () => Promise<Disposable | null>): Promise<Disposable | null> {
  for (let i = 1; ; i += 1) {
    const place = await take();
    if (place !== null || i === LEAVING.times) return place;
    await delay(LEAVING.ms, undefined, { ref: false });
  }
}

/** Frees places for others, although their processes still have visitors. */
export function leavePlaces(held: ReadonlySet<Disposable>): void {
  for (const place of held) place[Symbol.dispose]();
}
