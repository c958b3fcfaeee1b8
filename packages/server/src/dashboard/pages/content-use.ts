// Content by owner, and unused content, for administrators.
import { toTimestamp } from '../../platform/clock.ts';
import { listByLastUse } from '../../usage/summary-store.ts';
import { html } from '../html.ts';
import { type Page, type PageRequest, requireAdministrator } from '../page.ts';
import { pageNumber, paging, table, time } from '../parts.ts';

const DAY = 86_400_000_000;
const SHOWN = 100;
const PERIODS = [0, 30, 90, 365];

export async function contentUse(request: PageRequest): Promise<Page> {
  const { parts, query, root } = request;
  await requireAdministrator(request);
  const period = Number(query.get('days') ?? 90);
  const days = PERIODS.includes(period) ? period : 90;
  const { storage, clock } = parts;
  const owner = (query.get('owner') ?? '').trim();
  const { rows: found, total } = await listByLastUse(storage.db, {
    before: days === 0 ? null : clock.now() - days * DAY,
    owner: owner === '' ? null : owner,
    limit: SHOWN,
    offset: (pageNumber(request) - 1) * SHOWN,
  });
  const rows = found.map((item) => [
    html`<a href="${root}/content/${item.guid}">${item.title ?? item.name}</a>`,
    item.username &&
      html`<a
        href="${root}/content-use?${new URLSearchParams({ days: String(days), owner: item.username }).toString()}"
        >${item.username}</a
      >`,
    item.locked === 1 ? html`<span class="bad">owner is locked</span>` : null,
    time(item.last === null ? null : toTimestamp(item.last)),
    time(item.last_deployed_time === null ? null : toTimestamp(item.last_deployed_time)),
  ]);
  const links = PERIODS.map((period) => {
    const address = new URLSearchParams({ days: String(period), ...(owner !== '' && { owner }) }).toString();
    return html`<a href="${root}/content-use?${address}" ${period === days && html`aria-current="true"`}
      >${period === 0 ? 'all content' : `not used for ${period} days`}</a
    > `;
  });
  const of =
    owner !== '' && html`<p>Of ${owner}. <a href="${root}/content-use?days=${days}">Of everybody</a></p>`;
  return {
    title: 'Use of content',
    section: 'server',
    body: html`<p>Show ${links}</p>
      ${of}${table('Content by last use', ['Content', 'Owner', 'Note', 'Last use', 'Published'], rows)}
      ${paging(request, '/content-use', SHOWN, total, ['content item', 'content items'])}
      <p class="quiet">
        <a href="${root}/unused">Unused content</a> whose owners are asked whether to keep it. Visits are kept
        as long as Usage.Retention says. What was published since counts as used.
      </p>`,
  };
}
