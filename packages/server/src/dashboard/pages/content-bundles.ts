// The bundles of a content item: results of their deploys; activate, compare, download, delete.
import { shortSha, type BundleGa, type ContentGa, type Draft } from '@pressroom/api/contract';
import { html, type Html } from '../html.ts';
import type { Page, PageRequest, Redirect } from '../page.ts';
import {
  actionButton,
  dangerButton,
  bytes,
  field,
  form,
  inRow,
  pageNumber,
  paging,
  select,
  table,
  time,
} from '../parts.ts';
import { canaryFigures, canaryOf, openBundle } from './canary-table.ts';
import { bundlesOf, contentPage, isCollaborator, loadItem } from './content-frame.ts';
import { deployLock } from './deploy-lock.ts';
import { dropZone } from './publish.ts';
import { goLiveButton, mayHaveCanary, rulesFor, type RuleFor } from './start-canary.ts';

const PAGE = 100;
/** The server returns no more names. */
const MAX_QUERIES = 20;
/** The name of a field is its id, and a page has one such field for each bundle that waits. */
const overrideReason = (bundleId: string) => `override_reason_${bundleId}`;

export async function contentBundles(request: PageRequest): Promise<Page> {
  const { call, params, root } = request;
  const item = await loadItem(request);
  // Without it, administrators still see what waits for a decision.
  const listed = await bundlesOf(request, item);
  const bundles = listed ?? [];
  const path = `/content/${item.guid}/bundles`;
  const mayDeploy = isCollaborator(request, item);
  // Files are for collaborators, not for every administrator.
  const own = item.app_role === 'owner' || item.app_role === 'editor';
  const first = (pageNumber(request) - 1) * PAGE;
  const outcomes = mayDeploy ? await outcomesOf(request) : new Map<string, Html>();
  const drafts = mayDeploy ? await call('getDrafts', { params: { guid: params.guid } }) : [];
  const canary = mayDeploy ? await canaryOf(request) : null;
  const canaryId = openBundle(canary);
  const isDraft = (id: string) => drafts.some(({ bundle_id }) => bundle_id === id);
  const hasCanaries = mayHaveCanary(request, item);
  const ruleFor = await rulesFor(request, item);
  const isOfGit = bundles.some(({ metadata }) => metadata.source_commit !== undefined);
  const rows = bundles
    .toReversed()
    .slice(first, first + PAGE)
    .map((bundle, i, shown) => [
      mayDeploy ? html`<a href="${root}${path}/${bundle.id}">${bundle.id}</a>` : bundle.id,
      time(bundle.created_time),
      bytes(bundle.size),
      ...(isOfGit ? [commit(bundle.metadata)] : []),
      [bundle.r_version && `R ${bundle.r_version}`, bundle.py_version && `Python ${bundle.py_version}`]
        .filter(Boolean)
        .join(', '),
      bundle.active
        ? html`<strong class="good">active</strong>`
        : bundle.id === canaryId
          ? html`canary`
          : isDraft(bundle.id)
            ? html`draft`
            : (outcomes.get(bundle.id) ?? null),
      html`${own && html`<a href="${root}${path}/${bundle.id}/download">${inRow('Download', `bundle ${bundle.id}`)}</a> `}
      ${own && shown[i + 1] && html`<a href="${root}${path}/compare?from=${shown[i + 1]!.id}&to=${bundle.id}">${inRow('Changes', `of bundle ${bundle.id}`)}</a> `}
      ${mayDeploy && !bundle.active && goLiveButton(request, ruleFor, 'Activate', { bundle_id: bundle.id })}
      ${mayDeploy && !bundle.active && !isDraft(bundle.id) && actionButton(request, `/content/${item.guid}/deploy`, inRow('Deploy as draft', `bundle ${bundle.id}`), { bundle_id: bundle.id, draft: 'yes' })}
      ${hasCanaries && !bundle.active && bundle.id !== canaryId && html`<a href="${root}${path}/${bundle.id}#canary">${inRow('Canary…', `of bundle ${bundle.id}`)}</a> `}
      ${own && !bundle.active && bundle.id !== canaryId && dangerButton(request, `${path}/${bundle.id}/delete`, inRow('Delete', `bundle ${bundle.id}`), inRow('Confirm', `deleting bundle ${bundle.id}`))}`,
    ]);
  const head = ['Bundle', 'Uploaded', 'Size', ...(isOfGit ? ['Commit'] : []), 'Built with', 'State', ''];
  const choose =
    own &&
    bundles.length > 1 &&
    chooser(
      request,
      path,
      bundles.map(({ id }) => id),
    );
  const waiting = mayDeploy ? await releaseTable(request, item, ruleFor) : null;
  const lock = mayDeploy ? await deployLock(request) : null;
  const drafted = draftTable(request, item.guid, drafts, { mayOpen: own, canaryId, ruleFor });
  const isOneOfSeveral = canary !== null || waiting !== null || drafted !== null;
  const list = html`${lock?.notice}
  ${
    canary &&
    html`<h2>Canary</h2>
      ${canaryFigures(request, canary)}`
  }
  ${
    waiting &&
    html`<h2>Waiting for approval</h2>
      ${waiting}`
  }
  ${
    drafted &&
    html`<h2>Drafts</h2>
      ${drafted}`
  }
  ${isOneOfSeveral && html`<h2>Bundles</h2>`}
  ${
    listed
      ? html`${table('Bundles', head, rows, 'Nothing was uploaded yet.')}${paging(request, path, PAGE, bundles.length, ['bundle', 'bundles'])}${choose}`
      : html`<p class="empty">The bundles are listed for people who may view this content.</p>`
  }`;
  const upload =
    own &&
    request.caller.role !== 'viewer' &&
    html`<h2>Upload a new version</h2>
      ${dropZone(request, item)}
      <noscript><p>Uploading here needs JavaScript; the command line and the editor do not.</p></noscript>`;
  const page = contentPage(request, item, 'bundles', html`${list}${upload}${lock?.locking}`);
  return { ...page, publishes: true };
}

