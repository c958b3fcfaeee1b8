// Distinguishes directories with the same name.
import path from 'node:path';

/** As many parent folders as distinguish a directory from others with its name; '' if there are none. */
export function placeText(dir: string, all: readonly string[]): string {
  const others = all.filter((one) => one !== dir && path.basename(one) === path.basename(dir));
  const tailOf = (of: string, count: number) => path.dirname(of).split(path.sep).slice(-count).join(path.sep);
  let count = 1;
  while (others.some((other) => tailOf(other, count) === tailOf(dir, count))) count += 1;
  return others.length === 0 ? '' : tailOf(dir, count);
}
