import { expect, test } from 'vitest';
import { placeText } from './place-text.ts';

test('distinguishes directories of the same name by as few parent folders as needed', () => {
  const all = [
    '/folder/north/app/report',
    '/folder/south/app/report',
    '/folder/report',
    '/folder/other',
    '/report',
  ];
  expect(all.map((dir) => placeText(dir, all))).toEqual(['north/app', 'south/app', 'folder', '', '']);
});
