import { expect, test } from 'vitest';
import { publishedNode } from './content-of.ts';

test('publishedNode accepts nothing but rows of the tree', () => {
  const record = { server: 'https://x', guid: 'g' };
  expect(publishedNode({ dir: '/a', record })).toEqual({ dir: '/a', record });
  for (const other of [undefined, null, 'x', 3, [], {}, { dir: '/a' }, { record }, { dir: 1, record: {} }])
    expect(publishedNode(other)).toBeUndefined();
});
