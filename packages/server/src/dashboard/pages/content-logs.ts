// The processes that ran a content item, and what they printed.
import { html } from '../html.ts';
import type { Page, PageRequest } from '../page.ts';
import { table, time } from '../parts.ts';
import { contentPage, loadItem } from './content-frame.ts';

export async function contentLogs(request: PageRequest): Promise<Page> {
  const { call, params, query, root } = request;
  const item = await loadItem(request);
  const guid = params.guid;
  const jobs = await call('getContentJobs', { params: { guid } });
  const key = query.get('process') ?? jobs[0]?.key;
  const chosen = jobs.find((job) => job.key === key);
  const rows = jobs.map((job) => [
    html`<a
      href="${root}/content/${guid}/logs?process=${job.key}"
      ${job === chosen && html`aria-current="true"`}
      >${job.key}</a
    >`,
    job.bundle_id,
    time(job.start_time),
    job.end_time === null ? html`<span class="good">running</span>` : time(job.end_time),
    job.outcome,
  ]);
  const head = ['Process', 'Bundle', 'Started', 'Ended', 'Outcome'];
  const log = chosen && (await call('getContentJobLog', { params: { guid, key: chosen.key } }));
  const text = log?.entries.map((entry) => `${entry.timestamp}  ${entry.data}\n`).join('');
  const address = `${root.replace(/\/__dashboard__$/, '')}/__api__/v1/content/${guid}/jobs/${chosen?.key}/log?wait=20`;
  const live = chosen?.status === 0 && html`data-follow="${address}" data-lines="${log?.last ?? 0}"`;
  const shown =
    chosen &&
    html`<h2>Log of ${chosen.key}</h2>
      <pre tabindex="0" aria-label="Log of ${chosen.key}" data-log ${live}>${text || 'No output.'}</pre>`;
  return contentPage(request, item, 'logs', html`${shown}${table('Processes', head, rows)}`);
}
