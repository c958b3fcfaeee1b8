// Commands on variants: create, update, delete, render.
import { errors } from '@pressroom/api/contract';
import type { Audit } from '../audit/record.ts';
import { loadContent, type Found } from '../content/commands.ts';
import { mayAct } from '../content/policy.ts';
import { aboutContent, updateContentRow, type ContentRow } from '../content/store.ts';
import type { DeployService } from '../deploys/deploy-service.ts';
import { requireDocument } from '../deploys/start-deploy.ts';
import type { ApiRequest } from '../http/request.ts';
import type { Config } from '../main/config/settings.ts';
import type { Clock, Ids } from '../platform/clock.ts';
import { isUniqueViolation, type Executor, type Storage } from '../platform/database/storage.ts';
import { scheduledTimes } from '../schedules/commands.ts';
import { deleteSchedule, upsertSchedule } from '../schedules/store.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import { openTasksOf } from '../tasks/store.ts';
import type { TaskService } from '../tasks/task-service.ts';
import { checkValues, type Values } from './declared/check-values.ts';
import { takeHeld } from './held-store.ts';
import { requireChange, requireOwnValues, seesVariant } from './policy.ts';
import { DEFAULT_KEY, findToChange } from './read.ts';
import { createVariantRender, declaredBy, runRender, type StartedRender } from './render.ts';
import { findVariant, insertVariant, listVariants, removeVariantRow, updateVariantRow } from './store.ts';
import type { VariantRow } from './store.ts';

export interface Parts {
  readonly config: Config;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly audit: Audit;
  readonly tasks: TaskService;
  readonly deploys: DeployService;
  readonly contentChanged: (guid: string) => void;
}
type Body = ApiRequest<'createContentVariant'>['body'];

/** Maximum named variants of a content item. */
const MAX_VARIANTS = 100;
/**
 * Maximum waiting or running renderings with visitors' own values per content item: they take turns with its deploys.
 */
const MAX_CONCURRENT = 5;

/**
 * Creates a variant and starts rendering it; returns its key. @throws ApiError 12, 22, 25, 26, 39, 67, 73, 74, 100, 133
 */
export async function createVariant(parts: Parts, caller: Caller, guid: string, body: Body): Promise<string> {
  const { storage, clock, ids } = parts;
  const isAdHoc = body.ad_hoc === true;
  const { render, ended } = await named(() =>
    storage.write(async (tx) => {
      const action = isAdHoc ? 'getContent' : 'manageVariants';
      const { content, role } = await loadContent(tx, guid, caller, action);
      if (isAdHoc) requireOwnValues(content, role, caller);
      requireDocument(content);
      if (isAdHoc) refuseOfNamed(body);
      const source = await sourceOf(tx, content, body.source_key, (row) => seesVariant(row, role, caller));
      const given = body.values ?? {};
      const declared = await declaredBy(tx, content);
      const values = checkValues(declared, { ...source, ...given });
      const name = isAdHoc ? null : nameOf(body.name);
      const now = clock.now();
      const left = isAdHoc
        ? await makeRoom(parts, tx, caller, { content, role })
        : await requireRoom(tx, content, now);
      const variant: VariantRow = {
        variant_key: ids.taskId(),
        content_guid: content.guid,
        name,
        name_key: name && name.toLowerCase(),
        visibility: body.visibility ?? 'private',
        parameter_values: JSON.stringify(values),
        user_guid: caller.guid,
        task_id: null,
        site: null,
        bundle_id: null,
        rendering_id: null,
        rendered_time: null,
        created_time: now,
        expires_time: isAdHoc ? expiry(parts, now) : null,
      };
      await insertVariant(tx, variant);
      if (body.schedule) await schedule(tx, clock, variant, caller, body.schedule);
      const started = await createVariantRender(parts, tx, content, variant, caller);
      if (name !== null) await record(parts, tx, caller, content, `Added variant ${name}`);
      return { render: started, ended: left };
    }, aboutContent(guid)),
  );
  await removeSites(parts, ended);
  runRender(parts, render);
  return render.variant;
}

/**
 * New values are rendered at once; a name makes a visitor's rendering permanent. @throws ApiError 4, 21, 25, 26, 39,
 * 73, 74
 */
