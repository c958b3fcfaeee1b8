// Posts messages other than those of running deploys: each once, by one bot, until Slack accepts it.
import type { ClientClock } from '@pressroom/api/client';
import type { Logger } from 'pino';
import type { Message } from '../../blocks/blocks.ts';
import type { ContentClients } from '../../link/content-clients.ts';
import type { ReleaseKey } from '../../store/releases.ts';
import type { RequestKey } from '../../store/requests.ts';
import type { Languages } from '../../texts/languages.ts';
import type { NewMessage, Waiting } from '../../store/outbox.ts';
import type { Store } from '../../store/store.ts';
import { announceRelease } from '../releases/about-release.ts';
import { DIRECT } from '../transport/direct.ts';
import { findEarlier } from '../transport/find-earlier.ts';
import { maySee } from '../subscriptions/content-seen.ts';
import { sendWithFallback } from '../transport/send-with-fallback.ts';
import { showRelease } from '../releases/releases.ts';
import { readRendering, type Rendered } from '../renderings/renderings.ts';
import { showRequest } from '../requests/show-request.ts';
import { pauseAfter, slackFailure } from '../transport/slack-failure.ts';
import type { SlackPort } from '../transport/slack-port.ts';
import type { Subject } from '../subject.ts';
import { readUnused } from '../unused/unused.ts';

/**
 * A message; or a subject to be read when posting: a bundle or request whose message is updated; a bundle to announce;
 * unused content, if still to be asked about; a rendering.
 */
type Body =
  | Message
  | { readonly release: ReleaseKey }
  | { readonly request: RequestKey }
  | { readonly about: ReleaseKey }
  | { readonly unused: Subject['content'] }
  | { readonly rendering: Rendered };

export interface Alerts extends AsyncDisposable {
  /** Posts it once, even if added again; a channel `@U1` means direct messages of that person. */
  send(alert: Omit<NewMessage, 'message'> & { readonly message: Body }): Promise<void>;
  /** Posts pending messages. */
  look(): void;
  /** Resolves when nothing is being posted. */
  idle(): Promise<void>;
}

export interface AlertsOptions {
  readonly store: Store;
  readonly slack: SlackPort;
  readonly clients: ContentClients;
  readonly languages: Languages;
  readonly clock: ClientClock;
  readonly log: Logger;
}

/** Milliseconds after which a message that Slack does not accept is dropped. */
const PATIENCE = 24 * 3_600_000;
const UNKNOWN_PATIENCE = 3_600_000;
/** Within the lease, so that no other bot starts it. */
const MAX_SLOW_MS = 50_000;
/** Milliseconds between checks for messages left by another bot. */
const EACH = 15_000;

export function createAlerts({ store, slack, clients, languages, clock, log }: AlertsOptions): Alerts {
  const stop = new AbortController();
  let running: Promise<void> | null = null;
  /** Slow messages that do not block others, by ID. */
  const slow = new Map<string, Promise<void>>();
  let again = false;

  async function deliver(waiting: Waiting): Promise<void> {
    const { id, team, reader, content, created_time: oldest, isAgain } = waiting;
    const body = JSON.parse(waiting.message) as Body;
    if ('request' in body) return showRequest({ store, slack, clients, languages }, body.request);
    // After waiting, the person may have lost the right to see it.
    if (
      reader !== null &&
      content !== null &&
      !(await maySee(clients, { team, slack_user: reader }, content))
    )
      return;
    if ('release' in body) {
      const { release: about } = body;
      const parts = { store, slack, clients, languages };
      const isAsked = await showRelease(parts, about, reader);
      if (!isAsked || reader === null || content === null) return;
      const id = `about:${content}:${about.bundle}:${team}:${waiting.channel}`;
      const { channel } = waiting;
      await store.outbox.add({ id, team, channel, reader, content, message: JSON.stringify({ about }) });
      again = true;
      return;
    }
    if ('about' in body) {
      if (reader === null) return;
      const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(MAX_SLOW_MS)]);
      return announceRelease({ store, slack, clients, languages, log }, body.about, reader, signal);
    }
    const message = await messageOf(body, waiting);
    if (message === null) return;
    const channel = waiting.channel.startsWith(DIRECT)
      ? await slack.directMessages(team, waiting.channel.slice(DIRECT.length))
      : waiting.channel;
    const mark = { notice: id, part: 'alert' } as const;
    const isTold = isAgain && (await findEarlier(slack, { team, channel, mark, oldest })) !== null;
    if (isTold) return;
    await sendWithFallback(
      message,
      async (shown) => void (await slack.post({ team, channel, mark, message: shown })),
    );
  }

  async function messageOf(
    body: Message | { readonly unused: Subject['content'] } | { readonly rendering: Rendered },
    { team, reader, channel }: Waiting,
  ): Promise<Message | null> {
    if ('blocks' in body) return body;
    if (reader === null) return null;
    if ('rendering' in body) {
      const texts = await languages.ofChannel(team, channel, reader);
      const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(MAX_SLOW_MS)]);
      return readRendering({ clients, slack, log }, { team, reader, texts }, body.rendering, signal);
    }
    const texts = await languages.ofPerson(team, reader);
    return readUnused(clients, { team, reader, texts }, body.unused);
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
          settle(waiting).finally(() => slow.delete(waiting.id)),
        );
    }
  }

  async function settle(waiting: Waiting): Promise<void> {
    try {
      await deliver(waiting);
      await store.outbox.finish(waiting.id);
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
      .catch((error: unknown) => log.warn({ err: error }, 'posting what waits failed'))
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
