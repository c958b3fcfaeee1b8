// Creates the data directory; a supervisor that runs as root loads only this.
import { mkdirSync } from 'node:fs';
import { messageOf } from './errors.ts';

/** @throws an Error that names the setting */
export function makeDataDirectory(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true });
  } catch (cause) {
    throw new Error(`Server.DataDir cannot be made: ${messageOf(cause)}`, { cause });
  }
}
