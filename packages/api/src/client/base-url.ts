// Normalises the address of a server as people type it.
import { ClientOptionsError } from './failures.ts';

/**
 * Normalises the address of a server: no trailing slash, query or fragment; a sub-path stays. Addresses of dashboard,
 * sign-in and API pages are reduced to the server's. `connect.example.com` becomes `https://connect.example.com`; this
 * machine (`localhost:3939`, `127.0.0.1:3939`) is contacted without TLS. Throws ClientOptionsError.
 */
export function normalizeServerUrl(input: string): string {
  const text = input.trim();
  const hint = 'Use an address such as https://connect.example.com or https://example.com/connect.';
  if (text === '') throw new ClientOptionsError('The address of the server is empty.', hint);
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
  // Within this machine no certificate is needed, and servers under test have none.
  const withScheme = hasScheme ? text : `${isThisMachine(text) ? 'http' : 'https'}://${text}`;
  if (!URL.canParse(withScheme))
    throw new ClientOptionsError('The address of the server is not a URL.', hint);
  const url = new URL(withScheme);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new ClientOptionsError(`${url.protocol}// is not a server address.`, hint);
  }
  if (url.username !== '' || url.password !== '') {
    throw new ClientOptionsError('The address of the server must not contain a username or password.', hint);
  }
  const path = url.pathname.replace(/\/__(api|dashboard|login)__(\/.*)?$/, '').replace(/\/+$/, '');
  return `${url.origin}${path}`;
}

/** Whether an address without its scheme, such as `localhost:3939/connect`, is on this machine. */
export function isThisMachine(address: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?(\/|$)/i.test(address);
}
