// English texts for what the bot gets from the content server instead of a response: its client's words are for people
// who run it themselves.
import type { InvalidResponseKind, NoResponseKind } from '@pressroom/api/client';

const ADMINISTRATOR = 'Ask an administrator of the server.';
const LATER = 'Try again in a moment.';
const PROXY = 'A proxy may have answered instead, as while the server restarts. Try again in a moment.';

export const NO_RESPONSE: Readonly<Record<NoResponseKind, readonly [reason: string, hint: string]>> = {
  dns: ['The bot does not find the content server under its name.', ADMINISTRATOR],
  refused: ['The bot cannot reach the content server.', LATER],
  tls: ['The bot does not trust the certificate of the content server.', ADMINISTRATOR],
  timeout: ['The content server did not respond in time.', LATER],
  reset: ['The connection to the content server was lost.', LATER],
  aborted: ['The request was cancelled.', LATER],
};

export const INVALID_RESPONSE: Readonly<
  Record<InvalidResponseKind, readonly [reason: string, hint: string]>
> = {
  html: ['The content server responded with a web page.', PROXY],
  'not-json': ['The response of the content server is not JSON.', PROXY],
  'wrong-shape': ['The response of the content server has an unexpected form.', ADMINISTRATOR],
  redirect: ['The content server redirects to another address.', ADMINISTRATOR],
  'too-large': ['The response of the content server is too large.', 'Ask for less at a time.'],
  'not-http': ['What is at the address of the content server does not speak HTTP.', ADMINISTRATOR],
  'wrong-dialect': ['The content server uses an unexpected version of the API.', ADMINISTRATOR],
};
