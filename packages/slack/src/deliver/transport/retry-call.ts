// Retries a call to Slack until it succeeds, within limits.
import type { ClientClock } from '@pressroom/api/client';
import type { Logger } from 'pino';
import { isOutage, slackFailure, spreadPause, type SlackFailureKind } from './slack-failure.ts';

/** Milliseconds of a Slack outage, or an invalid token, after which a message is dropped. */
const SLACK_PATIENCE = 24 * 3_600_000;
/** The same for unknown errors, and for refusals until somebody changes the app or the workspace. */
const PATIENCE_WITH: Partial<Record<SlackFailureKind, number>> = {
  unknown: 3_600_000,
  refused: 15 * 60_000,
};

interface Trying {
  readonly clock: ClientClock;
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly tries?: number;
  /** The work waits for its turn: while Slack is down, in its place before later messages. */
  readonly inTurn?: boolean;
}

/**
 * Retries with growing pauses until success, a permanent refusal, or a timeout. `again` means that an earlier attempt
 * may have succeeded, `plain` that Slack refuses the blocks.
 */
export async function retryCall(
  { clock, signal, log, tries = Infinity, inTurn = false }: Trying,
  recovering: boolean,
  work: (again: boolean, plain: boolean) => Promise<unknown>,
): Promise<boolean> {
  let again = recovering;
  const began = clock.now();
  let busy = 0;
  let plain = false;
  for (let failures = 1; ; failures += 1) {
    signal.throwIfAborted();
    try {
      await work(again, plain);
      return true;
    } catch (error) {
      signal.throwIfAborted();
      const failure = slackFailure(error);
      const patience = PATIENCE_WITH[failure.kind] ?? SLACK_PATIENCE;
      // Waiting as long as Slack requires is no failure.
      busy += failure.kind === 'busy' ? 1 : 0;
      const isOver = failures - busy >= tries || clock.now() - began > patience;
      // Slack may be too old for some blocks: the text says the same.
      if (failure.kind === 'refused' && !plain && !isOver) {
        plain = true;
        continue;
      }
      if (failure.kind === 'gone' || isOver) {
        log.warn({ word: failure.word, failures }, 'Slack did not take a notice');
        return false;
      }
      // After a clear refusal nothing was posted: no need to check.
      again ||= failure.kind === 'down' || failure.kind === 'unknown';
      if (inTurn && isOutage(failure)) continue;
      await clock.sleep(spreadPause(failure, failures, clock), signal);
    }
  }
}
