// Overview of a content item: address, kind, last tasks; redeploy, render, delete.
import { type ContentGa, countsUse, engineOf, errors } from '@pressroom/api/contract';
import { rollbackTarget } from '@pressroom/api/publish';
import { describeLinks, describeUse, RECENT_DAYS } from '@pressroom/api/usage';
import { seesAccount } from '../../people/policy.ts';
import { findUsers } from '../../people/store.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { recentTasks } from '../../tasks/store.ts';
import { usageParts } from '../../usage/summary-store.ts';
import { html, type Html } from '../html.ts';
import { orNull, type Page, type PageRequest, type Redirect } from '../page.ts';
import { actionButton, duration, field, form, table, time } from '../parts.ts';
import {
  ACCESS,
  bundlesOf,
  contentPage,
  isCollaborator,
  loadItem,
  openAddress,
  typeOf,
} from './content-frame.ts';

const TASKS_SHOWN = 10;
const DAY_MICROS = 86_400_000_000;

export async function contentOverview(request: PageRequest): Promise<Page> {
  const item = await loadItem(request);
  const path = `/content/${item.guid}`;
  const isLive = item.bundle_id !== null;
  const { config, storage } = request.parts;
  // Whom to ask; hidden from viewers who see only themselves.
  const isSeen = seesAccount(config, request.caller, item.owner_guid);
  const [owner] = isSeen ? await findUsers(storage.db, [item.owner_guid]) : [];
  const vanity = await orNull(request.call('getVanity', { params: { guid: item.guid } }));
  const collaborator = isCollaborator(request, item);
  const tasks = collaborator ? await recentTasks(storage.db, item.guid, TASKS_SHOWN) : [];
  const isDeploying = tasks.some(({ finished }) => !finished);
  const facts: [string, Html | string | null | undefined][] = [
    [
      'Address',
      isLive
        ? html`<a href="${openAddress(request, item)}">${item.content_url}</a>`
        : notPublished(request, collaborator && !isDeploying),
    ],
    [
      'Custom path',
      vanity && html`<a href="${request.base}${vanity.path}">${request.base}${vanity.path}</a>`,
    ],
    ['Type', [typeOf(item), item.content_category].filter(Boolean).join(', ')],
    ['Name', item.name],
    ['GUID', item.guid],
    ['Description', item.description && html`<span class="lines">${item.description}</span>`],
    ['Access', ACCESS[item.access_type]],
    ['Owner', owner && html`${owner.first_name} ${owner.last_name} <small>${owner.username}</small>`],
    ['Your role', item.app_role],
    ['Active bundle', item.bundle_id],
    ['R', item.r_version],
    ['Python', item.py_version],
    ['Created', time(item.created_time)],
    ['Published', time(isLive ? item.last_deployed_time : null)],
  ];
  const list = facts.map(
    ([name, value]) =>
      value &&
      html`<dt>${name}</dt>
        <dd>${value}</dd>`,
  );
  const actions = collaborator && [
    isLive && actionButton(request, `${path}/deploy`, 'Redeploy'),
    isLive && (await rollBack(request, item)),
    isLive && engineOf(item.app_mode) === 'document' && actionButton(request, `${path}/render`, 'Render now'),
    isLive &&
      engineOf(item.app_mode) === 'application' &&
      actionButton(request, `${path}/restart`, 'Restart'),
    isLive &&
      engineOf(item.app_mode) === 'application' &&
      actionButton(request, `${path}/stop`, 'Stop processes'),
  ];
  const removal =
    collaborator &&
    html`<h2 id="delete">Delete</h2>
      <p>
        Deletes this content with all its bundles, logs and settings. This cannot be undone.
        ${countsUse(item.app_mode) && (await useOf(request, item.guid))} ${await linksOf(request, item.guid)}
      </p>
      ${form(
        request,
        `${path}/delete`,
        html`${field(request, 'name', `Type ${item.name} to confirm`, '', { required: true })}<button
            class="danger"
          >
            Delete this content
          </button>`,
        html`class="danger-form"`,
      )}`;
  return contentPage(
    request,
    item,
    '',
    html`<dl>${list}</dl>
      <p>${actions}</p>
      ${collaborator && taskTable(request, tasks)}${removal}`,
  );
}

