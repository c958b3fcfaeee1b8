// Keeps the cookies of one server, for load balancers with sticky sessions.

export interface CookieJar {
  /** Stores the Set-Cookie lines of a response. */
  store(lines: readonly string[]): void;
  /** The Cookie header, or undefined without cookies. */
  header(): string | undefined;
  get(name: string): string | undefined;
}

const MAX_COOKIES = 50;
const MAX_LENGTH = 4096;

/**
 * A jar for one origin and base path. Cookies for other paths are not kept: all calls go below one path.
 * @param now milliseconds since the epoch, for expiry.
 */
export function createCookieJar(options: { basePath: string; now: () => number }): CookieJar {
  const cookies = new Map<string, { value: string; expires: number }>();
  const live = () => {
    for (const [name, { expires }] of cookies) if (expires <= options.now()) cookies.delete(name);
    return cookies;
  };
  return {
    store(lines) {
      for (const line of lines) {
        const parsed = parse(line, options.now());
        if (parsed === undefined || !covers(parsed.path, options.basePath)) continue;
        cookies.delete(parsed.name);
        if (parsed.expires > options.now() && live().size < MAX_COOKIES) cookies.set(parsed.name, parsed);
      }
    },
    header() {
      const pairs = [...live()].map(([name, { value }]) => `${name}=${value}`);
      return pairs.length === 0 ? undefined : pairs.join('; ');
    },
    get: (name) => live().get(name)?.value,
  };
}

function parse(line: string, now: number) {
  if (line.length > MAX_LENGTH) return undefined;
  const [pair = '', ...attributes] = line.split(';');
  const at = pair.indexOf('=');
  const name = pair.slice(0, at).trim();
  const value = pair.slice(at + 1).trim();
  // Anything else could not be sent back as a header.
  if (at < 1 || !/^[\x21-\x7e]+$/.test(name) || !/^[\x20-\x7e]*$/.test(value)) return undefined;
  let expires = Number.POSITIVE_INFINITY;
  let maxAge: number | undefined;
  let path = '/';
  for (const attribute of attributes) {
    const [key = '', text = ''] = attribute.split(/=(.*)/s).map((part) => part.trim());
    const lower = key.toLowerCase();
    if (lower === 'path' && text.startsWith('/')) path = text;
    if (lower === 'max-age' && /^-?\d+$/.test(text)) maxAge = now + Number(text) * 1000;
    if (lower === 'expires' && !Number.isNaN(Date.parse(text))) expires = Date.parse(text);
  }
  return { name, value, path, expires: maxAge ?? expires };
}

function covers(cookiePath: string, basePath: string): boolean {
  const api = `${basePath}/__api__/`;
  const prefix = cookiePath.endsWith('/') ? cookiePath : `${cookiePath}/`;
  return api.startsWith(prefix);
}
