// Makes a deploy or a new rendering live.
import { errors } from '@pressroom/api/contract';
import type { Audit } from '../audit/record.ts';
import { appModeOf } from '../bundles/archive/index.ts';
import { updateBundleRow, type BundleRow } from '../bundles/store.ts';
import { storedManifest } from '../bundles/stored-manifest.ts';
import { endCanaryOnDeploy } from '../canaries/end-canary.ts';
import { checkImmutable } from '../content/rules.ts';
import { findContent, updateContentRow, type ContentRow } from '../content/store.ts';
import { createDeliveries } from '../mailing/deliveries.ts';
import type { Config } from '../main/config/settings.ts';
import type { Clock } from '../platform/clock.ts';
import type { Executor } from '../platform/database/storage.ts';
import { insertRendering } from '../runtime/rendering-store.ts';
import { DEFAULT_VARIANT } from '../schedules/store.ts';
import { findTask } from '../tasks/store.ts';
import { notApproved, standingOf } from './approvals/approvals.ts';
import { noteReleased } from './approvals/store.ts';
import { removeDraft } from './drafts/store.ts';
import { findBlocker } from './lock/deploy-blockers.ts';
import type { Prepared } from './pipeline.ts';

export interface Activation {
  readonly taskId: string;
  readonly bundle: BundleRow;
  readonly prepared: Prepared;
  /** A deploy needs the approvals of its rule; a rendering is of the active bundle. */
  readonly isDeploy: boolean;
  readonly parts: { readonly config: Config; readonly audit: Audit; readonly clock: Clock };
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export const DELETED = 'the content was deleted during its deploy';

/**
 * To be called in the transaction that ends the task; returns the previously active site.
 * @throws ApiError 4 for deleted content; 22 for a bundle that is not approved, while deploys are locked, and if the
 * deployer has lost the right; 48, 110, 111 if another first deploy has fixed the type meanwhile
 */
export async function activate(tx: Executor, activation: Activation): Promise<string | null> {
  const { bundle, prepared, isDeploy, now } = activation;
  const content = await findContent(tx, bundle.content_guid);
  if (!content) throw errors.notFound({ message: DELETED });
  const manifest = storedManifest(bundle.manifest);
  if (isDeploy) {
    const { appmode, content_category, has_parameters } = manifest;
    checkImmutable(content, { app_mode: appModeOf(appmode), content_category, has_parameters });
    // Rights and approvals may have changed since the request.
    const standing = await standingOf(tx, content, bundle);
    if (!standing.mayGoLive) throw notApproved(bundle, standing);
    if (content.bundle_id !== bundle.id) await requireUnhindered(tx, activation, content);
    await noteReleased(tx, bundle.id, now);
    const deploy = { contentGuid: content.guid, bundleId: bundle.id, taskId: activation.taskId };
    await endCanaryOnDeploy(tx, activation.parts, deploy);
  }
  await removeDraft(tx, bundle.id);
  const { site, environment, launch, isRendered, parameters } = prepared;
  const renderingId = isRendered ? await addRendering(tx, activation) : null;
  const versions = {
    r_version: environment?.language === 'R' ? environment.version : null,
    py_version: environment?.language === 'Python' ? environment.version : null,
  };
  await updateContentRow(tx, content.guid, {
    ...versions,
    bundle_id: bundle.id,
    site,
    launch: launch && JSON.stringify(launch),
    restored: isRendered ? (environment?.readable[0] ?? null) : null,
    rendering_id: renderingId,
    variant_key: isRendered ? variantOf(content) : null,
    app_mode: appModeOf(manifest.appmode),
    kind: manifest.appmode,
    content_category: manifest.content_category,
    has_parameters: manifest.has_parameters ? 1 : 0,
    // The clock of the previous server may be ahead, and this time orders deploys.
    ...(isDeploy && { last_deployed_time: Math.max(now, (content.last_deployed_time ?? 0) + 1) }),
  });
  await updateBundleRow(tx, bundle.id, {
    ...versions,
    ...(isDeploy && { deployed_time: now }),
    ...(parameters && { parameters: JSON.stringify(parameters) }),
  });
  return content.site;
}

/** A live bundle may be deployed again. @throws ApiError 22 */
async function requireUnhindered(tx: Executor, activation: Activation, content: ContentRow): Promise<void> {
  const user = (await findTask(tx, activation.taskId))?.user_guid ?? null;
  const blocked = user === null ? null : await findBlocker(tx, activation.parts.clock, content, user);
  if (blocked !== null) throw errors.operationDenied({ message: `it does not go live: ${blocked.text}` });
}

/** Returns its id; it is mailed if the task says so. */
async function addRendering(tx: Executor, { taskId, bundle, prepared, now }: Activation): Promise<number> {
  const { content_guid, id: bundle_id } = bundle;
  const { mail = null } = prepared;
  const renderingId = await insertRendering(tx, {
    content_guid,
    bundle_id,
    task_id: taskId,
    created_time: now,
    mail: mail && JSON.stringify(mail),
  });
  if ((await findTask(tx, taskId))?.mails === 1) {
    const mailed = { contentGuid: content_guid, variant: DEFAULT_VARIANT, renderingId, mail, now };
    await createDeliveries(tx, mailed, { isScheduled: true });
  }
  return renderingId;
}

/** All renderings of a content item belong to its default variant: the document with its own parameters. */
function variantOf({ guid, variant_key: known }: ContentRow): string {
  return known ?? guid.replaceAll('-', '').slice(0, 8);
}
