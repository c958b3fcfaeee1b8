// Signs in to other servers of this API family: the user claims a token, which has its own key pair, in the browser.
// With it an API key is created, and the pair is discarded.
import { createHash, generateKeyPair, type KeyObject, randomBytes, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { type ConnectionFactory, RefusedError, systemClock } from '@pressroom/api/client';
import { collectBytes } from '@pressroom/api/contract';
import { BrowserSignInError } from '@pressroom/api/sign-in';

export interface ClaimOptions {
  readonly server: string;
  readonly connection: ReturnType<ConnectionFactory>;
  /** Name of the key. */
  readonly clientName: string;
  /** Called with the address where the user claims the token. */
  readonly onPage: (address: string) => void;
  readonly signal: AbortSignal;
  /** Milliseconds between two checks, and before giving up. */
  readonly times?: { readonly between: number; readonly longest: number };
}

/** What is used of a new key. */
export interface ClaimedKey {
  readonly key: string;
  readonly id: string;
  readonly user_guid: string;
}
export type ClaimToken = (options: ClaimOptions) => Promise<ClaimedKey>;

const TIMES = { between: 1000, longest: 10 * 60_000 };
const TIMEOUT_MS = 30_000;
/** Of a response; more than tokens and keys take. */
const MAX_BYTES = 2 ** 20;

/** @throws BrowserSignInError if the server has no tokens, or nobody claimed it in time */
export const claimToken: ClaimToken = async ({ onPage, signal, clientName, times = TIMES, ...to }) => {
  const pair = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const token = `T${randomBytes(16).toString('hex')}`;
  const public_key = pair.publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  const registered = await ask(to, 'POST', '/tokens', { token, public_key, user_id: 0 }, signal);
  const page = (registered.body as { token_claim_url?: unknown } | null)?.token_claim_url;
  if (registered.status !== 200 || typeof page !== 'string') throw new BrowserSignInError('unsupported');
  onPage(page);
  const by = { token, privateKey: pair.privateKey };
  for (const ends = performance.now() + times.longest; performance.now() < ends;) {
    const { status, body } = await ask(to, 'GET', '/v1/user', undefined, signal, by).catch(() => {
      signal.throwIfAborted();
      return AWAY;
    });
    if (status === 200) {
      const { guid: user_guid } = body as { guid: string };
      const path = `/v1/users/${encodeURIComponent(user_guid)}/keys`;
      const made = await ask(to, 'POST', path, { name: clientName }, signal, by);
      const { key, id } = (made.body ?? {}) as Partial<ClaimedKey>;
      if (typeof key === 'string') return { key, id: String(id), user_guid };
      throw made.status === 404 ? new BrowserSignInError('unsupported') : refused(to.server, made.status);
    }
    if (!goesOn(status)) throw refused(to.server, status);
    await systemClock.sleep(times.between, signal);
  }
  throw new BrowserSignInError('expired');
};

/** A lost connection, like the response of a proxy whose server restarts. */
const AWAY = { status: 502, body: null };

/** Not claimed yet, or no statement about it. */
function goesOn(status: number): boolean {
  return status === 401 || status === 403 || status === 429 || status >= 500;
}

interface Signer {
  readonly token: string;
  readonly privateKey: KeyObject;
}

async function ask(
  { server, connection }: Pick<ClaimOptions, 'server' | 'connection'>,
  method: 'GET' | 'POST',
  path: string,
  value: unknown,
  signal: AbortSignal,
  by?: Signer,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const url = new URL(`${server}/__api__${path}`);
  const body = value === undefined ? undefined : JSON.stringify(value);
  const { statusCode: status, body: response } = await connection.request({
    origin: url.origin,
    path: url.pathname,
    method,
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(by && signedBy(by, method, url.pathname, body ?? '')),
    },
    ...(body !== undefined && { body }),
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
    signal,
  });
  const bytes = await collectBytes(response, MAX_BYTES);
  try {
    return { status, body: JSON.parse(bytes?.toString() ?? '') as unknown };
  } catch {
    // An HTML page, or too much: only the status is used.
    return { status: status === 200 ? 404 : status, body: null };
  }
}

/** These servers require SHA-1. */
function signedBy({ token, privateKey }: Signer, method: string, path: string, body: string) {
  const date = new Date().toUTCString();
  const checksum = createHash('md5').update(body).digest('base64');
  const signature = sign('sha1', Buffer.from([method, path, date, checksum].join('\n')), privateKey);
  return {
    date,
    'x-content-checksum': checksum,
    'x-auth-token': token,
    'x-auth-signature': signature.toString('base64'),
  };
}

function refused(server: string, status: number): RefusedError {
  const message = `The server returned status ${status}.`;
  return new RefusedError({ operation: 'claimToken', server, status, code: null, payload: null, message });
}
