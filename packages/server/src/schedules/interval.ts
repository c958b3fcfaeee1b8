// The interval of a schedule query (contract, sections 7 and 8).
import { errors } from '@pressroom/api/contract';
import type { Micros } from '../platform/database/schema.ts';

const DAY: Micros = 86_400_000_000;
const WEEK = 7 * DAY;
const YEAR = 366 * DAY;
/** Tolerance for the client's clock and transfer time. */
const LEEWAY: Micros = 300_000_000;

/** @throws ApiError 137, 138, 139, 140 */
export function intervalOf(
  query: { readonly start?: string; readonly end?: string },
  now: Micros,
): { start: Micros; end: Micros } {
  if ((query.start === undefined) !== (query.end === undefined)) throw errors.intervalIncomplete();
  if (query.start === undefined || query.end === undefined) return { start: now, end: now + WEEK };
  const [start, end] = [Date.parse(query.start) * 1000, Date.parse(query.end) * 1000];
  if (start < now - LEEWAY || start > now + 5 * YEAR) throw errors.intervalStartOutOfRange();
  if (end < start) throw errors.intervalEndBeforeStart();
  if (end - start > YEAR) throw errors.intervalTooLong();
  return { start, end };
}
