// Time zones for schedules.
import { errors, type TimeZone } from '@pressroom/api/contract';
import type { Micros } from '../platform/database/schema.ts';

/** Zones that Node lists by an earlier name only. */
const RENAMED = [
  'Africa/Asmara',
  'America/Argentina/Buenos_Aires',
  'America/Argentina/Catamarca',
  'America/Argentina/Cordoba',
  'America/Argentina/Jujuy',
  'America/Argentina/Mendoza',
  'America/Atikokan',
  'America/Indiana/Indianapolis',
  'America/Kentucky/Louisville',
  'America/Nuuk',
  'Asia/Ho_Chi_Minh',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Asia/Yangon',
  'Atlantic/Faroe',
  'Europe/Kyiv',
  'Pacific/Chuuk',
  'Pacific/Kanton',
  'Pacific/Pohnpei',
];
/** What machines are set to; clients look up the zone of their machine in the list. */
const OF_MACHINES = [
  'Etc/GMT',
  'Etc/UTC',
  'GMT',
  'US/Alaska',
  'US/Arizona',
  'US/Central',
  'US/Eastern',
  'US/Hawaii',
  'US/Mountain',
  'US/Pacific',
];
/** Sorted. Node omits UTC, the default of a schedule. */
export const TIME_ZONES: readonly string[] = [
  ...new Set([...Intl.supportedValuesOf('timeZone'), ...RENAMED, ...OF_MACHINES, 'UTC']),
].toSorted();
const MICROS_OF_MINUTE = 60_000_000;

let last: { readonly minute: number; readonly zones: TimeZone[] } | undefined;

/**
 * By name, with their offsets at that time. Building the list takes a tenth of a second: it is cached for a whole
 * minute, in which no clock changes.
 */
export function timeZonesAt(time: Micros): TimeZone[] {
  const minute = Math.floor(time / MICROS_OF_MINUTE);
  if (last?.minute !== minute) {
    const date = new Date(time / 1000);
    last = { minute, zones: TIME_ZONES.map((timezone) => ({ timezone, offset: offsetOf(timezone, date) })) };
  }
  return last.zones;
}

function offsetOf(timeZone: string, date: Date): string {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  const name = format.formatToParts(date).find(({ type }) => type === 'timeZoneName');
  return name!.value.replace('GMT', '');
}

/** @throws ApiError 25 */
export function requireTimeZone(name: string): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
  } catch (cause) {
    const message = `there is no time zone ${name}: use one such as Europe/Zurich or UTC`;
    throw errors.invalidParameter({ message, cause, field: 'timezone' });
  }
}
