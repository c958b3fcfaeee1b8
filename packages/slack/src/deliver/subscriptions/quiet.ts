// Quiet hours of a channel and times of its digests, in the subscriber's time zone.

/** Time zones differ by quarters of an hour. */
const QUARTER = 900_000;
const HOUR = 4 * QUARTER;
const DAY = 86_400_000;

const FORMATS = new Map<string, Intl.DateTimeFormat>();

interface LocalTime {
  readonly hour: number;
  /** Mon, Tue … */
  readonly day: string;
}

/** @param zone IANA time zone; invalid ones count as UTC. */
function localTime(time: number, zone: string): LocalTime {
  let format = FORMATS.get(zone);
  if (!format) {
    const timeZone = isZone(zone) ? zone : 'UTC';
    const options = {
      timeZone,
      hourCycle: 'h23',
      weekday: 'short',
      hour: 'numeric',
    } as const;
    FORMATS.set(zone, (format = new Intl.DateTimeFormat('en-GB', options)));
  }
  const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, value]));
  return {
    hour: Number(parts.get('hour')),
    day: parts.get('weekday') ?? '',
  };
}

export function isZone(zone: string): boolean {
  try {
    return Intl.DateTimeFormat('en', { timeZone: zone }) !== undefined;
  } catch {
    return false;
  }
}

/** @param quiet such as `22-7`; null for none. @param time milliseconds. */
export function isQuiet(quiet: string | null, time: number, zone = 'UTC'): boolean {
  const span = quiet === null ? null : parseQuiet(quiet);
  if (!span) return false;
  const { hour } = localTime(time, zone);
  return span.from < span.to ? hour >= span.from && hour < span.to : hour >= span.from || hour < span.to;
}

/** When the quiet hours of that time end; the time itself outside of them. */
export function quietEnd(quiet: string | null, time: number, zone = 'UTC'): number {
  let end = time;
  while (isQuiet(quiet, end, zone)) end = (Math.floor(end / QUARTER) + 1) * QUARTER;
  return end;
}

export interface DigestPlan {
  readonly every: 'day' | 'week';
  readonly hour: number;
  readonly zone: string;
}

/**
 * The last digest time up to `time`, daily or on Mondays: where its hour begins, or where the day goes on if a clock
 * change skips it. An hour that is repeated has one.
 */
export function digestTime(time: number, { every, hour, zone }: DigestPlan): number {
  let moment = Math.floor(time / QUARTER) * QUARTER;
  let day = every === 'week' ? 'Mon' : null;
  const isAfter = (at: number): boolean => {
    const local = localTime(at, zone);
    return local.hour >= hour && (day ?? local.day) === local.day;
  };
  for (const oldest = moment - 8 * DAY; moment > oldest && !isAfter(moment);) moment -= HOUR;
  ({ day } = localTime(moment, zone));
  for (const step of [HOUR, QUARTER]) while (isAfter(moment - step)) moment -= step;
  return moment;
}

/** The hours of `22-7`; null if invalid. */
export function parseQuiet(text: string): { from: number; to: number } | null {
  const [, from, to] = /^(\d{1,2})-(\d{1,2})$/.exec(text) ?? [];
  if (from === undefined || to === undefined) return null;
  const span = { from: Number(from), to: Number(to) };
  return span.from < 24 && span.to < 24 && span.from !== span.to ? span : null;
}

/** The digest of a subscription; null for none. */
export function digestPlanOf(subscription: {
  readonly filters: string;
  readonly digest_hour: number;
  readonly zone: string;
}): DigestPlan | null {
  const words = subscription.filters.split(',');
  const every = words.includes('usage-daily') ? 'day' : words.includes('usage-weekly') ? 'week' : null;
  return every === null ? null : { every, hour: subscription.digest_hour, zone: subscription.zone };
}
