// What is not about a deploy that runs: crashed processes, failed renders, messages to the person who deployed.
import type { ClientClock } from '@pressroom/api/client';
import type { Logger } from 'pino';
import { actions, button, context, section, type Message } from '../blocks/blocks.ts';
import { fit } from '../blocks/fit.ts';
import { inline, line, link, moment } from '../blocks/text.ts';
import type { ContentClients } from '../link/content-clients.ts';
import type { Services } from '../services.ts';
import type { NewMessage, Waiting } from '../store/outbox.ts';
import type { Store } from '../store/store.ts';
import { endSubscription, lostAccess } from './end-subscription.ts';
import { maySee } from './notice-readers.ts';
import { subscribersOf } from './scopes.ts';
import { slackFailure } from './slack-failure.ts';
import type { SlackPort } from './slack-port.ts';

/** A channel that is a person: their direct messages. */
export const DIRECT = '@';

export interface Alerts extends AsyncDisposable {
  /** Posts it once, whoever adds it again; a channel of `@U1` is the direct messages of that person. */
  send(alert: Omit<NewMessage, 'message'> & { readonly message: Message }): Promise<void>;
  /** Posts what waits. */
  look(): void;
  /** Resolves when nothing is being posted. */
  idle(): Promise<void>;
}

export interface AlertsOptions {
  readonly store: Store;
  readonly slack: SlackPort;
  readonly clients: ContentClients;
  readonly clock: ClientClock;
  readonly log: Logger;
}

/** Milliseconds after which a message that Slack does not take is given up. */
const PATIENCE = 24 * 3_600_000;
const UNKNOWN_PATIENCE = 3_600_000;
const LONGEST_PAUSE = 30_000;
/** Between looks for what another bot left. */
const EACH = 15_000;

export function createAlerts({ store, slack, clients, clock, log }: AlertsOptions): Alerts {
  const stop = new AbortController();
  let running: Promise<void> | null = null;
  let again = false;

  async function deliver(waiting: Waiting): Promise<void> {
    const { id, team, reader, content, created_time: oldest, failures } = waiting;
    // It may have waited: what it says is shown only to somebody who still may see it.
    if (
      reader !== null &&
      content !== null &&
      !(await maySee(clients, { team, slack_user: reader }, content))
    )
      return;
    const channel = waiting.channel.startsWith(DIRECT)
      ? await slack.directMessages(team, waiting.channel.slice(DIRECT.length))
      : waiting.channel;
    const mark = { notice: id, part: 'alert' } as const;
    const isTold = failures > 0 && (await slack.findPosted({ team, channel, mark, oldest })) !== null;
    if (!isTold) await slack.post({ team, channel, mark, message: JSON.parse(waiting.message) as Message });
  }

  async function drain(): Promise<void> {
    while (!stop.signal.aborted) {
      again = false;
      const waiting = await store.outbox.take();
      if (waiting === null) {
        if (again) continue;
        return;
      }
      try {
        await deliver(waiting);
        await store.outbox.finish(waiting.id);
      } catch (error) {
        const { kind, word, retryAfter } = slackFailure(error);
        const patience = kind === 'unknown' ? UNKNOWN_PATIENCE : PATIENCE;
        const isOver = clock.now() - waiting.created_time > patience;
        if (kind === 'gone' || kind === 'refused' || isOver) {
          log.warn({ word, alert: waiting.id }, 'Slack did not take a message');
          await store.outbox.finish(waiting.id);
          continue;
        }
        const pause = kind === 'busy' ? retryAfter : 500 * 2 ** Math.min(waiting.failures, 6);
        const until = clock.now() + Math.min(pause, LONGEST_PAUSE);
        await store.outbox.retry(waiting.id, until);
        later(until - clock.now());
      }
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
    },
  };
}

/** A render that failed, or a process that crashed. */
export interface Trouble {
  /** Of the event. */
  readonly id: string;
  readonly what: 'crash' | 'render';
  readonly content: { readonly guid: string; readonly title: string; readonly url: string | null };
  /** Of a crash, how the process ended; of a render, its task. */
  readonly reason: string;
  /** Milliseconds. */
  readonly time: number;
}

/** Tells every channel that subscribed to deploys or failures of the content, once an hour for crashes. */
export async function alertInChannels(
  services: Pick<Services, 'store' | 'alerts' | 'clients' | 'slack' | 'log'>,
  trouble: Trouble,
): Promise<{ complete: boolean }> {
  const { store, alerts, clients } = services;
  const { guid } = trouble.content;
  let complete = true;
  const subscribers = await subscribersOf({ store, clients }, guid, ({ channel }, error) => {
    services.log.warn({ err: error, channel }, 'whether a channel may see a failure is not known');
    complete = false;
  });
  for (const { subscription, maySee: isSeen } of subscribers) {
    const { team, channel, slack_user: reader, filters, created_time, slack_name } = subscription;
    const words = filters.split(',');
    if (!words.includes('deploys') && !words.includes('failures')) continue;
    if (created_time > trouble.time) continue;
    if (!isSeen) {
      await endSubscription(services, subscription, lostAccess(slack_name));
      continue;
    }
    const which =
      trouble.what === 'crash' ? `crash:${guid}:${Math.floor(trouble.time / HOUR)}` : `event:${trouble.id}`;
    const message = troubleMessage(trouble);
    await alerts.send({ id: `${which}:${team}:${channel}`, team, channel, reader, content: guid, message });
  }
  return { complete };
}

const HOUR = 3_600_000;

export function troubleMessage({ what, content, reason, time }: Trouble): Message {
  const title = link(content.url, content.title);
  const isCrash = what === 'crash';
  const headline = isCrash
    ? `:boom: A process of *${title}* crashed: it ${inline(reason, 200)}.`
    : `:x: *${title}* could not be rendered. The last rendering stays live.`;
  const more = isCrash ? 'Further crashes within the hour are not posted.' : `Task ${inline(reason, 64)}`;
  return fit({
    text: isCrash
      ? `A process of ${inline(content.title)} crashed`
      : `${inline(content.title)} could not be rendered`,
    blocks: [
      section(headline),
      context(`${moment(time)} · ${more}`),
      actions(
        ...(content.url === null ? [] : [button('open', 'Open', '', { url: content.url })]),
        button('run:status', 'Status', `status ${line(content.guid, 64)}`),
        ...(isCrash ? [] : [button('run:logs', 'Logs', `logs ${line(reason, 64)}`)]),
      ),
    ],
  });
}
