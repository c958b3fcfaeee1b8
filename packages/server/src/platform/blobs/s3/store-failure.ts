// Errors of an S3 store or the connection to it: in words, with the setting to check, and without secrets.
import { type ApiError, errors } from '@pressroom/api/contract';
import { errnoOf } from '../../errors.ts';

/** Seconds of Retry-After. */
const RETRY_AFTER = 5;

const CERTIFICATE =
  /^(?:SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_.*|CERT_.*|ERR_TLS_CERT_.*|HOSTNAME_MISMATCH)$/;

/** By the name of the error; others are about the address. */
const SETTINGS: readonly (readonly [RegExp, string])[] = [
  [/^(?:NoSuchBucket|InvalidBucketName|NotFound)$/, 'Storage.Bucket'],
  [/^(?:SignatureDoesNotMatch)$/, 'Storage.KeyID or Storage.Secret'],
  [
    /^(?:InvalidAccessKeyId|XAdminUserNotFound|AccessDenied|InvalidToken|ExpiredToken|Forbidden)$/,
    'Storage.KeyID',
  ],
  [/^(?:CredentialsProviderError|TokenProviderError)$/, 'Storage.KeyID'],
  [
    /^(?:AuthorizationHeaderMalformed|PermanentRedirect|IllegalLocationConstraintException)$/,
    'Storage.Region',
  ],
  [CERTIFICATE, 'Storage.CA'],
];

/** Such as "NoSuchBucket: The specified bucket does not exist". */
export function answerOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = errnoOf(error);
  const name = code ?? (error.name === 'Error' ? '' : error.name);
  const message = error.message.replace(/\n[^]*/, '').trim();
  return name === '' || message.includes(name) ? message : `${name}: ${message}`;
}

/** The setting that is most likely wrong. */
export function settingOf(error: unknown): string {
  const names = error instanceof Error ? [error.name, errnoOf(error) ?? ''] : [];
  const known = SETTINGS.find(([pattern]) => names.some((name) => pattern.test(name)));
  return known?.[1] ?? 'Storage.Endpoint';
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && /^(?:NoSuchKey|NoSuchUpload|NotFound)$/.test(error.name);
}

/** Only the response: the client's errors contain more of the request than a log should. */
function causeOf(error: unknown): Error {
  return new Error(`the store answered ${answerOf(error)}`);
}

/** The error of an upload that was not stored. */
export function notStored(error: unknown): ApiError {
  return errors.bundleNotWritten({
    message: `Unable to write bundle to the S3 store (${nameOf(error)}). Nothing was stored. Try again in a moment.`,
    status: 503,
    retryAfter: RETRY_AFTER,
    cause: causeOf(error),
  });
}

/** Returns ApiError 4 if there is no such archive, and 1 with status 503 for anything else. */
export function notRead(error: unknown): ApiError {
  if (isMissing(error))
    return errors.notFound({ message: 'The S3 store has no such archive', cause: causeOf(error) });
  return errors.internal({
    message: `The S3 store cannot be reached (${nameOf(error)}). Try again in a moment.`,
    status: 503,
    retryAfter: RETRY_AFTER,
    cause: causeOf(error),
  });
}

/** For visitors: without addresses. */
function nameOf(error: unknown): string {
  return errnoOf(error) ?? (error instanceof Error ? error.name : 'unknown');
}
