// R's package versions, ordered as R's own package_version() orders them.

/** Whether a text is a version that R takes for one: two numbers at least, with "." or "-" between. */
export function isVersion(text: string): boolean {
  return text.length <= 64 && /^\d{1,9}([.-]\d{1,9})+$/.test(text);
}

/** Below 0 when `a` is older than `b`. "." and "-" mean the same, and 1.0 is as old as 1.0.0, as in R. */
export function compareVersions(a: string, b: string): number {
  const left = a.split(/[.-]/).map(Number);
  const right = b.split(/[.-]/).map(Number);
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
