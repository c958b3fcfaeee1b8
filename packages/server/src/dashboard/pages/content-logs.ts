// The processes of an application with their resource usage, or the renderings of a document, and their logs.
import { engineOf } from '@pressroom/api/contract';
import { usageOf } from '../../jobs/process-usage.ts';
import { listJobs } from '../../jobs/store.ts';
import { html } from '../html.ts';
import { apiPath, type Page, type PageRequest } from '../page.ts';
import { bytes, LINES_SHOWN, table, time } from '../parts.ts';
import { contentPage, loadItem } from './content-frame.ts';
import { titleOf } from './content-variants.ts';

export async function contentLogs(request: PageRequest): Promise<Page> {
  const { call, params, query, root } = request;
  const item = await loadItem(request);
  const guid = params.guid;
  const jobs = await call('getContentJobs', { params: { guid } });
  const key = query.get('process') ?? jobs[0]?.key;
  const chosen = jobs.find((job) => job.key === key);
  const usage = await usageHere(request, item.guid);
  const isRendered = engineOf(item.app_mode) === 'document' || jobs.some(({ pid }) => pid === null);
  const variants = isRendered ? await call('getContentVariants', { params: { guid } }) : [];
  const variantOf = (id: string | null) => {
    const variant = variants.find(({ key: one }) => one === id);
    return variant ? titleOf(variant) : null;
  };
  const rows = jobs.map((job) => [
    html`<a
      href="${root}/content/${guid}/logs?process=${job.key}"
      ${job === chosen && html`aria-current="true"`}
      >${job.key}</a
    >`,
    ...(isRendered ? [variantOf(job.variant_id)] : []),
    job.bundle_id,
    time(job.start_time),
    job.end_time && time(job.end_time),
    ...(isRendered ? [] : [usage.get(job.key)?.memory ?? null, usage.get(job.key)?.cpu ?? null]),
    job.end_time === null ? html`<span class="good">running</span>` : job.outcome,
  ]);
  const head = isRendered
    ? ['Rendering', 'Variant', 'Bundle', 'Started', 'Ended', 'Outcome']
    : ['Process', 'Bundle', 'Started', 'Ended', 'Memory', 'CPU', 'Outcome'];
  const empty = isRendered
    ? 'There are no logs. One begins when this document is rendered.'
    : 'There are no logs. One begins when a process of this content starts.';
  const read = { params: { guid, key: chosen?.key ?? '' }, query: { maxLogLines: LINES_SHOWN } };
  const log = chosen && (await call('getContentJobLog', read));
  const entries = log?.entries ?? [];
  const leftOut = (log?.last ?? 0) - entries.length;
  const text = entries.map((entry) => `${entry.timestamp}  ${entry.data}\n`).join('');
  const address = apiPath(request, `/v1/content/${guid}/jobs/${chosen?.key}/log?wait=20`);
  const live = chosen?.status === 0 && html`data-follow="${address}" data-lines="${log?.last ?? 0}"`;
  const shown =
    chosen &&
    html`<h2>Log of ${chosen.key}</h2>
      ${leftOut > 0 && html`<p>Lines before these: ${leftOut}. The download has those that are kept.</p>`}
      <pre role="log" tabindex="0" aria-label="Log of ${chosen.key}" data-log ${live}>
${text || 'No output.'}</pre>
      <p><a href="${root}/content/${guid}/logs/${chosen.key}/download">Download this log</a></p>`;
  return contentPage(
    request,
    item,
    'logs',
    html`${shown}${table(isRendered ? 'Renderings' : 'Processes', head, rows, empty)}`,
  );
}

/** Resource usage of the processes on this server, by key; unknown for other servers. */
async function usageHere({ parts }: PageRequest, guid: string) {
  const { storage, jobs } = parts;
  const open = (await listJobs(storage.db, guid)).filter(
    (job) => job.ended === null && job.node === jobs.node,
  );
  const usage = await usageOf(open.map(({ pid }) => pid));
  return new Map(
    open.flatMap(({ key, pid }) => {
      const used = usage.get(pid);
      return used ? [[key, { memory: bytes(used.memory), cpu: `${Math.round(used.cpu * 100)} %` }]] : [];
    }),
  );
}
