import { expect, test } from 'vitest';
import { placeText } from './place-text.ts';

test('directories of the same name are told apart by as few folders above them as it takes', () => {
  const all = [
    '/folder/north/app/report',
    '/folder/south/app/report',
    '/folder/report',
    '/folder/other',
    '/report',
  ];
  expect(all.map((dir) => placeText(dir, all))).toEqual(['north/app', 'south/app', 'folder', '', '']);
});
