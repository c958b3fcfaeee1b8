import { expect, test } from 'vitest';
import { placeText } from './place-text.ts';

test('directories of the same name are told apart by as few folders above them as it takes', () => {
  const all = ['/work/north/app/report', '/work/south/app/report', '/work/report', '/work/other', '/report'];
  expect(all.map((dir) => placeText(dir, all))).toEqual(['north/app', 'south/app', 'work', '', '']);
});
