// The filters that both usage operations share (contract, 4.5).
import { ApiError } from '@pressroom/api';
import type { Caller } from '../../../auth/authenticator.ts';
import type { UsageFilter } from '../../../storage/usage.ts';

import type { QueryOf, Operations } from '@pressroom/api';

/** Stands for a visitor without an account: the contract wants a UUID. */
export const NOBODY = '00000000-0000-0000-0000-000000000000';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const CONTENTS_AT_MOST = 100;

/** A publisher sees only content of its own. @throws ApiError 11, 136 */
export function usageFilter(query: QueryOf<Operations['getContentVisits']>, caller: Caller): UsageFilter {
  return {
    contents: parseContents(query.content_guid),
    owner: caller.role === 'administrator' ? null : caller.guid,
    minDataVersion: query.min_data_version,
    from: parseTime(query.from),
    to: parseTime(query.to),
  };
}

function parseContents(text: string | undefined): string[] | null {
  if (text === undefined || text === '') return null;
  const guids = text.toLowerCase().split('|');
  if (guids.length > CONTENTS_AT_MOST || guids.some((guid) => !UUID.test(guid))) {
    throw new ApiError(11, { message: 'content_guid must be GUIDs joined with |' });
  }
  return guids;
}

/** Microseconds; digits below them are dropped. */
function parseTime(text: string | undefined): number | null {
  if (text === undefined) return null;
  const milliseconds = Date.parse(text.replace(/(\.\d{3})\d*/, '$1').replace(' ', 'T'));
  if (Number.isNaN(milliseconds)) throw new ApiError(136);
  const below = /\.\d{3}(\d{1,3})/.exec(text)?.[1] ?? '';
  return milliseconds * 1000 + Number(below.padEnd(3, '0'));
}
