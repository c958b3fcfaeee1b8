// Our programs start twice as fast if Node need not strip the types of their sources again.
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

const DIRECTORY = join(import.meta.dirname, '../../../node_modules/.cache/pressroom-tests');

// A server started by root serves as another account: Node creates a directory per account, which that account must be
// able to do.
if (process.getuid?.() === 0) {
  mkdirSync(DIRECTORY, { recursive: true });
  chmodSync(DIRECTORY, 0o1777);
}

/** For the environment of a Node process: where to find earlier compilations. */
export const COMPILE_CACHE = { NODE_COMPILE_CACHE: DIRECTORY };
