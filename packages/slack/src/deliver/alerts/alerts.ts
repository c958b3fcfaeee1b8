// Posts messages other than those of running deploys: each once, by one bot, until Slack accepts it.
import type { ClientClock } from '@pressroom/api/client';
import type { NewMessage, Waiting } from '../../store/outbox.ts';
import type { DeliveryParts } from '../delivery-parts.ts';
import { pauseAfter, slackFailure } from '../transport/slack-failure.ts';
import { deliverAlert, type AlertBody } from './deliver-alert.ts';

export interface Alerts extends AsyncDisposable {
  /** Posts it once, even if added again; a channel `@U1` means direct messages of that person. */
  send(alert: Omit<NewMessage, 'message'> & { readonly message: AlertBody }): Promise<void>;
  /** Posts pending messages. */
  look(): void;
  /** Resolves when nothing is being posted. */
  idle(): Promise<void>;
}

export interface AlertsOptions extends DeliveryParts {
  readonly clock: ClientClock;
}

/** Milliseconds after which a message that Slack does not accept is dropped. */
const PATIENCE = 24 * 3_600_000;
const UNKNOWN_PATIENCE = 3_600_000;
/** Milliseconds between checks for messages left by another bot. */
const EACH = 15_000;

export function createAlerts({ clock, ...parts }: AlertsOptions): Alerts {
  const { store, log } = parts;
  const stop = new AbortController();
  let running: Promise<void> | null = null;
  /** Slow messages that do not block others, by ID. */
  const slow = new Map<string, Promise<void>>();
  let again = false;

  function notPosted(error: unknown): void {
    log.warn({ err: error }, 'posting what waits failed');
  }

  async function drain(): Promise<void> {
    while (!stop.signal.aborted) {
      again = false;
      const waiting = await store.outbox.take();
      if (waiting === null) {
        if (again) continue;
        return;
      }
      if (!/^\{"(about|rendering)"/.test(waiting.message)) await settle(waiting);
      else if (!slow.has(waiting.id))
        slow.set(
          waiting.id,
          settle(waiting)
            // Its lease ends: it is taken again then.
            .catch(notPosted)
            .finally(() => slow.delete(waiting.id)),
        );
    }
  }

  async function settle(waiting: Waiting): Promise<void> {
    try {
      const until = await deliverAlert(parts, waiting, { stop: stop.signal, now: clock.now() });
      if (until === null) await store.outbox.finish(waiting.id);
      else await store.outbox.retry(waiting.id, until);
    } catch (error) {
      const failure = slackFailure(error);
      const { kind, word } = failure;
      const patience = kind === 'unknown' ? UNKNOWN_PATIENCE : PATIENCE;
      const isOver = clock.now() - waiting.created_time > patience;
      if (kind === 'gone' || kind === 'refused' || isOver) {
        log.warn({ word, alert: waiting.id }, 'Slack did not take a message');
        return store.outbox.finish(waiting.id);
      }
      const until = clock.now() + pauseAfter(failure, waiting.failures);
      await store.outbox.retry(waiting.id, until);
      later(until - clock.now());
    }
  }

  function later(milliseconds: number): void {
    clock.sleep(milliseconds, stop.signal).then(look, () => undefined);
  }

  function look(): void {
    again = true;
    if (stop.signal.aborted) return;
    running ??= drain()
      .catch(notPosted)
      .finally(() => (running = null));
  }
  const looking = setInterval(look, EACH).unref();

  return {
    look,
    async send({ message, ...alert }) {
      if (await store.outbox.add({ ...alert, message: JSON.stringify(message) })) look();
    },
    async idle() {
      for (;;) {
        await running;
        await Promise.all(slow.values());
        const due = await store.outbox.nextDue();
        if (due === null || stop.signal.aborted) return;
        await clock
          .sleep(Math.max(20, Math.min(due - clock.now(), EACH)), stop.signal)
          .catch(() => undefined);
        look();
      }
    },
    async [Symbol.asyncDispose]() {
      clearInterval(looking);
      stop.abort(new Error('the bot is stopping'));
      await running;
      await Promise.all(slow.values());
    },
  };
}