/** Deployed drafts; administrators who only manage content cannot open them. That of a canary ends with it. */
function draftTable(
  request: PageRequest,
  guid: string,
  drafts: readonly Draft[],
  {
    mayOpen,
    canaryId,
    ruleFor,
  }: { readonly mayOpen: boolean; readonly canaryId: string | null; readonly ruleFor: RuleFor },
): Html | null {
  if (drafts.length === 0) return null;
  const rows = drafts.map(({ bundle_id, task_id, preview, username, expires_time, url }) => [
    html`<a href="${request.root}/content/${guid}/bundles/${bundle_id}">${bundle_id}</a>`,
    preview,
    username,
    time(expires_time),
    html`${mayOpen && html`<a href="${url}">${inRow('Open', `bundle ${bundle_id}`)}</a> `}
    ${goLiveButton(request, ruleFor, 'Make live', { bundle_id, draft_task_id: task_id })}
    ${bundle_id !== canaryId && actionButton(request, `/content/${guid}/drafts/${bundle_id}/discard`, inRow('Discard', `bundle ${bundle_id}`), { task_id })}`,
  ]);
  return table('Drafts', ['Bundle', 'Preview', 'By', 'Until', ''], rows);
}

/**
 * Bundles that wait for approval, with the override for the owner and administrators.
 * @param only this bundle, if it waits
 */
