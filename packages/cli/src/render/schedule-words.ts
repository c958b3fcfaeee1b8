// Parses schedules as people type them: "weekdays at 6:00", "every 15 minutes", or a cron pattern.
import { UsageError } from '../exit-codes.ts';

const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** Seconds may come first; the server reports invalid patterns. */
const CRON = /^(@[a-z]+|[\d*?][^\s]*(\s+[^\s]+){4,5})$/i;

/**
 * A cron pattern.
 * @throws UsageError for other words
 */
export function cronOfWords(typed: string): string {
  const words = typed.trim().toLowerCase().replaceAll(/\s+/g, ' ');
  if (CRON.test(words)) return typed.trim();
  const repeated = /^every (?:(\d{1,2}) )?(minute|hour)s?$/.exec(words);
  if (repeated !== null) return everyFew(Number(repeated[1] ?? 1), repeated[2] === 'hour');
  const [, days = '', hour = '', minute = ''] = /^(.+?) at (\d{1,2}):(\d{2})$/.exec(words) ?? [];
  if (days === '' || Number(hour) > 23 || Number(minute) > 59) throw unknown(typed);
  const at = `${Number(minute)} ${Number(hour)}`;
  if (/^(daily|every day)$/.test(days)) return `${at} * * *`;
  if (/^(weekdays|every weekday)$/.test(days)) return `${at} * * 1-5`;
  const ofMonth = /^(?:day (\d{1,2})|the (\d{1,2})(?:st|nd|rd|th))(?: of (?:the|every) month)?$/.exec(days);
  if (ofMonth === null) return `${at} * * ${weekdaysIn(days, typed).join(',')}`;
  const day = Number(ofMonth[1] ?? ofMonth[2]);
  if (day < 1 || day > 31) throw unknown(typed);
  return `${at} ${day} * *`;
}

function everyFew(count: number, isHours: boolean): string {
  const [units, name] = isHours ? [24, 'hours'] : [60, 'minutes'];
  if (count < 1 || count >= units || units % count !== 0)
    throw new UsageError(
      `A schedule cannot repeat every ${count} ${name}.`,
      `Choose a number that divides ${units}, such as ${isHours ? 6 : 15}, or use a cron pattern.`,
    );
  const step = count === 1 ? '*' : `*/${count}`;
  return isHours ? `0 ${step} * * *` : `${step} * * * *`;
}

/** Weekdays in "monday, thursday", "every monday and thursday", "mon,thu". */
function weekdaysIn(words: string, typed: string): number[] {
  const found = words
    .replace(/^every /, '')
    .split(/,? and |, ?/)
    .map((word) => DAYS.findIndex((day) => word === day || word === `${day}s` || word === day.slice(0, 3)));
  if (found.includes(-1)) throw unknown(typed);
  return [...new Set(found)].toSorted((a, b) => a - b);
}

function unknown(typed: string): UsageError {
  return new UsageError(
    `Not a schedule: ${typed}.`,
    'Examples: "weekdays at 6:00", "every 15 minutes", "monday, thursday at 17:30", "day 1 at 6:00", "0 6 * * 1-5".',
  );
}
