// Covers pages that are too large to be read at once.
import { expect, test } from 'vitest';
import { tablesOf } from './moved-numbers.ts';
import { tablesIn } from './tables-in.ts';

const table = (caption: string, value: string) =>
  `<TABLE class="x"><caption>${caption}</caption><tr><td>Größe</td><td>${value}</td></tr></table >`;
const large = 'ä'.repeat(200_000);

test.each([
  ['between other text', `${large}${table('Sales', '1')}${large}${table('Costs', '2')}`, ['Sales', 'Costs']],
  ['inside another one', `${large}<table>${table('Sales', '1')}</table>`, ['Sales']],
  ['that is not closed', `${large}${table('Sales', '1')}<table><tr><td>2`, ['Sales']],
  ['beyond the limit', `${large}${table('Sales', '1')}${table(large, '2')}`, ['Sales']],
])('finds the tables of a large page, one %s', async (_where, html, names) => {
  const found = await tablesIn(Buffer.from(html));
  expect(found.length).toBeLessThan(large.length);
  expect(tablesOf(found)).toEqual(tablesOf(html));
  expect(tablesOf(html).map(({ name }) => name)).toEqual(names);
});
