// Permission and vanity rows as they leave on the wire.
import type { AnswerOf, Operations, Permission } from '@pressroom/api/contract';
import { toTimestamp } from '../../platform/clock.ts';
import type { VanityRow } from '../extras-store.ts';
import type { PermissionRow } from '../store.ts';

export function presentPermission(row: PermissionRow): Permission {
  return { ...row, id: String(row.id) };
}

export function presentVanity(row: VanityRow): AnswerOf<Operations['getVanity']> {
  return { content_guid: row.content_guid, path: row.path, created_time: toTimestamp(row.created_time) };
}
