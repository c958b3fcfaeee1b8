import { PNG } from 'pngjs';
import { expect, test } from 'vitest';
import { differenceOf } from './compare-pictures.ts';

/** @param at the grey value of a pixel, 0 to 255 */
function picture(width: number, height: number, at: (x: number, y: number) => number): Buffer {
  const png = new PNG({ width, height });
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) png.data.set([at(x, y), at(x, y), at(x, y), 255], 4 * (y * width + x));
  return PNG.sync.write(png);
}

test('differenceOf returns the share of changed pixels and marks them red', () => {
  const before = picture(10, 10, () => 255);
  const after = picture(10, 10, (x) => (x < 3 ? 230 : 255));
  expect(differenceOf(before, before).changed).toBe(0);
  const { changed, width, height, png } = differenceOf(before, after);
  expect([changed, width, height]).toEqual([0.3, 10, 10]);
  const marked = PNG.sync.read(png).data;
  expect([...marked.subarray(0, 3)]).toEqual([255, 0, 0]);
  expect(marked[4 * 9]).toBe(marked[4 * 9 + 1]);
});

test('differenceOf validates PNG headers and sizes before it decodes', () => {
  const fine = picture(2, 2, () => 0);
  expect(() =>
    differenceOf(
      fine,
      picture(3, 2, () => 0),
    ),
  ).toThrow('same size');
  expect(() =>
    differenceOf(Buffer.from('no picture at all, but long enough to hold a header'), fine),
  ).toThrow('no PNG');
  const huge = Buffer.from(fine);
  huge.writeUInt32BE(1_000_000, 16);
  expect(() => differenceOf(huge, huge)).toThrow('too large');
  const interlaced = Buffer.from(fine);
  interlaced[28] = 1;
  expect(() => differenceOf(fine, interlaced)).toThrow('interlaced');
  expect(() => differenceOf(fine, fine.subarray(0, 20))).toThrow('no PNG');
  expect(() => differenceOf(fine, Buffer.concat([fine.subarray(0, 40), Buffer.alloc(10)]))).toThrow();
});
