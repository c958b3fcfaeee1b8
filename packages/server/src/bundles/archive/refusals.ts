// The refusals of this module.
import { ApiError, errors } from '@pressroom/api/contract';
import { errnoOf } from '../../platform/errors.ts';

/** The archive cannot be accepted: error 135 (contract, section 7). */
export function badArchive(reason: string, cause?: unknown): ApiError {
  return errors.bundleNotExtracted({ message: `Unable to extract bundle: ${reason}`, cause });
}

/** The manifest is missing or invalid: error 38 (contract, section 7). */
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
 * The server's disk refuses the write: error 134 (contract, section 7). The system's message stays in `cause`, because
 * it has paths of the server.
 */
export function cannotWrite(cause: unknown): ApiError {
  if (cause instanceof ApiError) return cause;
  const code = errnoOf(cause) ?? '';
  const reason = WRITE_FAILURES[code] ?? (/^E[A-Z0-9]+$/.test(code) ? code : 'unexpected failure');
  return errors.bundleNotWritten({ message: `Unable to write bundle to disk: ${reason}`, cause });
}

/** The disk would have too little space left: error 134. */
export function noRoom(room: number, reserve: number): ApiError {
  const mebibytes = (bytes: number) => `${Math.floor(bytes / 2 ** 20)} MiB`;
  return errors.bundleNotWritten({
    message: `Unable to write bundle to disk: there is room for ${mebibytes(room)} more, ${mebibytes(reserve)} are kept free (Applications.DiskReserve)`,
  });
}
