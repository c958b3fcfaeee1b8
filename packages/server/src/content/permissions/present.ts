// API representation of permissions.
import type { Permission } from '@pressroom/api/contract';
import { toTimestamp } from '../../platform/clock.ts';
import type { PermissionRow } from '../store.ts';

export function presentPermission(row: PermissionRow): Permission {
  const { expires_time, ...rest } = row;
  const end = expires_time !== null && { expires_time: toTimestamp(expires_time) };
  return { ...rest, id: String(row.id), ...end };
}
