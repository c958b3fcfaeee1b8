// The variants of a document: a form for parameters, and renderings with their values.
import type { ContentParameters, ContentVariant, Task } from '@pressroom/api/contract';
import { describeSchedule } from '../../schedules/describe.ts';
import { html, type Html } from '../html.ts';
import type { Page, PageRequest, Redirect } from '../page.ts';
import {
  actionButton,
  changedFields,
  dangerButton,
  field,
  form,
  select,
  shownBefore,
  shownFields,
  table,
  time,
} from '../parts.ts';
import { runsOf, scheduleFields, sentSchedule } from '../schedule-fields.ts';
import { contentPage, isCollaborator, loadItem } from './content-frame.ts';
import { changedValues, parameterFields, sentValues, shownValues, valuesText } from './parameter-fields.ts';
import { mailOf } from './variant-mail.ts';

const VISIBILITY = [
  ['private', 'Owner and collaborators'],
  ['public', 'All who may view the content'],
] as const;

export async function contentVariants(request: PageRequest): Promise<Page> {
  const item = await loadItem(request);
  const params = { guid: item.guid };
  const about = await request.call('getContentParameters', { params });
  const variants = await request.call('getContentVariants', { params });
  const collaborator = isCollaborator(request, item);
  const path = `/content/${item.guid}/variants`;
  const mayRender = about.parameters.length > 0 && (collaborator || about.visitors_may_render);
  const body = html`${listOf(request, path, variants)} ${about.parameters.length === 0 && NO_PARAMETERS}
  ${mayRender && renderForm(request, path, about, collaborator)}
  ${collaborator && about.parameters.length > 0 && visitorsForm(request, path, about)}`;
  return contentPage(request, item, 'variants', body);
}

const NO_PARAMETERS = html`<p class="empty">
  This document has no parameters. Declare some in its front matter (<code>params:</code>), or in a notebook
  cell with the tag <code>parameters</code>, and deploy it again.
</p>`;

function listOf({ root }: PageRequest, path: string, variants: readonly ContentVariant[]): Html {
  const rows = variants.map((one) => [
    html`<a href="${root}${path}/${one.key}">${titleOf(one)}</a>`,
    valuesText(one.values),
    one.rendered_time === null
      ? html`not rendered yet`
      : html`<a href="${one.url}">${time(one.rendered_time)}</a>${one.held && ', a newer one is held'}`,
    one.schedule && describeSchedule(one.schedule.cron, one.schedule.timezone),
    one.visibility === 'public' ? 'all viewers' : 'private',
    one.expires_time && time(one.expires_time),
  ]);
  return table('Variants', ['Variant', 'Values', 'Rendered', 'Schedule', 'Access', 'Until'], rows);
}

export function titleOf({ name, is_default }: ContentVariant): string {
  if (is_default) return 'Default';
  return name === '' ? 'Own values' : name;
}

function renderForm(
  request: PageRequest,
  path: string,
  { parameters }: ContentParameters,
  collaborator: boolean,
): Html {
  const naming =
    collaborator &&
    html`${field(request, 'name', 'Save as variant', '', {
      hint: 'A name, such as the region; leave empty to render once, for yourself',
    })}${select(request, 'visibility', 'Access', VISIBILITY, 'private')}`;
  return html`<h2>Render with other values</h2>
    ${form(request, path, html`${parameterFields(request, parameters)}${naming}<button>Render</button>`)}`;
}

function visitorsForm(
  request: PageRequest,
  path: string,
  { visitors_may_render: isOn }: ContentParameters,
): Html {
  const box = html`<p>
      <label class="check"
        ><input type="checkbox" name="allowed" ${isOn && html`checked`} /> Let all who may view this content
        render it with values of their own</label
      >
    </p>
    <button>Save</button>`;
  return html`<h2>Visitors</h2>
    ${form(request, `${path}/visitors`, box)}`;
}

