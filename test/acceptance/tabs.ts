// A browser that opens several pages of content at once: cookies by host and path, and redirects to their end.
import { ask, NAVIGATION, type RawResponse } from './raw-request.ts';

/** Cookies belong to a host name, whatever its port. */
interface Cookie {
  readonly host: string;
  readonly name: string;
  readonly path: string;
  readonly value: string;
}

export interface TabsOptions {
  /** Target of requests without a port. */
  readonly server: string;
  readonly cookies: readonly Cookie[];
  /** All tabs send requests before any is answered, or one after the other. */
  readonly order?: 'parallel' | 'staggered';
  /** A host whose cookies the browser refuses. */
  readonly blocked?: string;
}

const MAX_STEPS = 14;

/** @returns final status, text and address of each tab; status 0 for a redirect loop */
export async function openTabs(urls: readonly string[], options: TabsOptions) {
  const { server, order = 'staggered', blocked } = options;
  const tabs = urls.map((url) => ({ url: new URL(url), status: 0, text: 'led in a circle' }));
  let jar: readonly Cookie[] = options.cookies;

  function send({ url }: { url: URL }): Promise<RawResponse> {
    const sent = jar.filter((one) => one.host === url.hostname && url.pathname.startsWith(one.path));
    const cookie = sent.map(({ name, value }) => `${name}=${value}`).join('; ');
    const at = url.port === '' ? server : `http://127.0.0.1:${url.port}`;
    return ask(at, url.pathname + url.search, { ...NAVIGATION, host: url.host, cookie });
  }

  function take(tab: (typeof tabs)[number], { status, headers, text }: RawResponse): void {
    const host = tab.url.hostname;
    for (const line of headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      const path = /; Path=([^;]*)/.exec(line)?.[1] ?? '/';
      if (line.includes('Domain=') || host === blocked) continue;
      jar = jar.filter((one) => one.host !== host || one.name !== name || one.path !== path);
      if (!/; Max-Age=0(?:;|$)/.test(line)) jar = [...jar, { host, name, path, value }];
    }
    if (headers.location === undefined) Object.assign(tab, { status, text });
    else tab.url = new URL(headers.location, tab.url);
  }

  for (let step = 0; step < MAX_STEPS; step += 1) {
    const going = tabs.filter(({ status }) => status === 0);
    if (order === 'parallel') {
      const responses = await Promise.all(going.map(send));
      for (const [i, response] of responses.entries()) take(going[i]!, response);
    } else for (const tab of going) take(tab, await send(tab));
  }
  return tabs.map(({ url, status, text }) => ({ url: url.href, status, text }));
}

/** A person's session cookies in the browser. */
export function cookiesOn(host: string, cookies: Readonly<Record<string, string>>): Cookie[] {
  return Object.entries(cookies).map(([name, value]) => ({ host, name, path: '/', value }));
}
