// Posts one alert: a message, or what is read about its subject.
import type { Message } from '../../blocks/blocks.ts';
import type { Waiting } from '../../store/outbox.ts';
import type { ReleaseKey } from '../../store/releases.ts';
import type { RequestKey } from '../../store/requests.ts';
import type { DeliveryParts } from '../delivery-parts.ts';
import { announceRelease } from '../releases/about-release.ts';
import { deliverHeld, wasHeld } from '../releases/deliver-held.ts';
import { heldUntil } from '../releases/held-until.ts';
import { ownFailure, replyFailure, showRelease } from '../releases/show-release.ts';
import { readRendering, type Rendered } from '../renderings/renderings.ts';
import { showRequest } from '../requests/show-request.ts';
import type { Subject } from '../subject.ts';
import { maySee } from '../subscriptions/content-seen.ts';
import { maySubscribe } from '../subscriptions/scopes.ts';
import { DIRECT } from '../transport/direct.ts';
import { findEarlier } from '../transport/find-earlier.ts';
import { sendWithFallback } from '../transport/send-with-fallback.ts';
import { readUnused } from '../unused/unused.ts';

/**
 * A message; or a subject to be read when posting: a bundle or request whose message is updated; a bundle to announce;
 * a release that failed, in its thread, or to who began it; unused content, if still to be asked about; a rendering.
 */
export type AlertBody =
  | Message
  | { readonly release: ReleaseKey }
  | { readonly request: RequestKey }
  | { readonly about: ReleaseKey }
  | { readonly failed: ReleaseKey }
  | { readonly own: ReleaseKey }
  | { readonly unused: Subject['content'] }
  | { readonly rendering: Rendered };

/** Within the lease, so that no other bot starts it. */
const MAX_SLOW_MS = 50_000;

/**
 * @param stop aborted when the bot stops
 * @returns a time before which it waits, in milliseconds; null if it is done
 */
export async function deliverAlert(
  parts: DeliveryParts,
  waiting: Waiting,
  { stop, now }: { readonly stop: AbortSignal; readonly now: number },
): Promise<number | null> {
  const body = JSON.parse(waiting.message) as AlertBody;
  if ('release' in body) {
    const until = await heldUntil(parts, body.release, waiting.reader, now);
    if (until > now) return until;
    if (await wasHeld(parts, waiting, body.release)) {
      await deliverHeld(parts, { first: waiting, now }, (each, release) =>
        deliver(parts, each, { release }, stop),
      );
      return null;
    }
  }
  await deliver(parts, waiting, body, stop);
  return null;
}

async function deliver(
  parts: DeliveryParts,
  waiting: Waiting,
  body: AlertBody,
  stop: AbortSignal,
): Promise<void> {
  const { store, slack, clients } = parts;
  const { id, team, reader, content, created_time: oldest, isAgain } = waiting;
  if ('request' in body) return showRequest(parts, body.request);
  // After waiting, the person may have lost the right to see it.
  if (reader !== null && content !== null && !(await maySee(clients, { team, slack_user: reader }, content)))
    return;
  // So may the channel have unsubscribed.
  const isNews = ('blocks' in body || 'rendering' in body) && !waiting.channel.startsWith(DIRECT);
  if (isNews && reader !== null && content !== null && !(await maySubscribe(parts, waiting, content))) return;
  if ('release' in body) {
    const { release: about } = body;
    const { isAsked, failure } = await showRelease(parts, about, reader);
    if (reader === null || content === null) return;
    const { channel } = waiting;
    if (failure !== null)
      await store.outbox.add({
        id: `failed:${failure}:${team}:${channel}`,
        team,
        channel,
        reader,
        content,
        message: JSON.stringify({ failed: about }),
      });
    if (!isAsked) return;
    const since = (await store.releases.find(about))?.release.created_time;
    const id = `about:${content}:${about.bundle}:${since}:${team}:${channel}`;
    await store.outbox.add({ id, team, channel, reader, content, message: JSON.stringify({ about }) });
    return;
  }
  if ('about' in body) {
    if (reader === null) return;
    return announceRelease(parts, body.about, reader, slowly(stop));
  }
  if ('failed' in body) return replyFailure(parts, waiting, body.failed);
  const message = await messageOf(parts, body, waiting, stop);
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
  parts: DeliveryParts,
  body:
    | Message
    | { readonly own: ReleaseKey }
    | { readonly unused: Subject['content'] }
    | { readonly rendering: Rendered },
  { team, reader, channel }: Waiting,
  stop: AbortSignal,
): Promise<Message | null> {
  if ('blocks' in body) return body;
  if (reader === null) return null;
  const { slack, clients, languages, log } = parts;
  if ('own' in body) return ownFailure(parts, body.own, reader);
  if ('rendering' in body) {
    const texts = await languages.ofChannel(team, channel, reader);
    return readRendering({ clients, slack, log }, { team, reader, texts }, body.rendering, slowly(stop));
  }
  const texts = await languages.ofPerson(team, reader);
  return readUnused(clients, { team, reader, texts }, body.unused);
}

function slowly(stop: AbortSignal): AbortSignal {
  return AbortSignal.any([stop, AbortSignal.timeout(MAX_SLOW_MS)]);
}
