// How much two pictures of the same size differ, and where.
import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';

export interface Difference {
  /** Share of pixels that differ, from 0 to 1. */
  readonly changed: number;
  readonly width: number;
  readonly height: number;
  /** Differences in red, over the second picture in grey. */
  readonly png: Buffer;
}

/** Offsets of width and height in a PNG. */
const [WIDTH_AT, HEIGHT_AT] = [16, 20];
/**
 * Offset of the interlace flag: interlaced pictures would be decoded without a limit, and browsers do not create them.
 */
const INTERLACED_AT = 28;
/** Larger than any picture taken here: the browser's output is checked before it is decoded. */
const MAX_SIDE = 4096;
/** Both were taken by the same browser: differences in antialiasing and shade count as changes, too. */
const OPTIONS = { threshold: 0.02, includeAA: true };
const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

/** @throws Error for an invalid PNG, or for different sizes */
export function differenceOf(before: Buffer, after: Buffer): Difference {
  const [width, height] = sizeOf(before);
  const other = sizeOf(after);
  if (width !== other[0] || height !== other[1]) throw new Error('the pictures are not of the same size');
  const result = new PNG({ width, height });
  const [first, second] = [PNG.sync.read(before).data, PNG.sync.read(after).data];
  const count = pixelmatch(first, second, result.data, width, height, OPTIONS);
  return { changed: count / (width * height), width, height, png: PNG.sync.write(result) };
}

function sizeOf(png: Buffer): [width: number, height: number] {
  if (png.length < 33 || !png.subarray(0, SIGNATURE.length).equals(SIGNATURE))
    throw new Error('it is no PNG');
  const size: [number, number] = [png.readUInt32BE(WIDTH_AT), png.readUInt32BE(HEIGHT_AT)];
  if (png[INTERLACED_AT] !== 0) throw new Error('the picture is interlaced');
  if (size.some((side) => side === 0 || side > MAX_SIDE)) throw new Error('the picture is too large');
  return size;
}
