// Versions of the API that servers tell.

/** A server without a version is treated as current. */
export function isBefore(
  version: unknown,
  first: { readonly year: number; readonly month: number },
): boolean {
  const [, year, month] = /^(\d{4})\.(\d{1,2})\b/.exec(String(version)) ?? [];
  if (year === undefined) return typeof version === 'string' && version !== '';
  return Number(year) * 12 + Number(month) < first.year * 12 + first.month;
}
