// The checks of a running server, between those who run and those who show them.
import type { ServerFinding } from '@pressroom/api/contract';

/** Null while another examination runs. */
export type Examine = () => Promise<readonly ServerFinding[] | null>;
