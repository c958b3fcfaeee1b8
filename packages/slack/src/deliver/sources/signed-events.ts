// `POST /hooks/events`: receives signed events of the content server about deploys, failed renders, crashed processes,
// releases, requests, and deleted or unused content.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Services } from '../../services.ts';
import type { Texts } from '../../texts/en.ts';
import { alertInChannels, type ChannelAlert } from '../alerts/alert-in-channels.ts';
import { troubleKey, troubleMessage, type Trouble } from '../alerts/trouble.ts';
import { announceInChannels, type StartedDeploy } from '../deploys/announce-in-channels.ts';
import type { ReleaseStep } from '../releases/releases.ts';
import { withdrawRelease } from '../releases/withdraw-release.ts';
import { wantsRendering, type RenderedEvent } from '../renderings/renderings.ts';
import { announceRequest } from '../requests/requests.ts';
import { endSubscriptionsTo } from '../subscriptions/end-subscription.ts';
import { announceUnused } from '../unused/ask-about-unused.ts';
import { readEvents } from './read-events.ts';
import { readLimited } from './read-limited.ts';

export interface SignedEventsOptions {
  /** Several during a change of the secret. */
  readonly secrets: readonly string[];
  readonly services: Services;
  /** A channel that gets all deploys; null for none. */
  readonly channel: () => Promise<StartedDeploy['channel']>;
}

/** Enough for a hundred events with long names. */
const BODY_LIMIT = 1_000_000;
/** Seconds a signature is valid. */
const FRESH = 300;

/** An event is accepted once stored: otherwise the server sends it again, and duplicates are detected. */
export async function takeSignedEvents(
  { secrets, services, channel }: SignedEventsOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const respond = (status: number) => void response.writeHead(status).end();
  const text = await readLimited(request, BODY_LIMIT);
  if (text === null) return void response.writeHead(413, { connection: 'close' }).end();
  const given = String(request.headers['x-pressroom-signature'] ?? '');
  if (!secrets.some((secret) => isSigned(given, text, secret, services.now()))) return respond(401);
  const events = readEvents(text);
  if (events === null) return respond(400);
  const all = await channel();
  const place = all !== null && (await services.store.closedChannels.isConfirmed(all.id)) ? null : all;
  let isComplete = true;
  for (const event of events) {
    if ('deciders' in event) {
      await announceRequest(services, event);
      continue;
    }
    if ('what' in event && event.what === 'unused') {
      await announceUnused(services, event);
      continue;
    }
    if ('guid' in event) {
      await endSubscriptionsTo(services, event);
      continue;
    }
    if (
      'bundle' in event &&
      'what' in event &&
      (event.what === 'withdrawn' || event.what === 'draft_ended')
    ) {
      await withdrawRelease(services, event);
      continue;
    }
    const { complete } =
      'task' in event
        ? await announceInChannels(services, { ...event, channel: place })
        : await alertInChannels(services, alertOf(event));
    isComplete &&= complete;
  }
  // All are sent again: accepted ones are recognised then.
  return respond(isComplete ? 204 : 503);
}

function isSigned(given: string, text: string, secret: string, now: number): boolean {
  const [, time, mac] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(given) ?? [];
  if (time === undefined || mac === undefined || Math.abs(now / 1000 - Number(time)) > FRESH) return false;
  const wanted = createHmac('sha256', secret).update(`${time}.${text}`).digest();
  return timingSafeEqual(Buffer.from(mac, 'hex'), wanted);
}

/** Steps of a release that channels subscribed to failures get. */
const OF_FAILURES: ReadonlySet<ReleaseStep['what']> = new Set(['draft_failed', 'held', 'back']);

function alertOf(event: Trouble | ReleaseStep | RenderedEvent): ChannelAlert {
  if (event.what === 'rendered') {
    const { content, variant, time } = event;
    return {
      subject: event,
      key: `event:${event.id}`,
      wants: (word) => wantsRendering(word, variant),
      message: { rendering: { content, variant, time } },
    };
  }
  if ('bundle' in event) {
    const filters = OF_FAILURES.has(event.what) ? ['deploys', 'failures'] : ['deploys'];
    return {
      subject: event,
      key: `event:${event.id}`,
      wants: (word) => filters.includes(word),
      message: event,
    };
  }
  const message = (texts: Texts) => troubleMessage(event, texts);
  const { owner = null } = event;
  const wants = (word: string) => word === 'deploys' || word === 'failures';
  return { subject: event, ...troubleKey(event), wants, message, owner };
}
