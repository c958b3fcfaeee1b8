// What tells directories of the same name apart.
import path from 'node:path';

/** The folders above a directory, as many as no other one of its name has; '' where there is no other. */
export function placeText(dir: string, all: readonly string[]): string {
  const others = all.filter((one) => one !== dir && path.basename(one) === path.basename(dir));
  const tailOf = (of: string, count: number) => path.dirname(of).split(path.sep).slice(-count).join(path.sep);
  let count = 1;
  while (others.some((other) => tailOf(other, count) === tailOf(dir, count))) count += 1;
  return others.length === 0 ? '' : tailOf(dir, count);
}
