// Makes the rendering of one variant the current one of another, with its values, without rendering again.
import { errors } from '@pressroom/api/contract';
import type { Audit } from '../audit/record.ts';
import { loadContent } from '../content/commands.ts';
import { aboutContent, type ContentRow } from '../content/store.ts';
import type { DeployService } from '../deploys/deploy-service.ts';
import type { Clock } from '../platform/clock.ts';
import type { Executor, Storage } from '../platform/database/storage.ts';
import { findRendering, insertRendering } from '../runtime/rendering-store.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import { openTasksOf } from '../tasks/store.ts';
import { removeSites } from './commands.ts';
import { takeHeld } from './held-store.ts';
import { DEFAULT_KEY, findToChange, shownByDefault } from './read.ts';
import { declaredBy } from './render.ts';
import { findVariant, updateVariantRow } from './store.ts';

interface Parts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly deploys: DeployService;
  readonly contentChanged: (guid: string) => void;
}

/** The current rendering of a variant. */
interface Shown {
  readonly site: string;
  readonly bundle_id: number;
  readonly task_id: string;
  readonly parameter_values: string;
  readonly rendered_time: number;
  /** The mail described by the report. */
  readonly mail: string | null;
}

/** @throws ApiError 4, 21, 39, 67, 68, 69, 70, 71, 100, 133 */
export async function promoteVariant(
  parts: Parts,
  caller: Caller,
  guid: string,
  key: string,
  sourceKey: string,
): Promise<void> {
  const { storage, clock, audit, contentChanged } = parts;
  const before = await storage.write(async (tx) => {
    const found = await loadContent(tx, guid, caller, 'manageVariants');
    const { content } = found;
    if (content.rendering_id === null || (await declaredBy(tx, content)).length === 0)
      throw errors.promotionNotSupported();
    const target = await findToChange(tx, found, caller, key, clock.now());
    // It would finish with other values than the variant then has.
    const isBusy = (await openTasksOf(tx, content.guid)).some(({ variant_key }) => variant_key === key);
    if (isBusy) throw errors.itemBusy({ message: 'this variant is being rendered: try again soon' });
    const source = await shownOf(tx, content, sourceKey);
    if (target.bundle_id !== null && target.bundle_id !== source.bundle_id) throw errors.bundlesDiffer();
    if ((target.rendered_time ?? 0) > source.rendered_time) throw errors.targetRenderingNewer();
    const { rendered_time, mail, ...shown } = source;
    const { site: _site, ...rendered } = shown;
    const row = {
      content_guid: content.guid,
      variant_key: key,
      created_time: rendered_time,
      mail,
      ...rendered,
    };
    const rendering_id = await insertRendering(tx, row);
    const held = await takeHeld(tx, key);
    await updateVariantRow(tx, key, { ...shown, rendered_time, rendering_id });
    const description = `Promoted the rendering of variant ${sourceKey} to variant ${target.name ?? key} of content ${content.name} (${content.guid})`;
    await audit(tx, caller, 'edit_application', description, { content: content.guid });
    return [target, ...(held ? [held] : [])];
  }, aboutContent(guid));
  contentChanged(guid);
  await removeSites(parts, before);
}

/** @throws ApiError 67, 68, 133 */
async function shownOf(tx: Executor, content: ContentRow, key: string): Promise<Shown> {
  if (key === DEFAULT_KEY) {
    const { site, bundle_id } = content;
    const rendering = await shownByDefault(tx, content);
    if (!rendering || site === null || bundle_id === null) throw errors.variantNotRendered();
    const { task_id, created_time: rendered_time, mail } = rendering;
    return { site, bundle_id, task_id, parameter_values: '{}', rendered_time, mail };
  }
  const source = await findVariant(tx, key);
  if (!source) throw errors.sourceVariantRequired();
  if (source.content_guid !== content.guid) throw errors.variantOfOtherContent();
  const { site, rendering_id } = source;
  // Not the values of the row: those may belong to a running or failed rendering.
  const rendering = rendering_id === null ? undefined : await findRendering(tx, rendering_id);
  if (!rendering || site === null) throw errors.variantNotRendered();
  const { bundle_id, task_id, parameter_values, created_time: rendered_time, mail } = rendering;
  return { site, bundle_id, task_id, parameter_values: parameter_values ?? '{}', rendered_time, mail };
}
