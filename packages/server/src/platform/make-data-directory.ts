// Creates the data directory; a supervisor that runs as root loads only this.
import { mkdirSync, readdirSync } from 'node:fs';
import { isReadOnly, nearest } from './directories.ts';
import { messageOf } from './errors.ts';

/** Files that each server makes in it at its first start. */
const MARKS = new Set(['lock', 'pressroom.sqlite', 'secret.key']);
/** Directories that it makes, also for a download of a backup, and that of a new disk. */
const OWN = /^(?:bundles|content|environments|logs|work|backup-download-.*|lost\+found)$/;

/**
 * @throws an Error that names the setting, also for a directory of something else: the server gives what is in it to its
 * own account, and removes what it does not know
 */
export function makeDataDirectory(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true });
  } catch (cause) {
    const why = isReadOnly(dataDir) ? `the disk of ${nearest(dataDir)} is read-only` : messageOf(cause);
    throw new Error(`Server.DataDir cannot be made: ${why}`, { cause });
  }
  const stranger = strangerIn(dataDir);
  if (stranger !== null) throw new Error(`Server.DataDir: ${stranger}`);
}

/** Why it is not a data directory, nor one that can become one; null if it is. */
export function strangerIn(dataDir: string): string | null {
  const entries = readdirSync(dataDir, { withFileTypes: true });
  if (entries.some((entry) => entry.isFile() && MARKS.has(entry.name))) return null;
  const stranger = entries.find((entry) => !entry.isFile() && !OWN.test(entry.name));
  return stranger === undefined
    ? null
    : `${dataDir} has ${stranger.name}, which is not of a server: name a directory that is empty or does not exist`;
}
