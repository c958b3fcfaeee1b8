// A browser that opens several pages of content at once, as when it starts again: each of them opens.
import { publish, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signIn } from './hand-over.ts';
import { ask, NAVIGATION } from './raw-request.ts';

const MAIN = 'pressroom.test';
const PAGES = 5;
/** More than any page needs. */
const MOST_STEPS = 20;

interface Cookie {
  readonly host: string;
  readonly name: string;
  readonly path: string;
  readonly value: string;
}
interface Page {
  url: URL;
  /** Status, once it is no redirect. */
  status: number | null;
}

describe.each([
  ['one origin for all content', 'http://content.test'],
  ['an origin for each item', 'http://*.content.test'],
])('%s', (_what, contentAddress) => {
  let server: TestServer;
  let viewer: Person;
  let urls: string[];
  beforeAll(async () => {
    server = await startTestServer({
      settings: { 'Server.Address': `http://${MAIN}`, 'Server.ContentAddress': contentAddress },
    });
    const owner = await server.person('publisher');
    viewer = await server.person('viewer');
    urls = [];
    for (let i = 0; i < PAGES; i += 1) {
      const files = { 'index.html': `<h1>${i}</h1>` };
      const { guid } = await publish(owner, files, { fields: { access_type: 'logged_in' } });
      urls.push((await owner.call('GET', `/v1/content/${guid}`)).body.content_url);
    }
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** What one browser keeps, and does with the answers. */
  async function browser() {
    const session = Object.entries(await signIn(server.url, viewer));
    let jar: Cookie[] = session.map(([name, value]) => ({ host: MAIN, name, path: '/', value }));
    return {
      send({ url: { host, pathname, search } }: Page) {
        const own = jar.filter((one) => one.host === host && pathname.startsWith(one.path));
        const cookie = own.map(({ name, value }) => `${name}=${value}`).join('; ');
        return ask(server.url, pathname + search, { ...NAVIGATION, host, cookie });
      },
      take(page: Page, { status, headers }: Awaited<ReturnType<typeof ask>>) {
        const { host } = page.url;
        for (const line of headers['set-cookie'] ?? []) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
          const path = /; Path=([^;]*)/.exec(line)?.[1] ?? '/';
          jar = jar.filter((one) => one.host !== host || one.name !== name || one.path !== path);
          if (!line.includes('Max-Age=0')) jar.push({ host, name, path, value });
        }
        if (headers.location === undefined) page.status = status;
        else page.url = new URL(headers.location, page.url);
      },
    };
  }

  test.each([
    ['the same item', 'each waits for the answer of the one before', false, () => urls.map(() => urls[0]!)],
    ['the same item', 'all ask before any has its answer', true, () => urls.map(() => urls[0]!)],
    ['different items', 'each waits for the answer of the one before', false, () => urls],
    ['different items', 'all ask before any has its answer', true, () => urls],
  ])('pages of %s open where %s', async (_which, _order, isParallel, wanted) => {
    const { send, take } = await browser();
    const pages = wanted().map((url): Page => ({ url: new URL(url), status: null }));
    for (let step = 0; step < MOST_STEPS; step += 1) {
      const open = pages.filter(({ status }) => status === null);
      if (isParallel) {
        const answers = await Promise.all(open.map(send));
        for (const [at, page] of open.entries()) take(page, answers[at]!);
      } else for (const page of open) take(page, await send(page));
    }
    expect(pages.map(({ status }) => status)).toEqual(pages.map(() => 200));
  });
});
