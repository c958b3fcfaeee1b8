// Releases that waited for the end of the quiet hours: one by its own message, several in one; what was decided in the
// meantime is not told.
import type { Button } from '@slack/types';
import { button, section, type AnyBlock, type Message } from '../../blocks/blocks.ts';
import { fit } from '../../blocks/fit.ts';
import { line } from '../../blocks/text.ts';
import type { Waiting } from '../../store/outbox.ts';
import type { ReleaseKey } from '../../store/releases.ts';
import type { Texts } from '../../texts/en.ts';
import type { DeliveryParts } from '../delivery-parts.ts';
import { maySee } from '../subscriptions/content-seen.ts';
import { findEarlier } from '../transport/find-earlier.ts';
import { sendWithFallback } from '../transport/send-with-fallback.ts';
import { heldUntil } from './held-until.ts';
import { approvalsButton, headlineBlocks, isOpen, type ReleaseView } from './releases.ts';
import { viewOf } from './show-release.ts';

/** Milliseconds after a failure until the others are tried without the first, which takes them along earlier. */
const APART_MS = 60_000;
/** Maximum listed releases. */
const LISTED = 20;

/** Whether it came in quiet hours, and has no message yet. */
export async function wasHeld(
  parts: Pick<DeliveryParts, 'store'>,
  { reader, created_time }: Waiting,
  key: ReleaseKey,
): Promise<boolean> {
  return (await heldUntil(parts, key, reader, created_time)) > created_time;
}

/** @param deliver posts one by its own message */
export async function deliverHeld(
  parts: DeliveryParts,
  { first, now }: { readonly first: Waiting; readonly now: number },
  deliver: (waiting: Waiting, key: ReleaseKey) => Promise<void>,
): Promise<void> {
  const { store } = parts;
  const others = await store.outbox.takeReleases(first);
  try {
    const open = new Map<string, { waiting: Waiting; key: ReleaseKey; view: ReleaseView }>();
    for (const waiting of [first, ...others]) {
      const { release: key } = JSON.parse(waiting.message) as { release: ReleaseKey };
      if (!(await wasHeld(parts, waiting, key))) await deliver(waiting, key);
      else {
        const view = await openView(parts, waiting, key);
        if (view !== null) open.set(`${key.content} ${key.bundle}`, { waiting, key, view });
      }
    }
    const [only, ...more] = open.values();
    if (only !== undefined && more.length === 0) await deliver(only.waiting, only.key);
    if (more.length > 0)
      await postHeld(
        parts,
        first,
        [...open.values()].map(({ view }) => view),
      );
  } catch (error) {
    for (const { id } of others) await store.outbox.retry(id, now + APART_MS);
    throw error;
  }
  for (const { id } of others) await store.outbox.finish(id);
}

/** Null if nothing is left to decide, or its reader may not see it any more. */
async function openView(
  parts: DeliveryParts,
  { team, reader, content }: Waiting,
  key: ReleaseKey,
): Promise<ReleaseView | null> {
  const found = await parts.store.releases.find(key);
  if (found === null || reader === null || content === null) return null;
  if (!(await maySee(parts.clients, { team, slack_user: reader }, content))) return null;
  const view = await viewOf(parts, found, reader);
  return isOpen(view.steps, view.standing?.isApproved ?? null) ? view : null;
}

async function postHeld(
  { slack, languages }: DeliveryParts,
  { id, team, channel, reader, created_time: oldest, isAgain }: Waiting,
  views: readonly ReleaseView[],
): Promise<void> {
  const place = { team, channel, mark: { notice: id, part: 'alert' } as const };
  if (isAgain && (await findEarlier(slack, { ...place, oldest })) !== null) return;
  const message = heldMessage(views, await languages.ofChannel(team, channel, reader));
  await sendWithFallback(message, async (shown) => void (await slack.post({ ...place, message: shown })));
}

export function heldMessage(views: readonly ReleaseView[], texts: Texts): Message {
  const { releases } = texts;
  const listed = views
    .slice(0, LISTED)
    .flatMap((view): AnyBlock[] => headlineBlocks(view, texts, nextOf(view, texts)));
  const more = views.length - LISTED;
  const text = releases.overnight(views.length);
  return fit({
    text,
    blocks: [section(`*${text}*`), ...listed, ...(more > 0 ? [section(releases.more(more))] : [])],
  });
}

/** For approvals their list: status would show the newest bundle only. */
function nextOf(view: ReleaseView, texts: Texts): Button {
  const status = `status ${line(view.content.guid, 64)}`;
  return approvalsButton(view, texts) ?? button('run:status', texts.buttons.status, status);
}
