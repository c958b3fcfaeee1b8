// Errors of the bundle code: a stable code for programs, a message with a remedy for people.
import { wordingOf, write, type Wording } from '../../client/failure-texts.ts';

/** Stable codes; a program may switch on them. */
export type BundleErrorCode =
  | 'not-found'
  | 'not-a-directory'
  | 'unreadable'
  | 'too-many-files'
  | 'too-large'
  | 'path-too-long'
  | 'too-deep'
  | 'case-collision'
  | 'unsafe-path'
  | 'nothing-to-pack'
  | 'file-missing'
  | 'file-changed'
  | 'content-unknown'
  | 'manifest-invalid'
  | 'manifest-files-missing'
  | 'lockfile-invalid'
  | 'requirements-missing'
  | 'python-version-unknown'
  | 'probe-failed'
  | 'rendering-missing';

export interface BundleErrorOptions {
  /** Paths concerned, relative to the root if inside it. */
  paths?: readonly string[];
  cause?: unknown;
}

/** The directory cannot be published; the message explains why, with a remedy. `wording` is for translation. */
export class BundleError extends Error {
  override readonly name = 'BundleError';
  readonly code: BundleErrorCode;
  readonly paths: readonly string[];
  readonly wording: Wording;

  constructor(code: BundleErrorCode, message: string | Wording, options: BundleErrorOptions = {}) {
    super(write(message), options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.wording = wordingOf(message);
    this.paths = options.paths ?? [];
  }
}

/** The `code` of a system error such as ENOENT, or undefined. */
export function systemCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
