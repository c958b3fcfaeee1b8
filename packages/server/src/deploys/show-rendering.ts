// A rendering that becomes the one that its variant shows.
import { errors } from '@pressroom/api/contract';
import { updateBundleRow, type BundleRow } from '../bundles/store.ts';
import type { Executor } from '../platform/database/storage.ts';
import { insertRendering } from '../runtime/rendering-store.ts';
import type { Values } from '../variants/declared/check-values.ts';
import { findVariant, updateVariantRow } from '../variants/store.ts';
import type { Prepared } from './pipeline.ts';

export interface NewRendering {
  readonly taskId: string;
  readonly bundle: BundleRow;
  readonly values: Values;
  readonly prepared: Prepared;
  /** Microseconds. */
  readonly now: number;
}

/** In the transaction that ends the task. Answers the directory that was shown before. @throws ApiError 4 */
export async function showRendering(
  tx: Executor,
  key: string,
  { taskId, bundle, values, prepared, now }: NewRendering,
): Promise<string | null> {
  const variant = await findVariant(tx, key);
  if (!variant) throw errors.notFound({ message: 'the variant was deleted' });
  const rendering_id = await insertRendering(tx, {
    content_guid: bundle.content_guid,
    bundle_id: bundle.id,
    task_id: taskId,
    created_time: now,
    variant_key: key,
    parameter_values: JSON.stringify(values),
  });
  const { site, parameters } = prepared;
  await updateVariantRow(tx, key, { site, bundle_id: bundle.id, rendering_id, rendered_time: now });
  if (parameters) await updateBundleRow(tx, bundle.id, { parameters: JSON.stringify(parameters) });
  return variant.site;
}
