// Who owns what, and what nobody uses, for administrators.
import { errors } from '@pressroom/api/contract';
import { toTimestamp } from '../../platform/clock.ts';
import { lastUses } from '../../usage/store.ts';
import { html } from '../html.ts';
import type { Page, PageRequest } from '../page.ts';
import { table, time } from '../parts.ts';

const DAY = 86_400_000_000;
const MOST = 500;
const PERIODS = [0, 30, 90, 365];

export async function contentUse({ parts, caller, query, root }: PageRequest): Promise<Page> {
  if (caller.role !== 'administrator') throw errors.operationDenied();
  const asked = Number(query.get('days') ?? 90);
  const days = PERIODS.includes(asked) ? asked : 90;
  const { storage, clock } = parts;
  const since = days === 0 ? Infinity : clock.now() - days * DAY;
  const owner = (query.get('owner') ?? '').trim();
  const all = await lastUses(storage.db, 100_000);
  const found = all.filter(
    ({ last, last_deployed_time, username }) =>
      Math.max(last ?? 0, last_deployed_time ?? 0) < since && (owner === '' || username === owner),
  );
  const rows = found
    .slice(0, MOST)
    .map((item) => [
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
  const cut =
    found.length > MOST && html`<p>The ${MOST} of ${found.length} that were not used for longest.</p>`;
  return {
    title: 'Use of content',
    section: 'server',
    body: html`<p>Show ${links}</p>
      ${of}${cut}${table('Content by last use', ['Content', 'Owner', 'Note', 'Last use', 'Published'], rows)}
      <p class="quiet">
        Visits are kept as long as Usage.Retention says. What was published since counts as used.
      </p>`,
  };
}