export async function createVariant(request: PageRequest): Promise<Redirect> {
  const { call, params, form: sent } = request;
  const at = { guid: params.guid };
  const { parameters } = await call('getContentParameters', { params: at });
  const name = (sent.get('name') ?? '').trim();
  const how = name === '' ? { ad_hoc: true } : { name, visibility: sent.get('visibility') ?? 'private' };
  const body = { ...how, values: sentValues(request, parameters) };
  const made = await call('createContentVariant', { params: at, body });
  return { to: `/content/${params.guid}/variants/${made.key}`, note: 'Rendering started.' };
}

export async function saveVisitors({ call, params, form: sent }: PageRequest): Promise<Redirect> {
  const body = { visitors_may_render: sent.has('allowed') };
  await call('setVisitorRendering', { params: { guid: params.guid }, body });
  return { to: `/content/${params.guid}/variants`, note: 'Saved.' };
}

/** One variant: values, schedule, and past renderings. */
export async function contentVariant(request: PageRequest): Promise<Page> {
  const { call, params, root } = request;
  const item = await loadItem(request);
  const at = { guid: item.guid, key: params.key };
  const variant = await call('getContentVariant', { params: at });
  const renderings = await call('getContentVariantRenderings', { params: at });
  const { parameters } = await call('getContentParameters', { params: { guid: item.guid } });
  const path = `/content/${item.guid}/variants/${variant.key}`;
  const collaborator = isCollaborator(request, item);
  const isOwn = variant.ad_hoc && variant.user_guid === request.caller.guid;
  const isFirst = variant.rendered_time === null;
  const task =
    variant.task_id === null
      ? null
      : await call('getTaskGa', { params: { id: variant.task_id } }).catch(() => null);
  // Until then the page reloads, which would lose what is typed into its forms.
  const isAwaited = isFirst && task !== null && !task.finished;
  const rows = renderings.map((one) => [
    time(one.created_time),
    valuesText(one.values),
    one.bundle_id,
    one.active ? 'shown' : null,
  ]);
  const body = html`<h2>${titleOf(variant)}</h2>
    ${variant.held === null ? task && stateOf(request, task, isAwaited) : heldNote(request, path, variant.held)}
    ${!isFirst && html`<p><a href="${variant.url}">Open the rendering</a> of ${time(variant.rendered_time)}</p>`}
    <p>${valuesText(variant.values) || 'The values of the document itself'}</p>
    ${variant.schedule && runsOf(request, variant.schedule)}
    ${(collaborator || isOwn) && html`<p>${actionButton(request, `${path}/render`, 'Render now')}</p>`}
    ${!isAwaited && !variant.is_default && collaborator && changeForm(request, path, variant, parameters)}
    ${!isAwaited && collaborator && !variant.ad_hoc && (await mailOf(request, variant.key))}
    <h2>Renderings</h2>
    ${table('Renderings', ['Time', 'Values', 'Bundle', ''], rows)}
    ${!isAwaited && !variant.is_default && (collaborator || isOwn) && deletion(request, path)}
    <p><a href="${root}/content/${item.guid}/variants">All variants</a></p>`;
  const page = contentPage(request, item, 'variants', body, `${titleOf(variant)} · Variants`);
  return isAwaited ? { ...page, refresh: 3 } : page;
}

function deletion(request: PageRequest, path: string): Html {
  const sure = 'Delete this variant with its renderings';
  return html`<h2>Delete</h2>
    ${dangerButton(request, `${path}/delete`, 'Delete this variant', sure)}`;
}

/** The held rendering, for review. */
function heldNote(request: PageRequest, path: string, held: NonNullable<ContentVariant['held']>): Html {
  return html`<p class="note" role="status">
      The rendering of ${time(held.created_time)} is held for review: ${held.reason}.
      <a href="${held.url}">Open what is held</a>
    </p>
    <p>
      ${actionButton(request, `${path}/accept`, 'Show it', { task_id: held.task_id })}
      ${actionButton(request, `${path}/discard`, 'Discard it', { task_id: held.task_id })}
    </p>`;
}

