// Tries a call to Slack again until it works, within limits.
import type { ClientClock } from '@pressroom/api/client';
import type { Logger } from 'pino';
import { pauseAfter, slackFailure, type SlackFailureKind } from './slack-failure.ts';

/** Milliseconds that Slack may be away, or a token invalid, before a message is given up. */
const SLACK_PATIENCE = 24 * 3_600_000;
/** The same for an error that nobody knows, and for what Slack refuses until somebody changes the app or the workspace. */
const PATIENCE_WITH: Partial<Record<SlackFailureKind, number>> = {
  unknown: 3_600_000,
  refused: 15 * 60_000,
};

interface Trying {
  readonly clock: ClientClock;
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly tries?: number;
}

/**
 * Retries with growing pauses until it works, Slack refuses for good, or it has taken too long. `again` means that an
 * earlier try may have worked, `plain` that Slack refuses the blocks.
 */
export async function persistently(
  { clock, signal, log, tries = Infinity }: Trying,
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
      // To wait as long as Slack says is no failure.
      busy += failure.kind === 'busy' ? 1 : 0;
      const isOver = failures - busy >= tries || clock.now() - began > patience;
      // Blocks that Slack refuses may be too new for it: their text says the same.
      if (failure.kind === 'refused' && !plain && !isOver) {
        plain = true;
        continue;
      }
      if (failure.kind === 'gone' || isOver) {
        log.warn({ word: failure.word, failures }, 'Slack did not take a notice');
        return false;
      }
      // After a clear refusal nothing has arrived: no need to look.
      again ||= failure.kind === 'down' || failure.kind === 'unknown';
      // Not all at the same moment, and none before Slack lets it.
      const spread = (failure.kind === 'busy' ? 1 : 0.75) + clock.random() / 2;
      await clock.sleep(pauseAfter(failure, failures) * spread, signal);
    }
  }
}
