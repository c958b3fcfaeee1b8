// Variants and schedules for older clients. A document has one variant: itself, with its own parameters.
import {
  type ApiError,
  errors,
  type Rendering,
  type Variant,
  type VariantSchedule,
} from '@pressroom/api/contract';
import type { Audit } from '../audit/record.ts';
import { findBundle } from '../bundles/store.ts';
import { loadContent } from '../content/commands.ts';
import { contentScope } from '../content/policy.ts';
import type { ContentRow } from '../content/store.ts';
import type { DeployService } from '../deploys/deploy-service.ts';
import { startRender } from '../deploys/start-deploy.ts';
import type { ApiResponse, ApiRequest } from '../http/request.ts';
import { sendShown } from '../mailing/recipients.ts';
import { type Clock, toTimestamp } from '../platform/clock.ts';
import type { Executor, Storage } from '../platform/database/storage.ts';
import { isObject } from '../platform/is-object.ts';
import { listRenderings, type RenderingRow } from '../runtime/rendering-store.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import type { TaskService } from '../tasks/task-service.ts';
import { DEFAULT_KEY } from '../variants/read.ts';
import { readSchedule, removeSchedule, setSchedule } from './commands.ts';
import { intervalOf } from './interval.ts';
import { nextTimeOf } from './next-time.ts';
import { cronOf, recurrenceOf } from './recurrence.ts';
import { findSchedule, listSchedules, type ScheduleRow } from './store.ts';

interface Parts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly tasks: TaskService;
  readonly deploys: DeployService;
}
type Reading = Pick<Parts, 'storage'>;
type Writing = Pick<Parts, 'storage' | 'clock' | 'audit'>;

/** Schedules must start after it (contract, section 7, code 37). */
const EARLIEST_START = Date.UTC(2010, 0, 1);

export const variantsRoutes = {
  createSchedule,
  deleteSchedule,
  getSchedule,
  getSchedules,
  getVariant,
  getVariantRenderings,
  getVariants,
  getVariantSchedules,
  mailVariant,
  renderVariant,
  updateSchedule,
};

/** Rendered content with its current rendering. */
interface Rendered {
  readonly content: ContentRow;
  readonly shown: RenderingRow;
  readonly all: readonly RenderingRow[];
}

async function renderedOf(db: Executor, content: ContentRow): Promise<Rendered | null> {
  const all = content.rendering_id === null ? [] : await listRenderings(db, content.guid);
  const shown = all.find(({ id }) => id === content.rendering_id);
  return shown ? { content, shown, all } : null;
}

/** The GUID of a variant's content. @throws ApiError 4 */
async function contentOf(db: Executor, variant: string): Promise<string> {
  if (!/^\d+$/.test(variant)) return variant.toLowerCase();
  const bundle = await findBundle(db, Number(variant));
  if (!bundle) throw noVariant();
  return bundle.content_guid;
}

function noVariant(): ApiError {
  return errors.notFound({ message: 'there is no such variant' });
}

/** @throws ApiError 4 if it is no rendered document */
async function loadVariant({ storage }: Reading, id: string, caller: Caller): Promise<Rendered> {
  const guid = await contentOf(storage.db, id);
  const { content } = await loadContent(storage.db, guid, caller, 'getContent');
  const rendered = await renderedOf(storage.db, content);
  if (!rendered) throw noVariant();
  return rendered;
}

/** Creates the schedule of a document. @throws ApiError 72, 102 */
async function createSchedule(
  parts: Writing,
  { body, caller }: ApiRequest<'createSchedule'>,
): Promise<ApiResponse<'createSchedule'>> {
  const guid = await contentOf(parts.storage.db, String(body.variant_id));
  if ((body.app_id ?? guid).toLowerCase() !== guid) throw errors.scheduleVariantMismatch();
  const { content } = await loadContent(parts.storage.db, guid, caller, 'manageSchedule');
  if (await findSchedule(parts.storage.db, content.guid)) throw errors.variantScheduleExists();
  return write(parts, caller, content.guid, body);
}

/** Removes the schedule of a document. */
async function deleteSchedule(
  parts: Writing,
  { params, caller }: ApiRequest<'deleteSchedule'>,
): Promise<void> {
  await readSchedule(parts, caller, params.guid);
  await removeSchedule(parts, caller, params.guid);
}

/** Reads a schedule. */
async function getSchedule(
  parts: Reading,
  { params, caller }: ApiRequest<'getSchedule'>,
): Promise<ApiResponse<'getSchedule'>> {
  return present(await readSchedule(parts, caller, params.guid));
}

/** Lists the schedules with runs in an interval. @throws ApiError 137, 138, 139, 140 */
async function getSchedules(
  { storage, clock }: Pick<Parts, 'storage' | 'clock'>,
  { query, caller }: ApiRequest<'getSchedules'>,
): Promise<ApiResponse<'getSchedules'>> {
  const { start, end } = intervalOf(query, clock.now());
  const rows = await listSchedules(storage.db, { scope: contentScope(caller, null) });
  const schedules = rows.flatMap((row) => {
    const next_time = nextTimeOf(row, start - 1);
    return next_time === null || next_time > end ? [] : [present({ ...row, next_time })];
  });
  return { schedules };
}

/** Reads a variant. */
async function getVariant(
  parts: Reading,
  { params, caller }: ApiRequest<'getVariant'>,
): Promise<ApiResponse<'getVariant'>> {
  return presentVariant(await loadVariant(parts, params.id, caller));
}

