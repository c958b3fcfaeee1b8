// Visits and sessions of a content item: by day with new versions marked, by person and by version.
import { loadContent } from '../../content/commands.ts';
import { seesAccount } from '../../people/policy.ts';
import { findUsers } from '../../people/store.ts';
import { dailyUsage, deployedBundles, usageParts } from '../../usage/summary-store.ts';
import { usageChart, type Day } from '../chart.ts';
import { html } from '../html.ts';
import type { Page, PageRequest } from '../page.ts';
import { table } from '../parts.ts';
import { contentPage, loadItem } from './content-frame.ts';

const DAY_MS = 86_400_000;
const PERIODS = [7, 30, 90];
/** Maximum rows of people and versions. */
const SHOWN = 50;

export async function contentUsage(request: PageRequest): Promise<Page> {
  const { parts, caller, query, root } = request;
  const { storage, clock } = parts;
  const item = await loadItem(request);
  const { content } = await loadContent(storage.db, item.guid, caller, 'readJobs');
  const chosen = Number(query.get('days'));
  const count = PERIODS.includes(chosen) ? chosen : 30;
  const today = Math.floor(clock.now() / 1000 / DAY_MS);
  const first = today - count + 1;
  const from = first * DAY_MS * 1000;
  const found = await dailyUsage(storage.db, content.guid, first);
  const dateOf = (micros: number) => new Date(micros / 1000).toISOString().slice(0, 10);
  const days = Array.from({ length: count }, (_, i): Day => {
    const { visits = 0, sessions = 0 } = found.get(first + i) ?? {};
    return { date: new Date((first + i) * DAY_MS).toISOString().slice(0, 10), visits, sessions };
  });
  const deployed = await deployedBundles(storage.db, content.guid, from);
  const marks = deployed.flatMap(({ id, deployed_time: time }) =>
    time === null ? [] : [{ date: dateOf(time), label: `bundle ${id}` }],
  );
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
      ${usageChart(days, marks)} ${await partsOf(request, content.guid, from)}`,
  );
}

async function partsOf({ parts, caller }: PageRequest, guid: string, from: number) {
  const { storage, config } = parts;
  const { people, bundles } = await usageParts(storage.db, guid, from);
  const shown = people.slice(0, SHOWN);
  const guids = shown.flatMap(([user]) => (user !== null && seesAccount(config, caller, user) ? [user] : []));
  const names = new Map((await findUsers(storage.db, guids)).map((user) => [user.guid, user.username]));
  const nameOf = (user: string | null) => (user === null ? 'not signed in' : (names.get(user) ?? user));
  return html`<h2>By person</h2>
    ${table(
      'Visits and sessions by person',
      ['Person', 'Visits and sessions'],
      shown.map(([user, n]) => [nameOf(user), String(n)]),
    )}
    <h2>By version</h2>
    ${table(
      'Visits and sessions by version',
      ['Bundle', 'Visits and sessions'],
      bundles.slice(0, SHOWN).map(([id, n]) => [id === null ? 'not known' : String(id), String(n)]),
    )}`;
}
