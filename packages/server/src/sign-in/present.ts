// API representation of API keys.
import type { ApiKey } from '@pressroom/api/contract';
import { toTimestamp } from '../platform/clock.ts';
import type { ApiKeyRow } from './store.ts';

export function presentApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: String(row.id),
    user_guid: row.user_guid,
    name: row.name,
    created_time: toTimestamp(row.created_time),
    last_used_time: row.last_used_time === null ? null : toTimestamp(row.last_used_time),
    role: row.role,
    expires_time: row.expires_time === null ? null : toTimestamp(row.expires_time),
  };
}
