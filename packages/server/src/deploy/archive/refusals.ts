// The refusals of this module, and how names from an archive are shown in them.
import { ApiError } from '@pressroom/api';

/** The archive cannot be taken as it is: error 135 (contract, section 7). */
export function badArchive(reason: string, cause?: unknown): ApiError {
  return new ApiError(135, { message: `Unable to extract bundle: ${reason}`, cause });
}

/** The manifest is absent or wrong: error 38 (contract, section 7). */
export function badManifest(reason: string, cause?: unknown): ApiError {
  return new ApiError(38, { message: `Manifest invalid or missing: ${reason}`, cause });
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
  const code = (cause as NodeJS.ErrnoException | undefined)?.code ?? '';
  const reason = WRITE_FAILURES[code] ?? (/^E[A-Z0-9]+$/.test(code) ? code : 'unexpected failure');
  return new ApiError(134, { message: `Unable to write bundle to disk: ${reason}`, cause });
}

const SHOWN_CHARACTERS = 200;

/**
 * A name out of an archive or a manifest, quoted and safe to print: control, direction-changing and unpaired
 * characters are escaped, and only the first 200 characters are shown.
 */
export function quoteName(name: string): string {
  const shown = name.length > SHOWN_CHARACTERS ? `${name.slice(0, SHOWN_CHARACTERS)}…` : name;
  return JSON.stringify(shown).replaceAll(
    /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
