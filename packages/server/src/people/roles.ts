// Server roles in their order.
import type { ServerRole } from '@pressroom/api/contract';

/** Roles by what they may do: a higher one may all that a lower one may. */
export const ROLE_RANK: Readonly<Record<ServerRole, number>> = { viewer: 0, publisher: 1, administrator: 2 };
