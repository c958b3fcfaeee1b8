// Server roles by rank.
import type { ServerRole } from '@pressroom/api/contract';

/** A higher rank includes all rights of a lower one. */
export const ROLE_RANK: Readonly<Record<ServerRole, number>> = { viewer: 0, publisher: 1, administrator: 2 };