/** The running render task, or the last error; null after success. */
function stateOf({ root }: PageRequest, task: Task, isAwaited: boolean): Html | null {
  if (task.finished && task.code === 0) return null;
  const link = html`<a href="${root}/tasks/${task.id}">Output</a>`;
  if (!task.finished)
    return html`<p class="note" role="status" ${isAwaited && html`data-reload`}>Rendering… ${link}</p>`;
  return html`<p class="error" role="alert">The last rendering failed: ${task.error} ${link}</p>`;
}

function changeForm(
  request: PageRequest,
  path: string,
  variant: ContentVariant,
  parameters: ContentParameters['parameters'],
): Html {
  const { name, visibility, schedule } = variant;
  const cron = { cron: schedule?.cron ?? null, timezone: schedule?.timezone ?? null };
  const fields = html`${shownFields(request, 'variant', { name, visibility })}${shownFields(request, 'schedule', cron)}
    ${shownValues(request, parameters, variant.values)}${parameterFields(request, parameters, variant.values)}
    ${field(request, 'name', 'Name', variant.name, {
      hint: variant.ad_hoc ? 'With a name it is kept, and takes a schedule' : 'Of the variant',
    })}
    ${select(request, 'visibility', 'Access', VISIBILITY, variant.visibility)}
    ${scheduleFields(request, variant.schedule)}<button>Save and render</button>`;
  return html`<h2>Change</h2>
    ${form(request, path, fields)}`;
}

export async function updateVariant(request: PageRequest): Promise<Redirect> {
  const { call, params, form: sent } = request;
  const { guid, key } = params;
  const { parameters } = await call('getContentParameters', { params: { guid } });
  const { values } = await call('getContentVariant', { params: { guid, key } });
  const changed = changedFields(request, 'variant', ['name', 'visibility']);
  const name = (sent.get('name') ?? '').trim();
  const schedule = sentSchedule(request);
  const shown = shownBefore(sent, 'schedule');
  const isSameSchedule =
    Object.hasOwn(shown, 'cron') &&
    schedule?.cron === (shown['cron'] ?? undefined) &&
    schedule?.timezone === (shown['timezone'] ?? undefined);
  const body = {
    ...(changed.includes('name') && name !== '' && { name }),
    ...(changed.includes('visibility') && { visibility: sent.get('visibility') ?? 'private' }),
    ...(!isSameSchedule && { schedule }),
    // Sent even without changes: the form renders.
    values: changedValues(request, parameters, values),
  };
  await call('updateContentVariant', { params: { guid, key }, body });
  return { to: `/content/${guid}/variants/${key}`, note: 'Saved. Rendering started.' };
}

export async function renderVariant({ call, params }: PageRequest): Promise<Redirect> {
  const { guid, key } = params;
  await call('renderContentVariant', { params: { guid, key } });
  return { to: `/content/${guid}/variants/${key}`, note: 'Rendering started.' };
}

export async function deleteVariant({ call, params }: PageRequest): Promise<Redirect> {
  const { guid, key } = params;
  await call('deleteContentVariant', { params: { guid, key } });
  return { to: `/content/${guid}/variants`, note: 'Variant deleted.' };
}

export async function acceptHeld({ call, params, form: sent }: PageRequest): Promise<Redirect> {
  const { guid, key } = params;
  const body = { task_id: sent.get('task_id') ?? '' };
  await call('acceptHeldRendering', { params: { guid, key }, body });
  return { to: `/content/${guid}/variants/${key}`, note: 'The rendering is shown.' };
}

export async function discardHeld({ call, params, form: sent }: PageRequest): Promise<Redirect> {
  const { guid, key } = params;
  const query = { task_id: sent.get('task_id') ?? '' };
  await call('deleteHeldRendering', { params: { guid, key }, query });
  return { to: `/content/${guid}/variants/${key}`, note: 'The held rendering is discarded.' };
}
