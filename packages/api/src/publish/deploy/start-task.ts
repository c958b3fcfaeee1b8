// Starts the deploy of a bundle also if the response is lost: it may have started, and is followed then.
import type { Client } from '../../client/client.ts';
import type { ClientClock } from '../../client/clock.ts';
import { isCallFailure, NoResponseError, RefusedError } from '../../client/failures.ts';
import { backOff } from '../../client/retry.ts';

/** Further attempts, with growing delays: the server may restart meanwhile. */
const ATTEMPTS = 5;
const DELAYS = { first: 500, most: 8000 };

export interface StartOptions {
  readonly client: Client;
  readonly guid: string;
  readonly bundle_id: string;
  /** Nobody else has deployed the bundle: any task of it is the one that was asked for. */
  readonly isNew: boolean;
  readonly clock: ClientClock;
  readonly signal: AbortSignal | undefined;
  /** Sends the request; returns the id of the task. */
  readonly start: () => Promise<string>;
}

/**
 * Repeats a request that may have arrived, unless the server knows its task: deploying the same bundle twice does no
 * harm. @throws the failure of the first request, a later refusal, or the signal's reason
 */
export async function startTask({ start, signal, clock, ...of }: StartOptions): Promise<string> {
  try {
    return await start();
  } catch (error) {
    if (!mayHaveStarted(error)) throw error;
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      await clock.sleep(backOff(DELAYS, attempt, clock), signal);
      try {
        return (await startedTask(of)) ?? (await start());
      } catch (again) {
        if (!isCallFailure(again) || isRefusal(again)) throw again;
      }
    }
    throw error;
  }
}

/** Whether the server may be deploying although the request failed. */
export function mayHaveStarted(error: unknown): boolean {
  if (error instanceof NoResponseError) return !error.nothingSent;
  return isCallFailure(error) && !isRefusal(error);
}

/** Gateways may answer with JSON of their own while the server works on. */
function isRefusal(error: unknown): boolean {
  return error instanceof RefusedError && (error.code !== null || error.status < 500);
}

/** Null if the server does not say. @throws failures without an answer */
async function startedTask({
  client,
  guid,
  bundle_id: id,
  isNew,
}: Pick<StartOptions, 'client' | 'guid' | 'bundle_id' | 'isNew'>): Promise<string | null> {
  if (!isNew) return null;
  try {
    const { steps } = await client.getBundleRelease({ guid, id }, { retries: 0 });
    return steps.findLast(({ what }) => what === 'started')?.task_id ?? null;
  } catch (error) {
    if (error instanceof NoResponseError) throw error;
    return null;
  }
}

/** What is left of a deploy that was cancelled before it was known whether it started. */
export function mayGoOn(bundle_id: string): string {
  return `The deploy of bundle ${bundle_id} may have started on the server.`;
}

/** The bundle stays on the server, and goes live once others have approved it. */
export function waitsForApproval(error: unknown): boolean {
  return error instanceof RefusedError && typeof error.payload?.['release'] === 'string';
}
