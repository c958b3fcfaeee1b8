// Quiet hours of a channel and the time of its weekly digest, in UTC.

const HOUR = 3_600_000;

/** @param quiet as in `22-7`; null for none. @param time milliseconds. */
export function isQuiet(quiet: string | null, time: number): boolean {
  const span = quiet === null ? null : parseQuiet(quiet);
  if (!span) return false;
  const hour = new Date(time).getUTCHours();
  return span.from < span.to ? hour >= span.from && hour < span.to : hour >= span.from || hour < span.to;
}

/** The Monday of a week, eight in the morning: when digests go out. */
export function digestTime(time: number): number {
  const day = Math.floor(time / (24 * HOUR));
  const monday = day - ((day + 3) % 7);
  const due = monday * 24 * HOUR + 8 * HOUR;
  return due <= time ? due : due - 7 * 24 * HOUR;
}

/** The hours of `22-7`; null for anything else. */
export function parseQuiet(text: string): { from: number; to: number } | null {
  const [, from, to] = /^(\d{1,2})-(\d{1,2})$/.exec(text) ?? [];
  if (from === undefined || to === undefined) return null;
  const span = { from: Number(from), to: Number(to) };
  return span.from < 24 && span.to < 24 && span.from !== span.to ? span : null;
}
