// The tasks of all content for administrators: deploys, renders, restarts, and their results.
import { toTimestamp } from '../../platform/clock.ts';
import { newestTasks } from '../../tasks/store.ts';
import { html } from '../html.ts';
import { type Page, type PageRequest, requireAdministrator } from '../page.ts';
import { duration, pageNumber, table, time } from '../parts.ts';

const PAGE = 100;

export async function tasks(request: PageRequest): Promise<Page> {
  const { parts, query, root } = request;
  await requireAdministrator(request);
  const failed = query.has('failed');
  const number = pageNumber(request);
  const found = await newestTasks(parts.storage.db, { failed, limit: PAGE, offset: (number - 1) * PAGE });
  const rows = found.map((task) => [
    html`<a href="${root}/tasks/${task.id}">${task.kind}</a>`,
    task.content_guid &&
      html`<a href="${root}/content/${task.content_guid}">${task.name ?? task.content_guid}</a>`,
    task.username,
    time(toTimestamp(task.created_time)),
    task.finished_time === null ? null : duration(task.finished_time - task.created_time),
    task.finished === 0
      ? 'running'
      : task.code === 0
        ? html`<span class="good">Succeeded</span>`
        : html`<span class="bad">${task.error}</span>`,
  ]);
  const filter = failed
    ? html`<a href="${root}/tasks">All tasks</a>`
    : html`<a href="${root}/tasks?failed=on">Only failed tasks</a>`;
  const link = (page: number, label: string) => {
    const address = new URLSearchParams({ page: String(page), ...(failed && { failed: 'on' }) }).toString();
    return html`<a href="${root}/tasks?${address}">${label}</a> `;
  };
  const more = html`<p>
    ${number > 1 && link(number - 1, 'Newer tasks')}${found.length === PAGE && link(number + 1, 'Older tasks')}
  </p>`;
  return {
    title: 'Tasks',
    section: 'server',
    body: html`<p>${filter}</p>
      ${table('Tasks', ['Task', 'Content', 'By', 'Started', 'Took', 'Outcome'], rows, failed ? 'No task failed.' : 'Nothing was deployed yet.')}${more}`,
  };
}
