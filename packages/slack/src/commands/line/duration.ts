// Parses durations as people type them.

const UNITS: Readonly<Record<string, number>> = {
  h: 3600,
  d: 86_400,
  w: 604_800,
  m: 2_592_000,
  y: 31_536_000,
};
const MAX_SECONDS = 2 * 31_536_000;

/** Seconds of `24h`, `7d`, `4w`, `3m`, `1y`; null for anything else, or more than two years. */
export function parseDuration(text: string): number | null {
  const [, count, unit] = /^(\d{1,5})([hdwmy])$/i.exec(text) ?? [];
  const seconds = Number(count) * (UNITS[unit?.toLowerCase() ?? ''] ?? Number.NaN);
  return seconds > 0 && seconds <= MAX_SECONDS ? seconds : null;
}

/** Start of a valid duration that ends now, in milliseconds. */
export function startOf(duration: string, now: number): number {
  return now - (parseDuration(duration) ?? 0) * 1000;
}
