// Converts schedules of older clients ("every 2 hours", "the 1st and 15th") to and from cron patterns.
import { errors } from '@pressroom/api/contract';
import type { Micros } from '../platform/database/schema.ts';
import { requireTimeZone } from './time-zones.ts';

export interface Recurrence {
  readonly type: string;
  /** Such as `{ N: 2 }`. */
  readonly rule: Readonly<Record<string, unknown>>;
}

/** Local time of the start, which determines the minute, hour or weekday of later runs. */
interface Start {
  readonly minute: number;
  readonly hour: number;
  readonly day: number;
  readonly month: number;
  /** 0 is Sunday. */
  readonly weekday: number;
}

/** @throws ApiError 25 for rules that cron cannot express, such as every 5 days */
export function cronOf({ type, rule }: Recurrence, start: Micros, timezone: string): string {
  const { minute, hour, day, month, weekday } = wallClock(start, timezone);
  const at = `${minute} ${hour}`;
  switch (type) {
    case 'minute':
      return `${every(whole(rule, 'N', 1, 59), minute, 0, 59)} * * * *`;
    case 'hour':
      return `${minute} ${every(whole(rule, 'N', 1, 23), hour, 0, 23)} * * *`;
    case 'day':
      return `${at} ${once(rule, type)} * *`;
    case 'weekday':
      return `${at} * * 1-5`;
    case 'week':
      once(rule, type);
      return `${at} * * ${weekday}`;
    case 'dayofweek':
      return `${at} * * ${daysOf(rule).join(',')}`;
    case 'semimonth':
      return `${at} ${rule.First === false ? '14,L' : '1,15'} * *`;
    case 'dayofmonth':
      return `${at} ${whole(rule, 'Day', 1, 31)} ${every(whole(rule, 'N', 1, 11), month, 1, 12)} *`;
    case 'dayweekofmonth':
      return `${at} * ${every(whole(rule, 'N', 1, 11), month, 1, 12)} ${whole(rule, 'Day', 0, 6)}#${whole(rule, 'Week', 1, 5)}`;
    case 'year':
      once(rule, type);
      return `${at} ${day} ${month} *`;
    default:
      throw errors.invalidParameter({ message: `there is no schedule of the type "${type}"` });
  }
}

const PLACE = String.raw`(?:\*|(?:\d+-\d+|\*)/(\d+))`;
/** Patterns created by `cronOf`, in order of precedence; groups are the parts of the rule. */
const FORMS: readonly (readonly [RegExp, string, (...groups: string[]) => Recurrence['rule']])[] = [
  [new RegExp(`^${PLACE} \\* \\* \\* \\*$`), 'minute', (n) => ({ N: Number(n ?? 1) })],
  [new RegExp(`^\\d+ ${PLACE} \\* \\* \\*$`), 'hour', (n) => ({ N: Number(n ?? 1) })],
  [/^\d+ \d+ \* \* \*$/, 'day', () => ({ N: 1 })],
  [/^\d+ \d+ \* \* 1-5$/, 'weekday', () => ({})],
  [/^\d+ \d+ \* \* ([0-6](?:,[0-6])*)$/, 'dayofweek', (days = '') => ({ Days: days.split(',').map(Number) })],
  [/^\d+ \d+ 1,15 \* \*$/, 'semimonth', () => ({ First: true })],
  [/^\d+ \d+ 14,L \* \*$/, 'semimonth', () => ({ First: false })],
  [
    new RegExp(`^\\d+ \\d+ (\\d+) ${PLACE} \\*$`),
    'dayofmonth',
    (day, n) => ({ N: Number(n ?? 1), Day: Number(day) }),
  ],
  [
    new RegExp(`^\\d+ \\d+ \\* ${PLACE} ([0-6])#([1-5])$`),
    'dayweekofmonth',
    (n, day, week) => ({ N: Number(n ?? 1), Day: Number(day), Week: Number(week) }),
  ],
  [/^\d+ \d+ \d+ \d+ \*$/, 'year', () => ({ N: 1 })],
];

/** The rule of a cron pattern; the pattern itself if no rule expresses it. */
export function recurrenceOf(cron: string): Recurrence {
  for (const [pattern, type, ruleOf] of FORMS) {
    const match = pattern.exec(cron);
    if (match) return { type, rule: ruleOf(...match.slice(1)) };
  }
  return { type: 'cron', rule: { Cron: cron } };
}

/** A cron field with a step, aligned to include the start. */
function every(step: number, start: number, first: number, last: number): string {
  const units = last - first + 1;
  if (units % step !== 0) throw unsayable(`every ${step} of ${units}`);
  if (step === 1) return '*';
  const offset = first + ((start - first) % step);
  return offset === first ? `*/${step}` : `${offset}-${last}/${step}`;
}

/** A cron field that always matches. */
function once(rule: Recurrence['rule'], type: string): '*' {
  if (rule.N !== 1) throw unsayable(`every ${JSON.stringify(rule.N)} ${type}s`);
  return '*';
}

function whole(rule: Recurrence['rule'], name: string, least: number, most: number): number {
  const value = rule[name] ?? (name === 'N' ? 1 : undefined);
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most)
    throw errors.invalidParameter({ message: `${name} of the schedule must be ${least} to ${most}` });
  return value;
}

function daysOf({ Days }: Recurrence['rule']): number[] {
  const isDay = (day: unknown): day is number =>
    typeof day === 'number' && [0, 1, 2, 3, 4, 5, 6].includes(day);
  if (!Array.isArray(Days) || Days.length === 0 || !Days.every(isDay))
    throw errors.invalidParameter({ message: 'Days of the schedule must be numbers from 0, Sunday, to 6' });
  return [...new Set(Days)].toSorted((a, b) => a - b);
}

function unsayable(what: string) {
  return errors.invalidParameter({
    message: `schedules do not repeat ${what}: choose a step that divides the whole, or set a cron pattern`,
  });
}

/** @throws ApiError 25 for an invalid time zone */
function wallClock(time: Micros, timeZone: string): Start {
  requireTimeZone(timeZone);
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    minute: 'numeric',
    hour: 'numeric',
    day: 'numeric',
    month: 'numeric',
    weekday: 'short',
  });
  const numbers: Record<string, string> = {};
  for (const { type, value } of format.formatToParts(new Date(time / 1000))) numbers[type] = value;
  return {
    minute: Number(numbers.minute),
    hour: Number(numbers.hour),
    day: Number(numbers.day),
    month: Number(numbers.month),
    weekday: ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'].indexOf(numbers.weekday ?? ''),
  };
}
