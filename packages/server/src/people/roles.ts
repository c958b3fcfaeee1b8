// Server roles by rank.
import type { ServerRole } from '@pressroom/api/contract';

/** A higher rank includes all rights of a lower one. */
export const ROLE_RANK: Readonly<Record<ServerRole, number>> = { viewer: 0, publisher: 1, administrator: 2 };

export function lowerRole(a: ServerRole, b: ServerRole): ServerRole {
  return ROLE_RANK[a] < ROLE_RANK[b] ? a : b;
}
