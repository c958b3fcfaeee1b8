// A task and its output, updated while it runs.
import type { ContentGa } from '@pressroom/api/contract';
import { diagnose } from '@pressroom/api/publish';
import { LINES_EXAMINED } from '../../deploys/restart-application.ts';
import { html, type Html } from '../html.ts';
import { apiPath, orNull, type Page, type PageRequest, type Redirect } from '../page.ts';
import { actionButton, LINES_SHOWN } from '../parts.ts';
import { openAddress } from './content-frame.ts';

const WHAT: Readonly<Record<string, string>> = {
  deploy: 'Deploy',
  draft: 'Draft',
  render: 'Render',
  restart: 'Restart',
  terminate: 'Stop',
};

export async function task(request: PageRequest): Promise<Page> {
  const { call, params, query, root } = request;
  const id = params.id;
  const found = await request.parts.tasks.find(id);
  const leftOut = query.has('all') ? 0 : Math.max(0, (found?.lines ?? 0) - LINES_SHOWN);
  const { output, finished, code, error, last } = await call('getTaskGa', {
    params: { id },
    query: { first: leftOut },
  });
  const guid = found?.content_guid ?? null;
  const item = guid === null ? null : await orNull(call('getContentGa', { params: { guid } }));
  const opens = finished && code === 0 && item !== null && (await openLink(request, item, found?.kind));
  const content =
    item &&
    html`<p>
      ${opens}
      <a href="${root}/content/${guid}">Back to the content</a>
    </p>`;
  const address = apiPath(request, `/v1/tasks/${id}?output_wait=20`);
  const live = !finished && html`data-follow="${address}" data-lines="${last}"`;
  const state = finished
    ? code === 0
      ? html`<p class="note" role="status">Succeeded.</p>`
      : html`<p class="error" role="alert">${error}${found?.end_reason == null && ` (code ${code})`}</p>`
    : html`<p role="status">Running. ${actionButton(request, `/tasks/${id}/cancel`, 'Cancel')}</p>`;
  // The output of work that was stopped does not explain why.
  const hasCause = finished && code !== 0 && found?.end_reason === null;
  const remedy = hasCause ? diagnose(output.slice(-LINES_EXAMINED))?.hint : undefined;
  const text = output.map((line) => `${line}\n`).join('');
  const body = html`${state} ${remedy !== undefined && html`<p class="note" role="note">${remedy}</p>`}
    ${
      leftOut > 0 &&
      html`<p>
        Lines before these: ${leftOut}. <a href="${root}/tasks/${id}?all=on">Show the whole output</a>
      </p>`
    }
    <pre role="log" tabindex="0" aria-label="Output" data-log ${live}>${text}</pre>
    ${content}`;
  // People know content by its name; the ID is in the address.
  const name = item && (item.title ?? item.name);
  const title = name === null ? `Task ${id}` : `${WHAT[found?.kind ?? ''] ?? 'Task'} of ${name}`;
  // Announces the end of a deploy to those who watch another tab, or listen: the page reloads then.
  const windowTitle = `${stateOf(finished, code, found?.end_reason)} · ${title}`;
  return { title, windowTitle, section: 'content', body, ...(!finished && { refresh: 3 }) };
}

/** What the task made; false if there is nothing to open. */
async function openLink(request: PageRequest, item: ContentGa, kind?: string): Promise<Html | false> {
  const { call, params } = request;
  if (kind !== 'draft')
    return item.bundle_id !== null && html`<a href="${openAddress(request, item)}">Open it</a> · `;
  if (item.app_role !== 'owner' && item.app_role !== 'editor') return false;
  const drafts = await call('getDrafts', { params: { guid: item.guid } });
  const draft = drafts.find(({ task_id }) => task_id === params.id);
  return draft !== undefined && html`<a href="${draft.url}">Open the draft</a> · `;
}

function stateOf(finished: boolean, code: number, reason: string | null = null): string {
  if (!finished) return 'Running';
  if (reason === 'cancelled') return 'Cancelled';
  return code === 0 ? 'Succeeded' : 'Failed';
}

export async function cancelTask({ call, params }: PageRequest): Promise<Redirect> {
  await call('cancelTask', { params: { id: params.id } });
  return { to: `/tasks/${params.id}`, note: 'Cancelling.' };
}
