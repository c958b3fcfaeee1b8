// Suggests words close to a mistyped one.

/** Maximum characters compared: names are shorter, and the cost is quadratic. */
const COMPARED = 64;

/** Edits (insert, delete, replace, swap neighbours) from one word to the other. */
export function distance(left: string, right: string): number {
  const a = left.slice(0, COMPARED);
  const b = right.slice(0, COMPARED);
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) cost = Math.min(cost, before[j - 2]! + 1);
      next.push(cost);
    }
    before = row;
    row = next;
  }
  return row[b.length]!;
}

/** Up to `count` likely candidates, nearest first. */
export function nearest(word: string, candidates: Iterable<string>, count = 3): string[] {
  const wanted = word.toLowerCase();
  const allowed = Math.max(2, Math.ceil(wanted.length / 3));
  return [...new Set(candidates)]
    .map((candidate) => ({ candidate, edits: editsTo(wanted, candidate.toLowerCase(), allowed) }))
    .filter(({ edits }) => edits <= allowed)
    .sort((a, b) => a.edits - b.edits || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, count)
    .map(({ candidate }) => candidate);
}

function editsTo(wanted: string, candidate: string, allowed: number): number {
  if (wanted.length > 2 && candidate.startsWith(wanted)) return 0;
  const compared = ({ length }: string) => Math.min(length, COMPARED);
  // Each character too many is an edit: most of thousands of names need no comparison.
  const tooMany = Math.abs(compared(wanted) - compared(candidate));
  return tooMany > allowed ? Infinity : distance(wanted, candidate);
}
