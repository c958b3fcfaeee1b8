// Messages of call failures without their values, so that front ends can translate them.
import type { NoResponseKind } from './failure-kinds.ts';

/** A text with placeholders and their values, which may be texts of their own: `{0}` is the first. */
export interface Wording {
  readonly text: string;
  readonly values: readonly (string | Wording)[];
}

/** No response: {0} is the server, {1} the error code in parentheses, or empty. */
export const NO_RESPONSE: Readonly<Record<NoResponseKind | 'proxy', string>> = {
  dns: 'No response from {0}: the host name was not found{1}.',
  refused: 'No response from {0}: the connection was refused{1}.',
  tls: 'No response from {0}: no trusted secure connection could be established{1}.',
  timeout: 'No response from {0}: the request timed out{1}.',
  reset: 'No response from {0}: the connection was lost{1}.',
  aborted: 'No response from {0}: the call was cancelled{1}.',
  proxy: 'No response from {0}: the proxy did not connect{1}.',
};

/** The response is not one of a content server: {0} is the server. */
export const INVALID_RESPONSE = {
  notHttp: '{0} sent a response that is not HTTP.',
  notJson: '{0} sent a response that is not JSON.',
  page: '{0} returned a web page{1} instead of data.',
  archivePage: '{0} returned a web page instead of the archive.',
  statusPage: '{0} returned status {1} with a web page{2}.',
  statusOther: '{0} returned status {1} with an invalid response.',
  tooLarge: 'The response of {0} is larger than {1} bytes.',
  wrongShape: 'The response of {0} to {1} is invalid: {2}.',
  samePage: '{0} returns the same page of {1} again and again.',
  redirect:
    '{0} redirects to {1}; redirects are not followed, because they can change what a request does and where the key goes.',
} as const;

/** All texts above. */
export const FAILURE_TEXTS: readonly string[] = [
  ...Object.values(NO_RESPONSE),
  ...Object.values(INVALID_RESPONSE),
];

export const wording = (text: string, ...values: (string | Wording)[]): Wording => ({ text, values });

export function wordingOf(message: string | Wording): Wording {
  return typeof message === 'string' ? { text: '{0}', values: [message] } : message;
}

/** The text with its values filled in. */
export function write(message: string | Wording): string {
  if (typeof message === 'string') return message;
  const { text, values } = message;
  return text.replace(/\{(\d)\}/g, (_, place: string) => write(values[Number(place)] ?? ''));
}
