// A browser with a session on its way to content: the server, the item's origin, back for a ticket, and the origin
// again.
import type { Person, Published } from '@pressroom/testkit';
import { ask, cookiesOf, NAVIGATION, type RawResponse } from './raw-request.ts';

type Cookies = Record<string, string>;

export const labelOf = ({ guid }: Pick<Published, 'guid'>) => `c${guid.replaceAll('-', '')}`;
export const originOf = (server: string, content: Pick<Published, 'guid'>) =>
  `http://${labelOf(content)}.localhost:${new URL(server).port}`;

export async function signIn(server: string, { username }: Person): Promise<Cookies> {
  const body = JSON.stringify({ username, password: 'correct horse' });
  const response = await fetch(`${server}/__login__`, { method: 'POST', body });
  const lines = response.headers.getSetCookie();
  return Object.fromEntries(lines.map((line) => line.split(';', 1)[0]!.split('=', 2) as [string, string]));
}

export const cookieHeader = (cookies: Cookies) =>
  Object.entries(cookies)
    .map(([name, value]) => `${name}=${value}`)
    .join('; ');

export function follow(response: RawResponse, cookies: Cookies = {}): Promise<RawResponse> {
  const { origin, pathname, search } = new URL(response.headers.location!);
  return ask(origin, pathname + search, { ...NAVIGATION, cookie: cookieHeader(cookies) });
}

export async function handOver(server: string, { guid }: Pick<Published, 'guid'>, session: Cookies) {
  const first = await ask(server, `/content/${guid}/`, { ...NAVIGATION, cookie: cookieHeader(session) });
  const begun = await follow(first);
  const given = await follow(begun, session);
  const take = (nonce: Cookies) => follow(given, nonce);
  return { first, begun, given, nonce: cookiesOf(begun), take };
}

/** @returns the content cookie of a signed-in visitor. */
export async function visitorOf(server: string, content: Pick<Published, 'guid'>, person: Person) {
  const session = await signIn(server, person);
  const { take, nonce } = await handOver(server, content, session);
  const taken = await take(nonce);
  return { session, taken, cookie: `pressroom-content=${cookiesOf(taken)['pressroom-content']}` };
}
