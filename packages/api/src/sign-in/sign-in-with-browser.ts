// Signs in through the person's browser (RFC 8628): shows a code, and waits until the person approves it.
import type { Client } from '../client/client.ts';
import { systemClock, type ClientClock } from '../client/clock.ts';
import { isMissingEndpoint } from '../client/dialects.ts';
import { InvalidResponseError, NoResponseError, RefusedError, statusOf } from '../client/failures.ts';
import type { DeviceCode, NewApiKey } from '../contract/index.ts';
import { type Approved, BrowserSignInError } from './browser-sign-in-error.ts';

/** What the person needs: the address, and the code to compare. */
export type BrowserCode = Omit<DeviceCode, 'device_code'>;

export interface ApprovalOptions {
  /** Called once, before waiting. The addresses are http(s), on any host that the server names. */
  onCode: (code: BrowserCode) => unknown;
  /** Cancels it. */
  signal?: AbortSignal | undefined;
  clock?: ClientClock;
}

export interface BrowserSignInOptions extends ApprovalOptions {
  /** Shown to the person, such as `Pressroom for VS Code on host-x`; the key is named after it. */
  clientName: string;
}

/** Seconds. */
const SLOWER_BY = 5;
const SLOWEST = 60;

/**
 * Returns a new API key of the person who approved. Throws BrowserSignInError if the server does not offer it, or the
 * person denied it or took too long; call failures otherwise, NoResponseError of kind `aborted` if the signal aborted.
 */
export async function signInWithBrowser(client: Client, options: BrowserSignInOptions): Promise<NewApiKey> {
  const call = options.signal === undefined ? {} : { signal: options.signal };
  const begun = await begin(client, options.clientName, call);
  const poll = () => client.pollDeviceSignIn({ device_code: begun.device_code }, call);
  return waitForApproval(client.url, begun, poll, options);
}

/**
 * Shows the code, and polls at the server's pace until the person has approved. Throws BrowserSignInError if the person
 * denied it or took too long; call failures otherwise.
 */
export async function waitForApproval<T>(
  server: string,
  begun: DeviceCode,
  poll: () => Promise<T>,
  options: ApprovalOptions & { what?: Approved },
): Promise<T> {
  const { clock = systemClock, signal, what } = options;
  const { device_code: _secret, ...code } = begun;
  requireSound(server, begun);
  const ends = clock.now() + code.expires_in * 1000;
  await options.onCode(code);
  for (let seconds = Math.min(code.interval, SLOWEST); ;) {
    await pause(clock, seconds, server, signal);
    if (clock.now() >= ends) throw new BrowserSignInError('expired', undefined, what);
    try {
      return await poll();
    } catch (error) {
      seconds = secondsAfter(error, seconds, what);
    }
  }
}

async function begin(
  client: Client,
  clientName: string,
  call: { signal?: AbortSignal },
): Promise<DeviceCode> {
  try {
    const { device_sign_in } = await client.getServerSettings({}, call);
    if (device_sign_in !== true) throw new BrowserSignInError('unsupported');
    return await client.beginDeviceSignIn({ client_name: clientName }, call);
  } catch (error) {
    // Some servers require a key even to report a missing endpoint.
    const none = isMissingEndpoint(error) || (error instanceof RefusedError && error.status === 401);
    throw none ? new BrowserSignInError('unsupported', error) : error;
  }
}

/** @throws InvalidResponseError for a code or address that cannot be used */
function requireSound(server: string, code: DeviceCode): void {
  const sound =
    isWebAddress(code.verification_uri) &&
    isWebAddress(code.verification_uri_complete) &&
    /^[\x21-\x7E]{4,32}$/.test(code.user_code) &&
    code.expires_in > 0 &&
    code.interval > 0;
  if (sound) return;
  throw new InvalidResponseError({
    operation: 'beginDeviceSignIn',
    server,
    kind: 'wrong-shape',
    status: 200,
    message: {
      text: '{0} started the sign-in without a code or an address to open.',
      values: [server],
    },
  });
}

/** Seconds until the next poll (RFC 8628, 3.5). Throws if there is none. */
function secondsAfter(error: unknown, seconds: number, what?: Approved): number {
  if (error instanceof RefusedError) {
    switch (error.message) {
      case 'authorization_pending':
        return seconds;
      case 'slow_down':
        return seconds + SLOWER_BY;
      case 'access_denied':
        throw new BrowserSignInError('denied', error, what);
      case 'expired_token':
        throw new BrowserSignInError('expired', error, what);
    }
  }
  // A restarting server, or a short network outage, does not end the sign-in.
  const away = error instanceof NoResponseError && error.kind !== 'aborted' && error.kind !== 'tls';
  const status = statusOf(error) ?? 0;
  if (away || status === 429 || status >= 500) return Math.min(seconds * 2, SLOWEST);
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
    throw new NoResponseError({
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