export async function updateVariant(
  parts: Parts,
  caller: Caller,
  guid: string,
  key: string,
  body: ApiRequest<'updateContentVariant'>['body'],
): Promise<void> {
  const { storage, clock } = parts;
  const render = await named(() =>
    storage.write(async (tx): Promise<StartedRender | null> => {
      const found = await loadContent(tx, guid, caller, 'manageVariants');
      const { content } = found;
      const variant = await findToChange(tx, found, caller, key, clock.now());
      const isAdHoc = variant.name === null && body.name === undefined;
      if (isAdHoc) refuseOfNamed(body);
      if (isAdHoc && body.values !== undefined)
        throw errors.actionNotSupported({
          message: 'give it a name first, or render again with other values',
        });
      const name = body.name === undefined ? undefined : nameOf(body.name);
      if (name !== undefined && variant.name === null) await requireRoom(tx, content, clock.now());
      const values =
        body.values === undefined ? undefined : checkValues(await declaredBy(tx, content), body.values);
      await updateVariantRow(tx, key, {
        ...(name !== undefined && { name, name_key: name.toLowerCase(), expires_time: null }),
        ...(body.visibility !== undefined && { visibility: body.visibility }),
        ...(values !== undefined && { parameter_values: JSON.stringify(values) }),
      });
      if (body.schedule === null) await deleteSchedule(tx, content.guid, key);
      else if (body.schedule !== undefined) await schedule(tx, clock, variant, caller, body.schedule);
      const changed = { ...variant, name: name ?? variant.name };
      const started =
        values === undefined ? null : await createVariantRender(parts, tx, content, changed, caller);
      const fields = Object.keys(body).join(', ') || 'nothing';
      const what = changed.name ?? variant.variant_key;
      await record(parts, tx, caller, content, `Changed ${fields} of variant ${what}`);
      return started;
    }, aboutContent(guid)),
  );
  parts.contentChanged(guid);
  if (render) runRender(parts, render);
}

/** Cancels its renderings. @throws ApiError 4, 21, 39 */
export async function deleteVariant(parts: Parts, caller: Caller, guid: string, key: string): Promise<void> {
  const { storage, clock, tasks, contentChanged } = parts;
  const { variant, held, open } = await storage.write(async (tx) => {
    const found = await loadContent(tx, guid, caller, 'getContent');
    const row = await findToChange(tx, found, caller, key, clock.now());
    requireChange(row, found.role, caller);
    const underWay = (await openTasksOf(tx, row.content_guid)).filter((task) => task.variant_key === key);
    const review = await takeHeld(tx, key);
    await removeVariantRow(tx, key);
    await record(parts, tx, caller, found.content, `Deleted variant ${row.name ?? key}`);
    return { variant: row, held: review ? [review] : [], open: underWay };
  }, aboutContent(guid));
  contentChanged(variant.content_guid);
  for (const { id } of open) await tasks.cancel(id);
  await removeSites(parts, [variant, ...held]);
}

/** Returns the task. @throws ApiError 4, 22 */
export async function renderVariant(
  parts: Parts,
  caller: Caller,
  guid: string,
  key: string,
): Promise<string> {
  const { storage, clock } = parts;
  const render = await storage.write(async (tx) => {
    const found = await loadContent(tx, guid, caller, 'getContent');
    const variant = await findToChange(tx, found, caller, key, clock.now());
    if (variant.name === null) {
      requireOwnValues(found.content, found.role, caller);
      await requireTurn(tx, caller, found);
    } else await loadContent(tx, guid, caller, 'renderContent');
    return createVariantRender(parts, tx, found.content, variant, caller);
  }, aboutContent(guid));
  runRender(parts, render);
  return render.id;
}

/** Sets whether visitors may render with their own values. */
export async function setVisitorRendering(
  parts: Parts,
  caller: Caller,
  guid: string,
  isAllowed: boolean,
): Promise<ContentRow> {
  const { storage, contentChanged } = parts;
  const content = await storage.write(async (tx) => {
    const found = await loadContent(tx, guid, caller, 'manageVariants');
    requireDocument(found.content);
    await updateContentRow(tx, found.content.guid, { visitors_may_render: isAllowed ? 1 : 0 });
    const what = isAllowed ? 'Allowed visitors' : 'Allowed visitors no longer';
    await record(parts, tx, caller, found.content, `${what} to render with values of their own`);
    return found.content;
  }, aboutContent(guid));
  contentChanged(content.guid);
  return content;
}

