// Signs in through the person's browser (RFC 8628): shows a code, and waits until the person approves it.
import type { Client } from '../client/client.ts';
import { systemClock, type ClientClock } from '../client/clock.ts';
import { isMissingEndpoint } from '../client/dialects.ts';
import { BadAnswerError, NoAnswerError, RefusedError } from '../client/failures.ts';
import type { DeviceCode, NewApiKey } from '../contract/index.ts';
import { BrowserSignInError } from './browser-sign-in-error.ts';

/** What the person needs: where to go, and what to compare there. */
export type BrowserCode = Omit<DeviceCode, 'device_code'>;

export interface BrowserSignInOptions {
  /** What the person is shown, such as `Pressroom for VS Code on host-x`; the key is named after it. */
  clientName: string;
  /** Called once, before the waiting begins. The addresses are http(s), whichever host the server named. */
  onCode: (code: BrowserCode) => unknown;
  /** Cancels the sign-in. */
  signal?: AbortSignal | undefined;
  clock?: ClientClock;
}

/** Seconds. */
const SLOWER_BY = 5;
const SLOWEST = 60;

/**
 * Answers a new API key of whoever allowed it. Throws BrowserSignInError where the server does not offer it, the person
 * denied it or took too long; a call's failure otherwise, NoAnswerError of kind `aborted` when the signal ended it.
 */
export async function signInWithBrowser(client: Client, options: BrowserSignInOptions): Promise<NewApiKey> {
  const { clock = systemClock, signal } = options;
  const call = signal === undefined ? {} : { signal };
  const { device_code, ...code } = await begin(client, options.clientName, call);
  const ends = clock.now() + code.expires_in * 1000;
  await options.onCode(code);
  for (let seconds = code.interval; ;) {
    await pause(clock, seconds, client.url, signal);
    if (clock.now() >= ends) throw new BrowserSignInError('expired');
    try {
      return await client.pollDeviceSignIn({ device_code }, call);
    } catch (error) {
      seconds = secondsAfter(error, seconds);
    }
  }
}

async function begin(
  client: Client,
  clientName: string,
  call: { signal?: AbortSignal },
): Promise<DeviceCode> {
  let code: DeviceCode;
  try {
    const { device_sign_in } = await client.getServerSettings({}, call);
    if (device_sign_in !== true) throw new BrowserSignInError('unsupported');
    code = await client.beginDeviceSignIn({ client_name: clientName }, call);
  } catch (error) {
    // Some servers want a key even to say that they have no such thing.
    const none = isMissingEndpoint(error) || (error instanceof RefusedError && error.status === 401);
    throw none ? new BrowserSignInError('unsupported', error) : error;
  }
  const sound =
    isWebAddress(code.verification_uri) &&
    isWebAddress(code.verification_uri_complete) &&
    /^[\x21-\x7E]{4,32}$/.test(code.user_code) &&
    code.expires_in > 0 &&
    code.interval > 0;
  if (sound) return code;
  throw new BadAnswerError({
    operation: 'beginDeviceSignIn',
    server: client.url,
    kind: 'wrong-shape',
    status: 200,
    message: {
      text: '{0} started the sign-in without a code or an address to open.',
      values: [client.url],
    },
  });
}

/** How long to wait before the next poll (RFC 8628, 3.5). Throws where there is none. */
function secondsAfter(error: unknown, seconds: number): number {
  if (error instanceof RefusedError) {
    switch (error.message) {
      case 'authorization_pending':
        return seconds;
      case 'slow_down':
        return seconds + SLOWER_BY;
      case 'access_denied':
        throw new BrowserSignInError('denied', error);
      case 'expired_token':
        throw new BrowserSignInError('expired', error);
    }
  }
  // A server that restarts, or a network that was away for a moment, ends no sign-in.
  const away = error instanceof NoAnswerError && error.kind !== 'aborted' && error.kind !== 'tls';
  const busy = error instanceof BadAnswerError && (error.status ?? 0) >= 500;
  if (away || busy) return Math.min(seconds * 2, SLOWEST);
  throw error;
}

async function pause(
  clock: ClientClock,
  seconds: number,
  server: string,
  signal?: AbortSignal,
): Promise<void> {
  try {
    await clock.sleep(seconds * 1000, signal);
  } catch (error) {
    if (signal?.aborted !== true) throw error;
    throw new NoAnswerError({
      operation: 'pollDeviceSignIn',
      server,
      kind: 'aborted',
      message: 'The sign-in through the browser was cancelled.',
      cause: error,
    });
  }
}

function isWebAddress(text: unknown): boolean {
  return typeof text === 'string' && /^https?:$/.test(URL.parse(text)?.protocol ?? '');
}