function notPublished({ root, params }: PageRequest, mayDeploy: boolean): Html {
  const next = html`<a href="${root}/content/${params.guid}/bundles">Upload or activate a bundle</a>`;
  return html`Not published yet. ${mayDeploy && next}`;
}

/** The button that goes back to what was live before; null if nothing was. */
async function rollBack(request: PageRequest, item: ContentGa): Promise<Html | null> {
  const { guid, bundle_id } = item;
  // Administrators who may not view the content see no bundles, and choose from what was deployed.
  const bundles = await bundlesOf(request, item);
  const deploys = await request.call('getContentDeploys', { params: { guid } });
  const ids = bundles?.map(({ id }) => id) ?? deploys.map((deploy) => deploy.bundle_id);
  const target = rollbackTarget(ids, deploys, bundle_id);
  if (target === null) return null;
  const label = `Roll back to bundle ${target}`;
  return actionButton(request, `/content/${guid}/deploy`, label, { bundle_id: target });
}

async function useOf({ parts }: PageRequest, guid: string): Promise<string> {
  const from = parts.clock.now() - RECENT_DAYS * DAY_MICROS;
  const { people } = await usageParts(parts.storage.db, guid, from);
  const total = people.reduce((sum, [, n]) => sum + n, 0);
  return describeUse({ people: people.filter(([user]) => user !== null).length, total });
}

async function linksOf(request: PageRequest, guid: string): Promise<string> {
  return describeLinks(await request.call('getContentLinks', { params: { guid } }));
}

function taskTable({ root }: PageRequest, tasks: Awaited<ReturnType<typeof recentTasks>>): Html {
  const rows = tasks.map((task) => [
    html`<a href="${root}/tasks/${task.id}">${task.kind}</a>`,
    time(toTimestamp(task.created_time)),
    task.finished_time === null ? null : duration(task.finished_time - task.created_time),
    task.bundle_id === null ? null : String(task.bundle_id),
    outcome(task),
  ]);
  return html`<h2>Tasks</h2>
    ${table('Recent tasks', ['Task', 'Started', 'Took', 'Bundle', 'Outcome'], rows)}`;
}

function outcome({ finished, code, error }: { finished: 0 | 1; code: number; error: string }): Html {
  if (!finished) return html`running`;
  return code === 0 ? html`<span class="good">Succeeded</span>` : html`<span class="bad">${error}</span>`;
}

export async function deployAgain({ call, params, form }: PageRequest): Promise<Redirect> {
  const bundle = form.get('bundle_id');
  const body = {
    ...(bundle !== null && { bundle_id: bundle }),
    ...(form.has('draft') && { activate: false }),
    draft_task_id: form.get('draft_task_id'),
  };
  const { task_id } = await call('deployContentBundleGa', { params: { guid: params.guid }, body });
  return { to: `/tasks/${task_id}` };
}

export async function renderAgain({ call, params }: PageRequest): Promise<Redirect> {
  const { task_id } = await call('renderContent', { params: { guid: params.guid } });
  return { to: `/tasks/${task_id}` };
}

export async function restart({ call, params }: PageRequest): Promise<Redirect> {
  const { task_id } = await call('restartContent', { params: { guid: params.guid } });
  return { to: `/tasks/${task_id}` };
}

export async function stop({ call, params }: PageRequest): Promise<Redirect> {
  const { task_id } = await call('terminateApplication', { params: { guid: params.guid } });
  return { to: `/tasks/${task_id}` };
}

export async function deleteContent(request: PageRequest): Promise<Redirect> {
  const { call, params, form: sent } = request;
  const { name } = await loadItem(request);
  if (sent.get('name')?.trim() !== name)
    throw errors.invalidParameter({
      message: `Type the name of this content, ${name}, to delete it.`,
      field: 'name',
    });
  await call('deleteContentGa', { params: { guid: params.guid } });
  return { to: '/', note: 'Content deleted.' };
}
