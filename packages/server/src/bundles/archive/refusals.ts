// The refusals of this module, and how names from an archive are shown in them.
import { ApiError, errors } from '@pressroom/api/contract';
import { errnoOf } from '../../platform/errors.ts';

/** The archive cannot be taken as it is: error 135 (contract, section 7). */
export function badArchive(reason: string, cause?: unknown): ApiError {
  return errors.bundleNotExtracted({ message: `Unable to extract bundle: ${reason}`, cause });
}

/** The manifest is absent or wrong: error 38 (contract, section 7). */
export function badManifest(reason: string, cause?: unknown): ApiError {
  return errors.invalidManifest({ message: `Manifest invalid or missing: ${reason}`, cause });
}

const WRITE_FAILURES: Record<string, string> = {
  ENOSPC: 'no space left on the device',
  EDQUOT: 'the disk quota is used up',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  EMFILE: 'too many open files',
  ENFILE: 'too many open files',
  EIO: 'input/output error',
};

/**
 * The server's own disk refuses: error 134 (contract, section 7). The system's text stays in `cause`,
 * because it holds paths of the server.
 */
export function cannotWrite(cause: unknown): ApiError {
  if (cause instanceof ApiError) return cause;
  const code = errnoOf(cause) ?? '';
  const reason = WRITE_FAILURES[code] ?? (/^E[A-Z0-9]+$/.test(code) ? code : 'unexpected failure');
  return errors.bundleNotWritten({ message: `Unable to write bundle to disk: ${reason}`, cause });
}

/** Too little would be left of the disk: error 134, before anything is full. */
export function noRoom(room: number, reserve: number): ApiError {
  const mebibytes = (bytes: number) => `${Math.floor(bytes / 2 ** 20)} MiB`;
  return errors.bundleNotWritten({
    message: `Unable to write bundle to disk: there is room for ${mebibytes(room)} more, ${mebibytes(reserve)} are kept free (Applications.DiskReserve)`,
  });
}

const SHOWN_CHARACTERS = 200;

/**
 * A name out of an archive or a manifest, quoted and safe to print: control, direction-changing and unpaired
 * characters are escaped, and only the first 200 characters are shown.
 */
export function quoteName(name: string): string {
  const shown = name.length > SHOWN_CHARACTERS ? `${name.slice(0, SHOWN_CHARACTERS)}…` : name;
  return JSON.stringify(shown).replaceAll(UNPRINTABLE, escaped);
}

function escaped(character: string): string {
  const code = character.codePointAt(0)!.toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
}

/** Controls, line ends of every kind, zero-width characters, and all that turns the direction of writing. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u115F\u1160\u3164\uFFA0]/gu;

/** Whether a name cannot be shown as it is, to a terminal or to a person. */
export function isUnprintable(name: string): boolean {
  return name.search(UNPRINTABLE) >= 0;
}