/** @throws ApiError 67, 133 */
async function sourceOf(
  tx: Executor,
  content: ContentRow,
  key: string | undefined,
  isSeen: (variant: VariantRow) => boolean,
): Promise<Values> {
  if (key === undefined || key === DEFAULT_KEY) return {};
  const source = await findVariant(tx, key);
  if (!source) throw errors.sourceVariantRequired();
  if (source.content_guid !== content.guid) throw errors.variantOfOtherContent();
  if (!isSeen(source)) throw errors.sourceVariantRequired();
  return JSON.parse(source.parameter_values) as Values;
}

/** @throws ApiError 12, 74 */
function nameOf(given: string | undefined): string {
  if (given === undefined) throw errors.parameterMissing({ message: 'a variant needs a name' });
  const name = given.trim();
  const isUsable = name !== '' && !/[[\p{Cc}&&\p{ASCII}]\u2028\u2029]/v.test(name) && name.isWellFormed();
  if (!isUsable || name.toLowerCase() === DEFAULT_KEY) throw errors.reportNameNotPermitted();
  return name;
}

/** @throws ApiError 25, 73 */
function refuseOfNamed({
  name,
  schedule: wanted,
  visibility,
}: Pick<Body, 'name' | 'schedule' | 'visibility'>): void {
  if (wanted) throw errors.adHocVariantNotSchedulable();
  if (name !== undefined || visibility === 'public')
    throw errors.invalidParameter({ message: 'what is rendered ad hoc has no name, and is not public' });
}

/** Names are unique per content item. @throws ApiError 22 */
async function requireRoom(tx: Executor, content: ContentRow, now: number): Promise<VariantRow[]> {
  const all = await listVariants(tx, content.guid, now);
  if (all.filter(({ name }) => name !== null).length >= MAX_VARIANTS)
    throw errors.operationDenied({ message: `content has at most ${MAX_VARIANTS} variants` });
  return [];
}

/** Removes a person's oldest renderings with own values to make room for a new one. @throws ApiError 22, 100 */
async function makeRoom(
  { config, clock }: Parts,
  tx: Executor,
  caller: Caller,
  found: Found,
): Promise<VariantRow[]> {
  const { content } = found;
  const most = config['Applications.OwnRenderings'];
  if (most === 0)
    throw errors.operationDenied({ message: 'an administrator has switched off rendering with own values' });
  await requireTurn(tx, caller, found);
  const all = await listVariants(tx, content.guid, clock.now());
  const own = all.filter(({ name, user_guid }) => name === null && user_guid === caller.guid);
  const left = own.slice(0, Math.max(0, own.length - most + 1));
  for (const { variant_key } of left) await removeVariantRow(tx, variant_key);
  return left;
}

/** One at a time per visitor, and a few in total. @throws ApiError 100 */
async function requireTurn(tx: Executor, caller: Caller, { content, role }: Found): Promise<void> {
  const open = await openTasksOf(tx, content.guid);
  const renders = open.filter(({ variant_key }) => variant_key !== null);
  const isWaiting = renders.some(({ user_guid }) => user_guid === caller.guid);
  if (isWaiting && !mayAct('manageVariants', role, caller))
    throw errors.itemBusy({ message: 'your last rendering of this content is still under way' });
  if (renders.length >= MAX_CONCURRENT)
    throw errors.itemBusy({ message: 'too many renderings of this content are under way: try again soon' });
}

function expiry({ config }: Parts, now: number): number {
  return now + config['Applications.OwnRenderingRetention'] * 1_000_000;
}

async function schedule(
  tx: Executor,
  clock: Clock,
  { variant_key, content_guid }: VariantRow,
  caller: Caller,
  wanted: { readonly cron: string; readonly timezone?: string },
): Promise<void> {
  const now = clock.now();
  const own = { content_guid, variant_key, user_guid: caller.guid, created_time: now };
  await upsertSchedule(tx, { ...own, ...scheduledTimes(wanted, now) });
}

/** To be called after the commit; leftovers of a crash in between are swept at the next start. */
export async function removeSites(
  { deploys }: Pick<Parts, 'deploys'>,
  variants: readonly Pick<VariantRow, 'content_guid' | 'site'>[],
): Promise<void> {
  for (const { content_guid, site } of variants)
    if (site !== null) await deploys.removeVariantSite(content_guid, site);
}

function record(
  { audit }: Pick<Parts, 'audit'>,
  tx: Executor,
  caller: Caller,
  { name, guid }: ContentRow,
  what: string,
): Promise<void> {
  return audit(tx, caller, 'edit_application', `${what} of content ${name} (${guid})`, { content: guid });
}

async function named<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isUniqueViolation(error)) throw errors.nameTaken({ cause: error });
    throw error;
  }
}
