// Accepts or discards a held rendering of a variant.
import { errors } from '@pressroom/api/contract';
import { loadContent } from '../content/commands.ts';
import { aboutContent } from '../content/store.ts';
import { insertRendering } from '../runtime/rendering-store.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import { removeSites, type Parts } from './commands.ts';
import { takeHeld } from './held-store.ts';
import { findToChange } from './read.ts';
import { updateVariantRow } from './store.ts';

/**
 * Renders nothing again.
 * @param task of the rendering that is decided on; without it, whichever is held
 * @throws ApiError 4 if none is held, 21, 39, 100 if another one is
 */
export async function decideHeld(
  {
    storage,
    clock,
    audit,
    deploys,
    contentChanged,
  }: Pick<Parts, 'storage' | 'clock' | 'audit' | 'deploys' | 'contentChanged'>,
  caller: Caller,
  guid: string,
  key: string,
  { isAccepted, task }: { readonly isAccepted: boolean; readonly task: string | undefined },
): Promise<void> {
  const left = await storage.write(async (tx) => {
    const found = await loadContent(tx, guid, caller, 'manageVariants');
    const { content } = found;
    const variant = await findToChange(tx, found, caller, key, clock.now());
    const held = await takeHeld(tx, key);
    if (!held) throw errors.notFound({ message: 'no rendering of this variant is held' });
    const { site, reason: _reason, ...rendering } = held;
    const { bundle_id, task_id, created_time: rendered_time } = rendering;
    if (task !== undefined && task !== task_id)
      throw errors.itemBusy({
        message: 'another rendering of this variant is held by now: look at it, then decide again',
      });
    if (isAccepted) {
      const rendering_id = await insertRendering(tx, rendering);
      await updateVariantRow(tx, key, { site, bundle_id, rendering_id, rendered_time });
    }
    const what = `the held rendering of variant ${variant.name ?? key} of content ${content.name} (${content.guid})`;
    const about = { content: content.guid, bundle: bundle_id, task: task_id };
    if (isAccepted) await audit(tx, caller, 'accept_rendering', `Shown: ${what}`, about);
    else await audit(tx, caller, 'discard_rendering', `Discarded ${what}`, about);
    return { content_guid: content.guid, site: isAccepted ? variant.site : site };
  }, aboutContent(guid));
  contentChanged(left.content_guid);
  await removeSites({ deploys }, [left]);
}
