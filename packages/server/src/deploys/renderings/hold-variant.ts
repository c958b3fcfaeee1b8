// Holds a rendering of a variant that shows much less than the one before for review, by the content's rule: the
// variant keeps its current rendering, and collaborators show or discard the held one.
import { SYSTEM } from '../../audit/record.ts';
import type { BundleRow } from '../../bundles/store.ts';
import { aboutContent, findContent } from '../../content/store.ts';
import { appendEvent, type Reason, reasonColumns } from '../../events/store.ts';
import { findRendering } from '../../runtime/rendering-store.ts';
import { findTask } from '../../tasks/store.ts';
import { saveHeld } from '../../variants/held-store.ts';
import { findVariant, type VariantRow } from '../../variants/store.ts';
import type { Prepared } from '../pipeline.ts';
import { shrinkBeside, type Deployed, type HoldParts } from './hold-rendering.ts';

/**
 * Why it is held; null if it is not, if a visitor requested it, or if its values differ from the current ones.
 * @param variant as it was rendered: what it shows may have changed meanwhile, and its earlier files be gone
 */
export async function shrinkOfVariant(
  deployed: Deployed,
  { variant_key, parameter_values }: VariantRow,
  prepared: Prepared,
): Promise<Reason | null> {
  const now = await findVariant(deployed.db, variant_key);
  if (!now || now.name === null || now.site === null || now.rendering_id === null) return null;
  const { site, bundle_id, rendering_id, content_guid } = now;
  const shown = await findRendering(deployed.db, rendering_id);
  if (shown?.parameter_values !== parameter_values) return null;
  const before = { guid: content_guid, site, bundle_id, rendering_id };
  return shrinkBeside(deployed, before, prepared);
}

/** Replaces the one held before. @param variant as it was rendered */
export async function holdVariant(
  { config, storage, audit, clock, requireLease }: HoldParts,
  taskId: string,
  { variant_key: key, parameter_values, name }: VariantRow,
  bundle: BundleRow,
  { site, mail }: Prepared,
  reason: Reason,
): Promise<void> {
  const { id: bundle_id, content_guid } = bundle;
  await storage.write(async (tx) => {
    await requireLease(tx);
    const [task, content] = [await findTask(tx, taskId), await findContent(tx, content_guid)];
    if (!task || !content || !(await findVariant(tx, key))) return;
    const time = clock.now();
    await saveHeld(tx, {
      variant_key: key,
      content_guid,
      bundle_id,
      site,
      task_id: taskId,
      parameter_values,
      mail: mail ? JSON.stringify(mail) : null,
      reason: reason.text,
      created_time: time,
    });
    if (config['Events.Webhooks'] !== '')
      await appendEvent(tx, {
        type: 'render.held',
        time,
        started_time: task.created_time,
        task_id: taskId,
        content_guid,
        bundle_id,
        user_guid: task.user_guid,
        ...reasonColumns(reason),
        rendering: JSON.stringify({
          variant: key,
          rendering_id: null,
          is_scheduled: task.mails === 1,
          is_suppressed: false,
        }),
      });
    const description = `Rendering of variant ${name ?? key} of ${content.name} (${content_guid}): ${reason.text}`;
    const about = { content: content_guid, bundle: bundle_id, task: taskId };
    await audit(tx, SYSTEM, 'hold_rendering', description, about);
  }, aboutContent(content_guid));
}