export async function releaseTable(
  request: PageRequest,
  { guid, app_role }: ContentGa,
  ruleFor: RuleFor,
  only?: string,
): Promise<Html | null> {
  const { call, caller, params } = request;
  const all = await call('getReleases', { params: { guid: params.guid } });
  const releases = only === undefined ? all : all.filter(({ bundle_id }) => bundle_id === only);
  if (releases.length === 0) return null;
  const isCollaborating = app_role === 'owner' || app_role === 'editor';
  const rows = releases.map((release) => {
    const { bundle_id, author_guid, asked_time, approvals, needed, approved, asked, stuck } = release;
    const path = `/content/${guid}/releases/${bundle_id}`;
    const isOwn = author_guid === caller.guid;
    const isAsked = asked.some(({ user_guid }) => user_guid === caller.guid) || asked.length >= MAX_QUERIES;
    const mayApprove =
      !approved &&
      isCollaborating &&
      !isOwn &&
      isAsked &&
      !approvals.some(({ user_guid }) => user_guid === caller.guid);
    const mayOverride = !approved && (app_role === 'owner' || caller.role === 'administrator');
    return [
      html`<a href="${request.root}/content/${guid}/bundles/${bundle_id}">${bundle_id}</a>`,
      time(asked_time),
      `${approvals.length} of ${needed}`,
      approvals.map(({ username }) => username).join(', '),
      stuck
        ? html`<span class="error">Too few people may approve it: change the approval rule</span>`
        : asked.map(({ username }) => username).join(', '),
      html`${mayApprove && actionButton(request, `${path}/approve`, inRow('Approve', `bundle ${bundle_id}`))}
      ${approved && goLiveButton(request, ruleFor, 'Make live', { bundle_id })}
      ${
        mayOverride &&
        form(
          request,
          `${path}/override`,
          html`${field(request, overrideReason(bundle_id), 'Reason', '', { required: true })}<button>
              ${inRow('Override', `bundle ${bundle_id}`)}
            </button>`,
          html`class="inline"`,
        )
      }`,
    ];
  });
  return table('Waiting for approval', ['Bundle', 'Asked', 'Approvals', 'By', 'Can approve', ''], rows);
}

export async function approveRelease({ call, params }: PageRequest): Promise<Redirect> {
  const { guid, id } = params;
  const { approvals, needed } = await call('approveRelease', { params: { guid, id } });
  return {
    to: `/content/${guid}/bundles`,
    note: `Bundle ${id} approved: ${approvals.length} of ${needed}.`,
  };
}

export async function overrideRelease({ call, params, form: sent }: PageRequest): Promise<Redirect> {
  const { guid, id } = params;
  const body = { reason: sent.get(overrideReason(id)) ?? '' };
  await call('overrideRelease', { params: { guid, id }, body });
  return { to: `/content/${guid}/bundles`, note: `Bundle ${id} may go live.` };
}

export async function discardDraft({ call, params, form: sent }: PageRequest): Promise<Redirect> {
  const { guid, id } = params;
  await call('deleteDraft', { params: { guid, id }, query: { task_id: sent.get('task_id') ?? '' } });
  return { to: `/content/${guid}/bundles`, note: `Draft of bundle ${id} discarded.` };
}

/** The result of the last deploy of each bundle. */
async function outcomesOf({ call, params, root }: PageRequest): Promise<Map<string, Html>> {
  const deploys = await call('getContentDeploys', { params: { guid: params.guid } });
  const outcomes = new Map<string, Html>();
  for (const { bundle_id, task_id, state, error, end_reason } of deploys) {
    if (outcomes.has(bundle_id)) continue;
    const link = task_id !== null && html` <a href="${root}/tasks/${task_id}">log</a>`;
    const outcome =
      state === 'failed'
        ? html`<span class="bad">${end_reason ?? state}</span> <small>${error}</small>`
        : html`${state}`;
    outcomes.set(bundle_id, html`${outcome}${link}`);
  }
  return outcomes;
}

/** Picks any two bundles, in either order. */
export function chooser(
  request: PageRequest,
  path: string,
  ids: readonly string[],
  from = ids.at(-2) ?? '',
  to = ids.at(-1) ?? '',
): Html {
  const options = ids.toReversed().map((id) => [id, `Bundle ${id}`] as const);
  return html`<form class="search" action="${request.root}${path}/compare">
    ${select(request, 'from', 'Compare', options, from)}${select(request, 'to', 'with', options, to)}<button>
      Compare
    </button>
  </form>`;
}

export async function deleteBundle({ call, params }: PageRequest): Promise<Redirect> {
  const { guid, id } = params;
  await call('deleteBundleGa', { params: { guid, id } });
  return { to: `/content/${guid}/bundles`, note: `Bundle ${id} deleted.` };
}

/** The commit of a bundle from Git. */
function commit({ source_commit: sha, source_subject, source_author }: BundleGa['metadata']): Html | null {
  if (sha === undefined) return null;
  return html`<code title="${sha}">${shortSha(sha)}</code> ${source_subject ?? null}
    ${source_author !== undefined && html`<small>${source_author}</small>`}`;
}
