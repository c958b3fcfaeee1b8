import { expect, test } from 'vitest';
import { isAt } from './is-at.ts';

const url = 'https://s.example.com/content/6b1e/';
const item = { url, vanity_url: 'https://s.example.com/Sales/' };

test('content is at its address, and at its custom path in any case with what is below it', () => {
  for (const address of [
    url,
    `${url.slice(0, -1)}?x=1`,
    item.vanity_url,
    'https://s.example.com/sales/a/b#c',
  ])
    expect(isAt(item, address), address).toBe(true);
  for (const address of [
    'https://s.example.com/',
    'https://s.example.com/sales2/',
    'https://other.example.com/sales/',
  ])
    expect(isAt(item, address), address).toBe(false);
});

test('content without a custom path is at its own address alone', () => {
  for (const vanity_url of [null, undefined, ''])
    expect([isAt({ url, vanity_url }, url), isAt({ url, vanity_url }, 'https://s.example.com/')]).toEqual([
      true,
      false,
    ]);
});
