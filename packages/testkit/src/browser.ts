// A minimal browser for sign-in tests: cookies by host and path, redirects one at a time, forms.
export interface Page {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly url: string;
}

export interface Browser {
  /** The value of a cookie that a request to this address would send. */
  cookie(url: string, name: string): string | undefined;
  setCookie(url: string, name: string, value: string): void;
  /** Removes the cookies of a host. */
  forget(url: string): void;
  /** One request; redirects are returned, not followed. */
  request(url: string, init?: RequestInit): Promise<Page>;
  get(url: string): Promise<Page>;
  submit(url: string, fields: Record<string, string>): Promise<Page>;
  /** Follows redirects to the first other page. */
  follow(page: Page): Promise<Page>;
  /** An API request in the session, with its XSRF header. */
  api(method: string, url: string, body?: unknown): Promise<Page>;
}

interface Cookie {
  readonly host: string;
  readonly name: string;
  readonly path: string;
  readonly value: string;
}

const MAX_REDIRECTS = 20;

/** @param headers sent with every request, such as a proxy's credentials. */
export function createBrowser(headers: Readonly<Record<string, string>> = {}): Browser {
  let cookies: Cookie[] = [];

  const cookiesFor = (url: string) => {
    const { host, pathname } = new URL(url);
    return cookies.filter(
      (cookie) =>
        cookie.host === host && (pathname === cookie.path || pathname.startsWith(withSlash(cookie.path))),
    );
  };

  function store(url: string, line: string): void {
    const [pair, ...attributes] = line.split(';').map((part) => part.trim());
    const at = pair!.indexOf('=');
    const [name, value] = [pair!.slice(0, at), pair!.slice(at + 1)];
    const attribute = (wanted: string) =>
      attributes.find((item) => item.toLowerCase().startsWith(`${wanted}=`))?.slice(wanted.length + 1);
    const { host, pathname } = new URL(url);
    const path = attribute('path') ?? (pathname.slice(0, pathname.lastIndexOf('/')) || '/');
    const expires = attribute('expires');
    const gone = attribute('max-age') === '0' || (expires !== undefined && Date.parse(expires) <= Date.now());
    cookies = cookies.filter((old) => old.host !== host || old.name !== name || old.path !== path);
    if (!gone) cookies.push({ host, name, path, value });
  }

  const browser: Browser = {
    cookie: (url, name) => cookiesFor(url).find((cookie) => cookie.name === name)?.value,
    setCookie: (url, name, value) => store(url, `${name}=${value}; Path=/`),
    forget(url) {
      cookies = cookies.filter((cookie) => cookie.host !== new URL(url).host);
    },
    async request(url, init = {}) {
      const jar = cookiesFor(url).map(({ name, value }) => `${name}=${value}`);
      const response = await fetch(url, {
        ...init,
        redirect: 'manual',
        headers: { ...headers, ...(jar.length > 0 && { Cookie: jar.join('; ') }), ...init.headers },
      });
      for (const line of response.headers.getSetCookie()) store(url, line);
      return { status: response.status, headers: response.headers, text: await response.text(), url };
    },
    get: (url) => browser.request(url),
    submit: (url, fields) => browser.request(url, { method: 'POST', body: new URLSearchParams(fields) }),
    async follow(page) {
      let current = page;
      for (let i = 0; i < MAX_REDIRECTS; i += 1) {
        const location = current.headers.get('location');
        if (current.status < 300 || current.status > 399 || location === null) return current;
        current = await browser.get(new URL(location, current.url).href);
      }
      throw new Error(`more than ${MAX_REDIRECTS} redirects, the last to ${current.url}`);
    },
    api(method, url, body) {
      return browser.request(url, {
        method,
        headers: { 'X-RSC-XSRF': browser.cookie(url, 'RSC-XSRF') ?? '' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    },
  };
  return browser;
}

function withSlash(path: string): string {
  return path.endsWith('/') ? path : `${path}/`;
}
