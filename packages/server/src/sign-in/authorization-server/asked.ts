// What a program asks the person for in the browser: the authorization request of OAuth 2.0 with PKCE (RFC 6749, 4.1.1;
// RFC 7636), with a redirect to the program's own machine (RFC 8252, 7.3).
import { errors } from '@pressroom/api/contract';
import { shownName } from '../device/present.ts';

export interface Asked {
  /** What the program calls itself: nobody registers programs, and a name proves nothing. */
  readonly clientName: string;
  readonly redirectUri: string;
  /** Returned to the program as it is; null for none. */
  readonly state: string | null;
  /** Hash of the secret that the program sends with the code. */
  readonly challenge: string;
}

const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);
const MAX_LENGTH = 2048;
/** SHA-256 in base64url. */
const CHALLENGE = /^[\w-]{43}$/;

/**
 * @param ownPorts of this server: its content, which others wrote, would get the code
 * @throws ApiError 25
 */
export function readAsked(query: URLSearchParams, ownPorts: ReadonlySet<string>): Asked {
  const of = (name: string) => query.get(name) ?? '';
  if (of('response_type') !== 'code')
    throw errors.invalidParameter({ message: 'response_type must be code' });
  if (of('code_challenge_method') !== 'S256' || !CHALLENGE.test(of('code_challenge')))
    throw errors.invalidParameter({ message: 'code_challenge is required, with the method S256' });
  const clientName = shownName(of('client_id'));
  if (clientName === '')
    throw errors.invalidParameter({ message: 'client_id must contain characters that can be shown' });
  const redirectUri = of('redirect_uri');
  if (!isLoopback(redirectUri))
    throw errors.invalidParameter({
      message:
        'redirect_uri must be an address of the program’s own machine, such as http://127.0.0.1/callback',
    });
  if (ownPorts.has(new URL(redirectUri).port || '80'))
    throw errors.invalidParameter({ message: 'redirect_uri must not be an address of this server' });
  const state = query.get('state');
  if (state !== null && state.length > MAX_LENGTH)
    throw errors.invalidParameter({ message: `state has at most ${MAX_LENGTH} characters` });
  return { clientName, redirectUri, state, challenge: of('code_challenge') };
}

/** The key would go to another machine otherwise. */
export function isLoopback(address: string): boolean {
  if (address.length > MAX_LENGTH || !URL.canParse(address)) return false;
  const { protocol, hostname, username, password, hash } = new URL(address);
  return protocol === 'http:' && LOOPBACK.has(hostname) && username + password + hash === '';
}

/** Where the browser goes with the decision. */
export function addressWith({ redirectUri, state }: Asked, name: 'code' | 'error', value: string): string {
  const address = new URL(redirectUri);
  address.searchParams.set(name, value);
  if (state !== null) address.searchParams.set('state', state);
  return address.href;
}
