// Starts renders of variants: on request, after a deploy, and on schedule.
import { errors, type Parameter } from '@pressroom/api/contract';
import { SYSTEM, type Actor, type Audit } from '../audit/record.ts';
import { findBundle, type BundleRow } from '../bundles/store.ts';
import { aboutContent, findContent, type ContentRow } from '../content/store.ts';
import type { DeployService } from '../deploys/deploy-service.ts';
import type { Clock } from '../platform/clock.ts';
import type { Executor, Storage } from '../platform/database/storage.ts';
import { openTasksOf } from '../tasks/store.ts';
import type { TaskService } from '../tasks/task-service.ts';
import { storedDeclaration } from './declared/stored-declaration.ts';
import { contentsWithOutdatedVariants, listVariants, updateVariantRow, type VariantRow } from './store.ts';

interface Parts {
  readonly storage: Storage;
  readonly audit: Audit;
  readonly tasks: TaskService;
  readonly deploys: DeployService;
  readonly clock: Clock;
}

export interface StartedRender {
  readonly id: string;
  readonly bundle: BundleRow;
  readonly variant: string;
}

/** Creates the task that renders a variant; `runRender` runs it after the commit. @throws ApiError 28 */
export async function createVariantRender(
  { tasks, audit }: Pick<Parts, 'tasks' | 'audit'>,
  tx: Executor,
  content: ContentRow,
  variant: VariantRow,
  actor: Actor,
  { mails = false } = {},
): Promise<StartedRender> {
  const bundle = content.bundle_id === null ? undefined : await findBundle(tx, content.bundle_id);
  if (!bundle) throw errors.noBundleToDeploy();
  const id = await tasks.create(tx, {
    kind: 'render',
    content_guid: content.guid,
    bundle_id: bundle.id,
    user_guid: actor === SYSTEM ? variant.user_guid : actor.guid,
    variant_key: variant.variant_key,
    ...(mails && { mails: 1 as const }),
  });
  await updateVariantRow(tx, variant.variant_key, { task_id: id });
  const what = variant.name === null ? 'with own values' : `as variant ${variant.name}`;
  const description = `Rendering content ${content.name} (${content.guid}) ${what} (${variant.variant_key}), task ${id}`;
  await audit(tx, actor, 'render_application', description, {
    content: content.guid,
    bundle: bundle.id,
    task: id,
  });
  return { id, bundle, variant: variant.variant_key };
}

export function runRender({ deploys }: Pick<Parts, 'deploys'>, { id, bundle, variant }: StartedRender): void {
  void deploys.runVariant(id, bundle, variant);
}

/** Renders all named variants after a deploy. Returns their number. */
export async function renderVariantsAgain(parts: Parts, contentGuid: string): Promise<number> {
  const started = await parts.storage.write(async (tx) => {
    const content = await findContent(tx, contentGuid);
    if (!content || content.rendering_id === null) return [];
    const open = await openTasksOf(tx, contentGuid);
    // Created meanwhile: it uses this deploy already.
    const isNew = ({ variant_key, bundle_id, rendered_time }: VariantRow) =>
      open.some((task) => task.variant_key === variant_key && task.bundle_id === content.bundle_id) ||
      (bundle_id === content.bundle_id && (rendered_time ?? 0) > (content.last_deployed_time ?? 0));
    const renders: StartedRender[] = [];
    for (const variant of await listVariants(tx, contentGuid, parts.clock.now()))
      if (variant.name !== null && !isNew(variant))
        renders.push(await createVariantRender(parts, tx, content, variant, SYSTEM));
    return renders;
  }, aboutContent(contentGuid));
  for (const render of started) runRender(parts, render);
  return started.length;
}

/** Renders variants that were left out because a server stopped after a deploy. */
export async function renderOutdatedVariants(parts: Parts): Promise<void> {
  const left = await contentsWithOutdatedVariants(parts.storage.db);
  for (const guid of left) await renderVariantsAgain(parts, guid);
}

/** Declared parameters of the active bundle. @throws ApiError 28, 39 */
export async function declaredBy(db: Executor, content: ContentRow): Promise<Parameter[]> {
  const bundle = content.bundle_id === null ? undefined : await findBundle(db, content.bundle_id);
  if (!bundle) throw errors.noBundleToDeploy();
  const declared = storedDeclaration(bundle.parameters);
  if (declared) return declared;
  throw errors.actionNotSupported({
    message: 'the parameters of this content are not known yet: render it once more',
  });
}
