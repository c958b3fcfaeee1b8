// Compares two bundles as a reader sees them: pictures with changed pixels marked, and numbers that moved.
import { errors, type MovedNumbers } from '@pressroom/api/contract';
import { html, type Html } from '../html.ts';
import type { Page, PageRequest } from '../page.ts';
import { table } from '../parts.ts';
import { contentPage, loadItem } from './content-frame.ts';

export async function comparePages(request: PageRequest): Promise<Page> {
  const { call, params, query, root } = request;
  const item = await loadItem(request);
  const [since, id] = [query.get('from') ?? '', query.get('to') ?? ''];
  if (!/^\d{1,15}$/.test(since) || !/^\d{1,15}$/.test(id))
    throw errors.invalidParameter({ message: 'Choose two bundles to compare.' });
  const bundles = { params: { guid: params.guid, id }, query: { since } };
  const found = await call('compareBundlePages', bundles);
  const numbers = await call('compareBundleNumbers', bundles);
  const { before, after, difference, changed, width, height } = found;
  const shown = [
    [`Bundle ${before.bundle_id}`, before.image],
    [`Bundle ${after.bundle_id}`, after.image],
    ['What differs', difference],
  ] as const;
  const figures = shown.map(
    ([title, image]) =>
      html`<figure>
        <img src="data:image/png;base64,${image}" alt="${title}" width="${width}" height="${height}" />
        <figcaption>${title}</figcaption>
      </figure>`,
  );
  const link = `${root}/content/${item.guid}/bundles/compare?from=${since}&to=${id}`;
  const body = html`<h2>What readers see of bundle ${since} and bundle ${id}</h2>
    <p>${shareOf(changed)} of the first screen differs. <a href="${link}">Changed files</a></p>
    <div class="pictures">${figures}</div>
    ${numbersPart(numbers)}`;
  return contentPage(request, item, 'bundles', body, `Pages of bundles ${since} and ${id}`);
}

function numbersPart({ moved, more }: MovedNumbers): Html | '' {
  if (moved.length === 0) return '';
  const rows = moved.map(({ table: name, row, column, before, after, percent }) => [
    name,
    row,
    column,
    before,
    after,
    percent === null ? '' : `${percent > 0 ? '+' : ''}${percent} %`,
  ]);
  return html`<h2>Numbers that moved</h2>
    ${table('Numbers that moved', ['Table', 'Row', 'Column', 'Before', 'After', 'Change'], rows)}
    ${more > 0 && html`<p>${more} more moved.</p>`}`;
}

/** Never shows a difference as 0 %. */
function shareOf(changed: number): string {
  const percent = changed * 100;
  if (percent > 0 && percent < 0.1) return 'Less than 0.1 %';
  return `${percent.toFixed(1)} %`;
}
