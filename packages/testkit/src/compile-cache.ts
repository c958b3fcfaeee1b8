// Programs of ours start twice as fast when Node need not strip the types of their sources again.
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

const DIRECTORY = join(import.meta.dirname, '../../../node_modules/.cache/pressroom-tests');

// What root starts serves as another account: Node keeps a directory for each, which that account must be able to make.
if (process.getuid?.() === 0) {
  mkdirSync(DIRECTORY, { recursive: true });
  chmodSync(DIRECTORY, 0o1777);
}

/** For the environment of a Node process: where it finds what the one before has compiled. */
export const COMPILE_CACHE = { NODE_COMPILE_CACHE: DIRECTORY };
