// Translates errors of the content server and its client for the reader.
import { type CallFailure, isMissingEndpoint, NoResponseError, RefusedError } from '@pressroom/api/client';
import { ERRORS, isErrorCode } from '@pressroom/api/contract';
import type { Diagnosis } from '@pressroom/api/publish';
import type { ReleaseStepTable } from '../store/schema.ts';
import {
  CAUSES,
  CODES,
  INVALID_RESPONSE as INVALID_RESPONSE_DE,
  inItsWords,
  NO_RESPONSE as NO_RESPONSE_DE,
  refused,
  STATUSES,
} from './de/failures.ts';
import { REASONS } from './de/reasons.ts';
import { INVALID_RESPONSE, NO_RESPONSE } from './en/failures.ts';
import type { LanguageCode } from './en/general.ts';

export interface Explanation {
  readonly reason: string;
  /** Empty if the reason suffices. */
  readonly hint: string;
}

/** Why a call failed, with a remedy. */
export function explain(error: CallFailure, language: LanguageCode): Explanation {
  // A server's own reason is more specific than the code's hint.
  const own = error instanceof RefusedError && isOwnReason(error);
  const noResponse = language === 'en' ? NO_RESPONSE : NO_RESPONSE_DE;
  if (isTooSlow(error)) return explanation(noResponse.timeout);
  if (error instanceof NoResponseError) return explanation(noResponse[error.kind]);
  // A server of others, or an older one.
  if (error instanceof RefusedError && isMissingEndpoint(error))
    return { reason: MISSING[language], hint: '' };
  if (!(error instanceof RefusedError))
    return explanation((language === 'en' ? INVALID_RESPONSE : INVALID_RESPONSE_DE)[error.kind]);
  if (language === 'en') return { reason: error.message, hint: own ? '' : error.hint };
  const known = (error.code === null ? undefined : CODES[error.code]) ?? STATUSES[error.status];
  if (own || known === undefined)
    return { reason: inItsWords(known?.[0] ?? refused(error.status), error.message), hint: '' };
  return explanation(known);
}

const MISSING: Readonly<Record<LanguageCode, string>> = {
  en: 'This content server does not support that.',
  de: 'Dieser Content-Server kann das nicht.',
};

/** Why a step of a release was taken; in the server's words where these have no code. */
export function reasonOf(
  {
    who,
    reason,
    reason_code,
    reason_detail,
  }: Pick<ReleaseStepTable, 'who' | 'reason' | 'reason_code' | 'reason_detail'>,
  language: LanguageCode,
): string | null {
  if (language === 'en' || reason_code === null) return reason;
  const known = REASONS.get(reason_code)?.(who) ?? null;
  if (known === null) return reason;
  return reason_detail === null ? known : `${known}: ${reason_detail}`;
}

/** A remedy for a failed deploy; empty if the output does not suggest one. */
export function remedy(diagnosis: Diagnosis | null, language: LanguageCode): string {
  if (diagnosis?.hint === undefined) return '';
  return language === 'de' ? CAUSES[diagnosis.kind] : diagnosis.hint;
}

const explanation = ([reason, hint = '']: readonly [string, string?]): Explanation => ({ reason, hint });

/** The bot gave up: the reader cancelled nothing. */
function isTooSlow({ cause }: CallFailure): boolean {
  return cause instanceof Error && cause.name === 'TimeoutError';
}

function isOwnReason({ code, message }: RefusedError): boolean {
  return code !== null && isErrorCode(code) && ERRORS[code].message !== message;
}
