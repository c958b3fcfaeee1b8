// Parses a point in time as people write it: a day, a time, or a duration from now.
import { UsageError } from '../exit-codes.ts';

const LASTS = { h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 } as const;

/**
 * RFC 3339, in UTC; null for `never`. A day is included completely, in the machine's time zone.
 * @param now milliseconds
 * @throws UsageError for invalid text, or a time in the past
 */
export function readMoment(text: string, now: number): string | null {
  if (text === 'never') return null;
  const lasting = /^([1-9]\d{0,4})([hdw])$/.exec(text);
  const time =
    lasting === null
      ? parseTime(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T23:59:59` : text)
      : now + Number(lasting[1]) * LASTS[lasting[2] as keyof typeof LASTS];
  if (Number.isNaN(time))
    throw new UsageError(
      `Not a time: ${text}.`,
      'Use a day (2026-12-31), a time (2026-12-31T18:00:00Z), a duration (12h, 7d, 2w), or never.',
    );
  if (time <= now) throw new UsageError(`${text} is in the past.`);
  return new Date(time).toISOString();
}

/** Milliseconds; NaN for other text and for days that do not exist, which `Date.parse` moves to the next month. */
function parseTime(text: string): number {
  const [day] = /^\d{4}-\d\d-\d\d/.exec(text) ?? [];
  const isDay = day === undefined || new Date(Date.parse(day) || 0).toISOString().startsWith(day);
  return isDay ? Date.parse(text) : Number.NaN;
}
