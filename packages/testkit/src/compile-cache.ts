// Programs of ours start twice as fast when Node need not strip the types of their sources again.
import { join } from 'node:path';

/** For the environment of a Node process: where it finds what the one before has compiled. */
export const COMPILE_CACHE = {
  NODE_COMPILE_CACHE: join(import.meta.dirname, '../../../node_modules/.cache/pressroom-tests'),
};
