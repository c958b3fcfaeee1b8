// Creates the data directory; a supervisor that runs as root loads only this.
import { mkdirSync } from 'node:fs';
import { isReadOnly, nearest } from './directories.ts';
import { messageOf } from './errors.ts';

/** @throws an Error that names the setting */
export function makeDataDirectory(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true });
  } catch (cause) {
    const why = isReadOnly(dataDir) ? `the disk of ${nearest(dataDir)} is read-only` : messageOf(cause);
    throw new Error(`Server.DataDir cannot be made: ${why}`, { cause });
  }
}
