// Covers all content on one origin: cookies are separated by path, and pages of content can set some for all paths.
import { publish, startTestServer, type Person, type Published, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signIn } from './hand-over.ts';
import { cookiesOn, openTabs } from './tabs.ts';

interface Tossed {
  readonly name: string;
  readonly path: string;
  readonly value: string;
}

const MAIN = 'pressroom.test';
const CONTENT = 'content.test';

describe.each(['http', 'https'])('Content origin over %s', (scheme) => {
  let server: TestServer;
  let viewer: Person;
  let closed: Published;
  beforeAll(async () => {
    server = await startTestServer({
      settings: {
        'Server.Address': `${scheme}://${MAIN}`,
        'Server.ContentAddress': `${scheme}://${CONTENT}`,
      },
    });
    const owner = await server.person('publisher');
    viewer = await server.person('viewer');
    const fields = { access_type: 'logged_in' };
    closed = await publish(owner, { 'index.html': '<h1>Hello</h1>' }, { fields });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** Returns what a signed-in person sees at a content address. @param before cookies that pages of content set */
  async function opened(path: string, before: readonly Tossed[] = []): Promise<string> {
    const cookies = [
      ...cookiesOn(MAIN, await signIn(server.url, viewer)),
      ...before.map((cookie) => ({ host: CONTENT, ...cookie })),
    ];
    const [tab] = await openTabs([`${scheme}://${CONTENT}${path}`], { server: server.url, cookies });
    return tab!.text;
  }

  test('content opens in every spelling of its address', async () => {
    expect(await opened(`/content/${closed.guid}/`)).toBe('<h1>Hello</h1>');
    expect(await opened(`/content/${closed.guid.toUpperCase()}/`)).toBe('<h1>Hello</h1>');
  });

  test.each(['pressroom-content', 'pressroom-handover', '__Host-pressroom-handover'])(
    'a cookie %s set by other content does not lock visitors out',
    async (name) => {
      for (const value of ['junk', 'x'.repeat(43)])
        expect(await opened(`/content/${closed.guid}/`, [{ name, path: '/', value }])).toBe('<h1>Hello</h1>');
    },
  );
});
