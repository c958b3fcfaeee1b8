// R package versions, in the order of R's package_version().

/** Whether R accepts a text as version: at least two numbers, separated by "." or "-". */
export function isVersion(text: string): boolean {
  return text.length <= 64 && /^\d{1,9}([.-]\d{1,9})+$/.test(text);
}

/** Negative if `a` is older than `b`. "." and "-" are equivalent, and 1.0 equals 1.0.0, as in R. */
export function compareVersions(a: string, b: string): number {
  const left = a.split(/[.-]/).map(Number);
  const right = b.split(/[.-]/).map(Number);
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
