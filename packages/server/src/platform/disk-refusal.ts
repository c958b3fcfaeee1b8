// Failures of the server's disks that people can be told of.
import { errors, type ApiError } from '@pressroom/api/contract';
import { isReadOnly } from './directories.ts';
import { errnoOf } from './errors.ts';

const FULL = 'The disk of the server is full. Its administrator has to make room.';
const READ_ONLY = 'The disk of the server is read-only. Its administrator has to make it writable.';
/** Codes of the system, and of PostgreSQL. */
const MESSAGES = new Map([
  ['ENOSPC', FULL],
  ['EDQUOT', FULL],
  ['53100', FULL],
  ['EROFS', READ_ONLY],
]);
const SQLITE_FULL = 13;

/** Says that a disk takes nothing more, without paths of the server; null for other failures. */
export function diskRefusal(cause: unknown): ApiError | null {
  const isFull = (cause as { errcode?: unknown } | null)?.errcode === SQLITE_FULL;
  const message = isFull ? FULL : MESSAGES.get(codeOf(cause) ?? '');
  return message === undefined ? null : errors.internal({ message, status: 503, cause });
}

function codeOf(cause: unknown): string | undefined {
  const code = errnoOf(cause);
  const { syscall, path } = (cause ?? {}) as NodeJS.ErrnoException;
  const isMissing = code === 'ENOENT' && syscall === 'mkdir' && path !== undefined;
  return isMissing && isReadOnly(path) ? 'EROFS' : code;
}
