// The common filters of both usage operations (contract, 4.5).
import { errors } from '@pressroom/api/contract';
import { contentScope } from '../content/policy.ts';
import type { Micros } from '../platform/database/schema.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import type { UsageFilter } from './store.ts';

/** Represents an anonymous visitor: the contract requires a UUID. */
export const NOBODY = '00000000-0000-0000-0000-000000000000';

/** Common parameters of the usage operations. */
interface Window {
  readonly content_guid?: string | undefined;
  readonly shared?: boolean | undefined;
  readonly min_data_version: number;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const CONTENTS_AT_MOST = 100;

/**
 * Publishers see only their own content (contract, 4.5, rule 2); with `shared` also content they collaborate on. The
 * range ends at `now` by default. @throws ApiError 11, 136
 */
export function usageFilter(query: Window, caller: Caller, now: Micros): UsageFilter {
  const contents = parseContents(query.content_guid);
  const scope = contentScope(caller, 'editor');
  const allowed = query.shared === true ? scope : { ...scope, granted: [] };
  return {
    contents,
    scope: caller.role === 'administrator' ? null : allowed,
    minDataVersion: query.min_data_version,
    from: query.from === undefined ? null : parseTime(query.from, 0),
    to: query.to === undefined ? now : parseTime(query.to, 999),
  };
}

function parseContents(text: string | undefined): string[] | null {
  if (text === undefined || text === '') return null;
  const guids = text.toLowerCase().split('|');
  if (guids.length > CONTENTS_AT_MOST || guids.some((guid) => !UUID.test(guid))) {
    throw errors.filterNotApplicable({ message: 'content_guid must be GUIDs joined with |' });
  }
  return guids;
}

/**
 * Microseconds; further digits are dropped.
 * @param rest microseconds added to a time with milliseconds only. Responses have no more digits: a record must be within
 * a range that ends at the time given in its response.
 */
export function parseTime(text: string, rest: number): Micros {
  // Date does not know leap seconds: uses the second before.
  const leap = /:60(?=[.Z+-])/i.test(text);
  const plain = text
    .replace(/:60(?=[.Z+-])/i, ':59')
    .replace(/(\.\d{3})\d*/, '$1')
    .replace(' ', 'T');
  const milliseconds = Date.parse(plain) + (leap ? 1000 : 0);
  if (Number.isNaN(milliseconds)) throw errors.invalidTime();
  const below = /\.\d{3}(\d{1,3})/.exec(text)?.[1];
  return milliseconds * 1000 + (below === undefined ? rest : Number(below.padEnd(3, '0')));
}
