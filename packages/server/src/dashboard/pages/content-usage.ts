// Visits and sessions of a content item, by day.
import { loadContent } from '../../content/commands.ts';
import { dailyUsage } from '../../usage/store.ts';
import { usageChart, type Day } from '../chart.ts';
import { html } from '../html.ts';
import type { Page, PageRequest } from '../page.ts';
import { contentPage, loadItem } from './content-frame.ts';

const DAY_MS = 86_400_000;
const PERIODS = [7, 30, 90];

export async function contentUsage(request: PageRequest): Promise<Page> {
  const { parts, caller, params, query, root } = request;
  const { storage, clock } = parts;
  const item = await loadItem(request);
  const { content } = await loadContent(storage.db, params.guid, caller, 'readJobs');
  const asked = Number(query.get('days'));
  const count = PERIODS.includes(asked) ? asked : 30;
  const today = Math.floor(clock.now() / 1000 / DAY_MS);
  const first = today - count + 1;
  const found = await dailyUsage(storage.db, content.guid, first);
  const days = Array.from({ length: count }, (_, i): Day => {
    const { visits = 0, sessions = 0 } = found.get(first + i) ?? {};
    return { date: new Date((first + i) * DAY_MS).toISOString().slice(0, 10), visits, sessions };
  });
  const links = PERIODS.map(
    (period) =>
      html`<a
        href="${root}/content/${content.guid}/usage?days=${period}"
        ${period === count && html`aria-current="true"`}
        >${period} days</a
      > `,
  );
  return contentPage(
    request,
    item,
    'usage',
    html`<p>Last ${links}</p>
      ${usageChart(days)}`,
  );
}
