// API representation of user accounts.
import type { User } from '@pressroom/api/contract';
import { toTimestamp } from '../platform/clock.ts';
import type { UserRow } from './store.ts';

export function presentUser(row: UserRow, view: { email: boolean }): User {
  return {
    email: view.email ? row.email : '',
    username: row.username,
    first_name: row.first_name,
    last_name: row.last_name,
    user_role: row.user_role,
    created_time: toTimestamp(row.created_time),
    updated_time: toTimestamp(row.updated_time),
    active_time: row.active_time === null ? null : toTimestamp(row.active_time),
    confirmed: row.confirmed === 1,
    locked: row.locked === 1,
    guid: row.guid,
  };
}
