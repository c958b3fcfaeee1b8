// Makes a rendering the current one of its variant.
import { errors } from '@pressroom/api/contract';
import { updateBundleRow, type BundleRow } from '../../bundles/store.ts';
import { createDeliveries } from '../../mailing/deliveries.ts';
import type { Executor } from '../../platform/database/storage.ts';
import { insertRendering } from '../../runtime/rendering-store.ts';
import { findTask } from '../../tasks/store.ts';
import type { Values } from '../../variants/declared/check-values.ts';
import { takeHeld } from '../../variants/held-store.ts';
import { findVariant, updateVariantRow } from '../../variants/store.ts';
import type { Prepared } from '../pipeline.ts';

export interface NewRendering {
  readonly taskId: string;
  readonly bundle: BundleRow;
  readonly values: Values;
  readonly prepared: Prepared;
  /** Microseconds. */
  readonly now: number;
}

/**
 * To be called in the transaction that ends the task; discards a held rendering. Returns the previous directory.
 * @throws ApiError 4
 */
export async function showRendering(
  tx: Executor,
  key: string,
  { taskId, bundle, values, prepared, now }: NewRendering,
): Promise<string | null> {
  const variant = await findVariant(tx, key);
  if (!variant) throw errors.notFound({ message: 'the variant was deleted' });
  const { site, parameters, mail = null } = prepared;
  const rendering_id = await insertRendering(tx, {
    content_guid: bundle.content_guid,
    bundle_id: bundle.id,
    task_id: taskId,
    created_time: now,
    variant_key: key,
    parameter_values: JSON.stringify(values),
    mail: mail && JSON.stringify(mail),
  });
  await takeHeld(tx, key);
  await updateVariantRow(tx, key, { site, bundle_id: bundle.id, rendering_id, rendered_time: now });
  if (parameters) await updateBundleRow(tx, bundle.id, { parameters: JSON.stringify(parameters) });
  if ((await findTask(tx, taskId))?.mails === 1) {
    const contentGuid = bundle.content_guid;
    const mailed = { contentGuid, variant: key, renderingId: rendering_id, mail, now };
    await createDeliveries(tx, mailed, { isScheduled: true });
  }
  return variant.site;
}
