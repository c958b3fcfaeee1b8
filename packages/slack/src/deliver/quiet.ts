// Quiet hours of a channel, in UTC.
import { parseQuiet } from '../commands/line/parse.ts';

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
