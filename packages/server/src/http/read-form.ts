// Reads forms of our pages. Anybody may send one, and parsing takes quadratic time.
import type { IncomingMessage } from 'node:http';
import { errors } from '@pressroom/api/contract';
import { readText } from './read-text.ts';

/** Ten thousand fields take milliseconds; the half million of the longest body take seconds. */
const MAX_FIELDS = 10_000;

/** @throws ApiError 87 for a body that `readText` refuses, or with too many fields */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  return formIn(await readText(request));
}

/** @throws ApiError 87 for too many fields */
export function formIn(text: string): URLSearchParams {
  if (text.split('&', MAX_FIELDS + 1).length > MAX_FIELDS)
    throw errors.unreadableBody({ message: `a form has at most ${MAX_FIELDS} fields` });
  return new URLSearchParams(text);
}
