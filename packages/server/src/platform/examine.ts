// The checks of a running server, for who runs them and who shows them.
import type { ServerFinding } from '@pressroom/api/contract';

/** Null while others wait for the same. */
export type Examine = () => Promise<readonly ServerFinding[] | null>;
