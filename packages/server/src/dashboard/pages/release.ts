// The release of a bundle: its state, actions, affected people, and history.
import { engineOf, errors, shortSha, type BundleRelease } from '@pressroom/api/contract';
import { describeLinks, describeUse } from '@pressroom/api/usage';
import { html } from '../html.ts';
import type { Page, PageRequest } from '../page.ts';
import { actionButton, table, time } from '../parts.ts';
import { canaryFigures } from './canary-table.ts';
import { releaseTable } from './content-bundles.ts';
import { contentPage, loadItem } from './content-frame.ts';
import { canaryStart, rulesFor } from './start-canary.ts';

const STATES: Readonly<Record<BundleRelease['state'], string>> = {
  uploaded: 'uploaded and not deployed',
  deploying: 'being deployed',
  failed: 'not live: its deploy failed',
  draft: 'a draft',
  held: 'held for review: its rendering shrank',
  asked: 'waiting for approval',
  approved: 'approved, and not live yet',
  canary: 'a canary',
  back: 'not live: it was rolled back',
  live: 'live',
  past: 'no longer live',
};
const STEPS: Readonly<Record<BundleRelease['steps'][number]['what'], string>> = {
  uploaded: 'Uploaded',
  started: 'Deploy started',
  ready: 'Draft ready',
  failed: 'Deploy failed',
  asked: 'Asked for approval',
  approved: 'Approved',
  overridden: 'Approvals overridden',
  canary: 'Canary began',
  back: 'Rolled back',
  replaced: 'Canary replaced',
  live: 'Live',
};
const MANAGED: ReadonlySet<BundleRelease['state']> = new Set(['asked', 'approved', 'canary', 'deploying']);

export async function release(request: PageRequest): Promise<Page> {
  const { call, params, root } = request;
  const { guid, id } = params;
  if (!/^\d{1,15}$/.test(id ?? '')) throw errors.notFound({ message: 'There is no such bundle.' });
  const item = await loadItem(request);
  const found = await call('getBundleRelease', { params: { guid, id } });
  const { bundle_id, state, live_bundle_id: live, commit, draft, canary, use, links, steps } = found;
  const own = item.app_role === 'owner' || item.app_role === 'editor';
  const path = `${root}/content/${item.guid}/bundles`;
  const ruleFor = await rulesFor(request, item);
  const rule = ruleFor(bundle_id);
  const pair = live === null || live === id ? null : `from=${live}&to=${id}`;
  const isPage = engineOf(item.app_mode) !== 'application';
  const rows = steps.map(({ what, time: when, username, reason, task_id }) => [
    time(when),
    STEPS[what],
    username,
    (reason !== null || task_id !== null) &&
      html`${reason} ${task_id !== null && html`<a href="${root}/tasks/${task_id}">log</a>`}`,
  ]);
  const body = html`<h2>Bundle ${id}</h2>
    <p>
      It is <strong class="${tone(state)}">${STATES[state]}</strong>.
      ${state !== 'live' && live !== null && html`Bundle <a href="${path}/${live}">${live}</a> is live.`}
    </p>
    ${commit && html`<p>Commit <code title="${commit.sha}">${shortSha(commit.sha)}</code> ${commit.subject} <small>${commit.author}</small></p>`}
    <p>${use && describeUse(use)} ${describeLinks(links)}</p>
    <p>
      ${draft && own && html`<a href="${draft.url}">Open the draft</a> · `}
      ${own && pair !== null && html`<a href="${path}/compare?${pair}">Changes</a> `}
      ${own && pair !== null && isPage && html`<a href="${path}/pages?${pair}">What readers see of both</a> `}
      ${state !== 'live' && !MANAGED.has(state) && rule === null && actionButton(request, `/content/${item.guid}/deploy`, 'Make live', { bundle_id: id!, ...(draft && { draft_task_id: draft.task_id }) })}
    </p>
    ${await releaseTable(request, item, ruleFor, id)}
    ${
      canary &&
      html`<h2>Canary</h2>
        ${canaryFigures(request, canary)}`
    }
    ${canaryStart(request, item, found, rule)}
    <h2>Steps</h2>
    ${table('Steps', ['Time', 'Step', 'By', 'Why'], rows)}
    <p><a href="${path}">All bundles</a></p>`;
  return contentPage(request, item, 'bundles', body, `Bundle ${id}`);
}

function tone(state: BundleRelease['state']): string {
  if (state === 'live') return 'good';
  return state === 'failed' || state === 'back' ? 'bad' : '';
}