/** Lists the renderings of a variant. */
async function getVariantRenderings(
  parts: Reading,
  { params, caller }: ApiRequest<'getVariantRenderings'>,
): Promise<ApiResponse<'getVariantRenderings'>> {
  const rendered = await loadVariant(parts, params.id, caller);
  return rendered.all.map((row) => presentRendering(rendered, row));
}

/** Lists the schedules of a variant. */
async function getVariantSchedules(
  parts: Reading,
  { params, caller }: ApiRequest<'getVariantSchedules'>,
): Promise<ApiResponse<'getVariantSchedules'>> {
  const guid = await contentOf(parts.storage.db, params.id);
  const { content } = await loadContent(parts.storage.db, guid, caller, 'readSchedule');
  const row = await findSchedule(parts.storage.db, content.guid);
  return row ? [present(row)] : [];
}

/** Lists the variants of a content item. */
async function getVariants(
  { storage }: Reading,
  { params, caller }: ApiRequest<'getVariants'>,
): Promise<ApiResponse<'getVariants'>> {
  const { content } = await loadContent(storage.db, params.guid, caller, 'getContent');
  const rendered = await renderedOf(storage.db, content);
  return rendered ? [presentVariant(rendered)] : [];
}

/** Mails the current rendering of a variant. */
async function mailVariant(
  parts: Parameters<typeof sendShown>[0],
  { params, query, caller }: ApiRequest<'mailVariant'>,
): Promise<ApiResponse<'mailVariant'>> {
  const guid = await contentOf(parts.storage.db, params.id);
  const { email: audience, rendering_id: rendering } = query;
  return { mails: await sendShown(parts, caller, guid, DEFAULT_KEY, { audience, rendering }) };
}

/** Renders a variant again. */
async function renderVariant(
  parts: Pick<Parts, 'storage' | 'audit' | 'tasks' | 'deploys'>,
  { params, caller }: ApiRequest<'renderVariant'>,
): Promise<ApiResponse<'renderVariant'>> {
  const id = await startRender(parts, caller, await contentOf(parts.storage.db, params.id));
  return { id, user_id: caller.guid, status: [], last_status: 0, finished: false, code: 0, error: '' };
}

/** Changes the schedule of a document. @throws ApiError 4 if there is none */
async function updateSchedule(
  parts: Writing,
  { params, body, caller }: ApiRequest<'updateSchedule'>,
): Promise<ApiResponse<'updateSchedule'>> {
  await loadContent(parts.storage.db, params.guid, caller, 'manageSchedule');
  const before = present(await readSchedule(parts, caller, params.guid));
  return write(parts, caller, params.guid, {
    ...body,
    start_time: body.start_time ?? before.start_time,
    timezone: body.timezone ?? before.timezone,
  });
}

async function write(
  parts: Writing,
  caller: Caller,
  guid: string,
  body: ApiRequest<'updateSchedule'>['body'],
): Promise<VariantSchedule> {
  const timezone = body.timezone ?? 'UTC';
  if (body.start_time && Date.parse(body.start_time) <= EARLIEST_START) throw errors.invalidScheduleStart();
  const start = body.start_time ? Date.parse(body.start_time) * 1000 : parts.clock.now();
  const cron = cronOf({ type: body.type, rule: ruleOf(body.schedule) }, start, timezone);
  return present(await setSchedule(parts, caller, guid, { cron, timezone }));
}

/** @throws ApiError 25 if it is no JSON object */
function ruleOf(schedule: string | Record<string, unknown>): Record<string, unknown> {
  try {
    const rule: unknown = typeof schedule === 'string' ? JSON.parse(schedule) : schedule;
    if (isObject(rule)) return { ...rule };
  } catch {
    // Reported below.
  }
  throw errors.invalidParameter({ message: 'schedule must be a JSON object' });
}

function present(row: ScheduleRow): VariantSchedule {
  const { type, rule } = recurrenceOf(row.cron);
  return {
    id: row.content_guid,
    app_id: row.content_guid,
    variant_id: row.content_guid,
    type,
    schedule: JSON.stringify(rule),
    // Clients return it when they change something else: the time of day must stay.
    start_time: toTimestamp(row.next_time ?? row.created_time),
    timezone: row.timezone,
    activate: true,
    email: false,
    next_run: row.next_time === null ? null : toTimestamp(row.next_time),
  };
}

function presentVariant({ content, shown }: Rendered): Variant {
  return {
    id: shown.bundle_id,
    app_id: null,
    key: content.variant_key ?? '',
    bundle_id: shown.bundle_id,
    is_default: true,
    name: 'default',
    email_collaborators: false,
    email_viewers: false,
    email_all: false,
    created_time: toTimestamp(content.created_time),
    rendering_id: shown.id,
    render_time: toTimestamp(shown.created_time),
    render_duration: null,
    visibility: 'public',
  };
}

function presentRendering({ content, shown }: Rendered, row: RenderingRow): Rendering {
  return {
    id: row.id,
    app_id: null,
    app_guid: content.guid,
    variant_id: shown.bundle_id,
    variant_key: content.variant_key ?? '',
    bundle_id: row.bundle_id,
    job_key: row.task_id,
    render_time: toTimestamp(row.created_time),
    render_duration: null,
    active: row.id === content.rendering_id,
  };
}
