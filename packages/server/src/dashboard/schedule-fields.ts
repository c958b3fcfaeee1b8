// Schedules in everyday terms: hourly, weekdays at 6:00, first of the month; cron for all else.
import { errors, type Schedule } from '@pressroom/api/contract';
import { describeSchedule, nextRuns } from '../schedules/describe.ts';
import { TIME_ZONES } from '../schedules/time-zones.ts';
import { html, type Html } from './html.ts';
import type { PageRequest } from './page.ts';
import { field, select, time } from './parts.ts';

/** Intervals without further fields, as on the command line. */
const INTERVALS: readonly (readonly [cron: string, label: string])[] = [
  ['* * * * *', 'Every minute'],
  ...[2, 3, 4, 5, 6, 10, 12, 15, 20, 30].map((few) => [`*/${few} * * * *`, `Every ${few} minutes`] as const),
  ['0 * * * *', 'Every hour'],
  ...[2, 3, 4, 6, 8, 12].map((few) => [`0 */${few} * * *`, `Every ${few} hours`] as const),
];
const OFTEN: readonly (readonly [value: string, label: string])[] = [
  ['never', 'Not on a schedule'],
  ...INTERVALS,
  ['day', 'Every day'],
  ['weekdays', 'Monday to Friday'],
  ['week', 'On days of the week'],
  ['month', 'Once a month'],
  ['cron', 'Another schedule (cron)'],
];
const DAYS = [
  ['1', 'Monday'],
  ['2', 'Tuesday'],
  ['3', 'Wednesday'],
  ['4', 'Thursday'],
  ['5', 'Friday'],
  ['6', 'Saturday'],
  ['0', 'Sunday'],
] as const;

const RUNS_SHOWN = 3;

/** Values of the fields. */
export interface Chosen {
  readonly often: string;
  /** Such as 06:30. */
  readonly at: string;
  /** Days of the week, Sunday is 0. */
  readonly days: readonly string[];
  readonly dayOfMonth: string;
  readonly cron: string;
}

/** @param cron null for no schedule */
export function chosenOf(cron: string | null): Chosen {
  const unset = { often: 'never', at: '06:00', days: [], dayOfMonth: '1', cron: cron ?? '' };
  if (cron === null) return unset;
  if (INTERVALS.some(([known]) => known === cron)) return { ...unset, often: cron };
  const match = /^(\d{1,2}) (\d{1,2}) (\*|\d{1,2}) \* (\*|1-5|[0-6](?:,[0-6])*)$/.exec(cron);
  if (!match) return { ...unset, often: 'cron' };
  const [, minute = '', hour = '', dayOfMonth = '', week = ''] = match;
  const at = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
  if (Number(minute) > 59 || Number(hour) > 23) return { ...unset, often: 'cron' };
  if (dayOfMonth !== '*')
    return week === '*' ? { ...unset, often: 'month', at, dayOfMonth } : { ...unset, often: 'cron' };
  if (week === '*') return { ...unset, often: 'day', at };
  if (week === '1-5') return { ...unset, often: 'weekdays', at };
  return { ...unset, often: 'week', at, days: week.split(',') };
}

/** A schedule in words, with its next runs. */
export function runsOf(
  { parts }: PageRequest,
  { cron, timezone }: Pick<Schedule, 'cron' | 'timezone'>,
): Html {
  const runs = nextRuns(cron, timezone, parts.clock.now(), RUNS_SHOWN);
  return html`<p>${describeSchedule(cron, timezone)}</p>
    <p>Next runs:</p>
    <ul>
      ${runs.map((run) => html`<li>${time(run)}</li>`)}
    </ul>`;
}

/** Null for no schedule. @throws ApiError 25 for an invalid time, day of the week or day of the month */
export function cronOf({ often, at, days, dayOfMonth, cron }: Chosen): string | null {
  if (often === 'never') return null;
  if (often === 'cron') return cron.trim();
  if (INTERVALS.some(([known]) => known === often)) return often;
  const match = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(at.trim());
  if (!match)
    throw errors.invalidParameter({
      message: `the schedule has no time: ${at} is not one such as 06:30`,
      field: 'at',
    });
  const time = `${Number(match[2])} ${Number(match[1])}`;
  if (often === 'day') return `${time} * * *`;
  if (often === 'weekdays') return `${time} * * 1-5`;
  if (often === 'week') {
    const known = DAYS.map(([number]) => number).filter((number) => days.includes(number));
    if (known.length === 0)
      throw errors.invalidParameter({ message: 'the schedule has no day of the week', field: 'often' });
    return `${time} * * ${known.join(',')}`;
  }
  const day = Number(dayOfMonth);
  if (often !== 'month' || !Number.isInteger(day) || day < 1 || day > 31)
    throw errors.invalidParameter({
      message: 'the schedule has no day of the month from 1 to 31',
      field: 'day_of_month',
    });
  return `${time} ${day} * *`;
}

/** The style sheet hides fields that the choice does not need. @param schedule null for none */
export function scheduleFields(
  request: PageRequest,
  schedule: Pick<Schedule, 'cron' | 'timezone'> | null,
): Html {
  const { form: sent } = request;
  const chosen = chosenOf(schedule?.cron ?? null);
  const days = sent.has('often') ? sent.getAll('day_of_week') : chosen.days;
  const boxes = DAYS.map(
    ([number, name]) =>
      html`<label class="check"
        ><input
          type="checkbox"
          name="day_of_week"
          value="${number}"
          ${days.includes(number) && html`checked`}
        />
        ${name}</label
      >`,
  );
  const zones = TIME_ZONES.map((zone) => html`<option value="${zone}"></option>`);
  return html`<fieldset class="schedule">
    <legend class="hidden">Schedule</legend>
    ${select(request, 'often', 'How often', OFTEN, chosen.often)}
    <div class="of-week" role="group" aria-label="Days of the week">${boxes}</div>
    <div class="of-month">
      ${field(request, 'day_of_month', 'Day of the month', chosen.dayOfMonth, {
        type: 'number',
        hint: '31 leaves out months without it',
      })}
    </div>
    <div class="of-day">${field(request, 'at', 'At', chosen.at, { type: 'time' })}</div>
    <div class="of-cron">
      ${field(request, 'cron', 'Cron expression', chosen.cron, {
        hint: 'Minute, hour, day of the month, month, day of the week: 0 6 * * 1-5 is 6:00 on weekdays',
      })}
    </div>
    <div class="of-zone">
      ${field(request, 'timezone', 'Time zone', schedule?.timezone ?? 'UTC', { list: 'time-zones' })}
      <datalist id="time-zones">${zones}</datalist>
    </div>
  </fieldset>`;
}

/** The schedule in the form; null for none. @throws ApiError 25 */
export function sentSchedule({ form: sent }: PageRequest): { cron: string; timezone: string } | null {
  const cron = cronOf({
    often: sent.get('often') ?? 'never',
    at: sent.get('at') ?? '',
    days: sent.getAll('day_of_week'),
    dayOfMonth: sent.get('day_of_month') ?? '',
    cron: sent.get('cron') ?? '',
  });
  return cron === null ? null : { cron, timezone: (sent.get('timezone') ?? '').trim() || 'UTC' };
}
