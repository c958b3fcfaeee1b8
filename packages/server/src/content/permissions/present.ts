// API representation of permissions and vanity paths.
import type { ResponseOf, Operations, Permission } from '@pressroom/api/contract';
import { toTimestamp } from '../../platform/clock.ts';
import type { VanityRow } from '../extras-store.ts';
import type { PermissionRow } from '../store.ts';

export function presentPermission(row: PermissionRow): Permission {
  const { expires_time, ...rest } = row;
  const end = expires_time !== null && { expires_time: toTimestamp(expires_time) };
  return { ...rest, id: String(row.id), ...end };
}

export function presentVanity(row: VanityRow): ResponseOf<Operations['getVanity']> {
  return { content_guid: row.content_guid, path: row.path, created_time: toTimestamp(row.created_time) };
}
