// How many lines differ between two texts, as a line-by-line comparison counts them (Myers, An O(ND) Difference Algorithm).

export interface LineCounts {
  readonly added: number;
  readonly removed: number;
}

/** Differences that are followed; beyond, everything between the first and the last difference counts. */
const MOST = 1500;

export function lineCounts(before: string, after: string): LineCounts {
  let [old, fresh] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (
    end < Math.min(old.length, fresh.length) - start &&
    old[old.length - 1 - end] === fresh[fresh.length - 1 - end]
  )
    end += 1;
  old = old.slice(start, old.length - end);
  fresh = fresh.slice(start, fresh.length - end);
  const distance = distanceOf(old, fresh) ?? old.length + fresh.length;
  const added = (distance + fresh.length - old.length) / 2;
  return { added, removed: distance - added };
}

/** Lines added and removed together; null for more than are followed. */
function distanceOf(old: readonly string[], fresh: readonly string[]): number | null {
  const furthest = new Map<number, number>([[1, 0]]);
  for (let distance = 0; distance <= Math.min(MOST, old.length + fresh.length); distance += 1) {
    for (let k = -distance; k <= distance; k += 2) {
      const [left, right] = [furthest.get(k - 1) ?? -1, furthest.get(k + 1) ?? -1];
      let x = k === -distance || (k !== distance && left < right) ? right : left + 1;
      while (x < old.length && x - k < fresh.length && old[x] === fresh[x - k]) x += 1;
      furthest.set(k, x);
      if (x >= old.length && x - k >= fresh.length) return distance;
    }
  }
  return null;
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
