// What the content server and its client say in English, in the language of whoever reads it.
import { type CallFailure, NoAnswerError, RefusedError } from '@pressroom/api/client';
import { ERRORS, isErrorCode } from '@pressroom/api/contract';
import type { Diagnosis } from '@pressroom/api/publish';
import { BAD_ANSWER, CAUSES, CODES, inItsWords, NO_ANSWER, refused, STATUSES } from './de/failures.ts';
import type { LanguageCode } from './en/general.ts';

export interface Explanation {
  readonly reason: string;
  /** Empty where the reason says it all. */
  readonly hint: string;
}

/** Why a call failed, and what to do. */
export function explain(error: CallFailure, language: LanguageCode): Explanation {
  // A server that says why itself knows better than the hint for the code, which has to do for every reason.
  const own = error instanceof RefusedError && isOwnReason(error);
  if (language === 'en') return { reason: error.message, hint: own ? '' : error.hint };
  if (error instanceof NoAnswerError) return explanation(NO_ANSWER[error.kind]);
  if (!(error instanceof RefusedError)) return explanation(BAD_ANSWER[error.kind]);
  const known = (error.code === null ? undefined : CODES[error.code]) ?? STATUSES[error.status];
  if (own || known === undefined)
    return { reason: inItsWords(known?.[0] ?? refused(error.status), error.message), hint: '' };
  return explanation(known);
}

/** What to do about a deploy that failed; empty where the output does not tell. */
export function remedy(diagnosis: Diagnosis | null, language: LanguageCode): string {
  if (diagnosis?.hint === undefined) return '';
  return language === 'de' ? CAUSES[diagnosis.kind] : diagnosis.hint;
}

const explanation = ([reason, hint = '']: readonly [string, string?]): Explanation => ({ reason, hint });

function isOwnReason({ code, message }: RefusedError): boolean {
  return code !== null && isErrorCode(code) && ERRORS[code].message !== message;
}
