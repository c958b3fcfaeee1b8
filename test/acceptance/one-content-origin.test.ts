// All content on one origin: its cookies go by path, and pages of content can set some for all of it.
import { publish, startTestServer, type Person, type Published, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signIn } from './hand-over.ts';
import { ask, NAVIGATION } from './raw-request.ts';

interface Cookie {
  readonly host: string;
  readonly name: string;
  readonly path: string;
  readonly value: string;
}

const MAIN = 'pressroom.test';
const CONTENT = 'content.test';
const MOST_REDIRECTS = 12;

describe.each(['http', 'https'])('over %s', (scheme) => {
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

  /** What somebody who is signed in sees at an address of content in the end. @param before cookies that pages of content set */
  async function opened(path: string, before: readonly Omit<Cookie, 'host'>[] = []): Promise<string> {
    const session = Object.entries(await signIn(server.url, viewer));
    let jar: Cookie[] = [
      ...session.map(([name, value]) => ({ host: MAIN, name, path: '/', value })),
      ...before.map((cookie) => ({ host: CONTENT, ...cookie })),
    ];
    let url = new URL(path, `${scheme}://${CONTENT}`);
    for (let i = 0; i < MOST_REDIRECTS; i += 1) {
      const { host, pathname, search } = url;
      const sent = jar.filter((one) => one.host === host && pathname.startsWith(one.path));
      const cookie = sent.map(({ name, value }) => `${name}=${value}`).join('; ');
      const answer = await ask(server.url, pathname + search, { ...NAVIGATION, host, cookie });
      for (const line of answer.headers['set-cookie'] ?? []) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        const at = /; Path=([^;]*)/.exec(line)?.[1] ?? '/';
        if (line.includes('Domain=')) continue;
        jar = jar.filter((one) => one.host !== host || one.name !== name || one.path !== at);
        if (!line.includes('Max-Age=0')) jar.push({ host, name, path: at, value });
      }
      const { location } = answer.headers;
      if (location === undefined) return answer.text;
      url = new URL(location, url);
    }
    return 'led in a circle';
  }

  test('content opens, however its address is written', async () => {
    expect(await opened(`/content/${closed.guid}/`)).toBe('<h1>Hello</h1>');
    expect(await opened(`/content/${closed.guid.toUpperCase()}/`)).toBe('<h1>Hello</h1>');
  });

  test.each(['pressroom-content', 'pressroom-handover', '__Host-pressroom-handover'])(
    'a cookie %s that other content set for all of it locks nobody out',
    async (name) => {
      for (const value of ['junk', 'x'.repeat(43)])
        expect(await opened(`/content/${closed.guid}/`, [{ name, path: '/', value }])).toBe('<h1>Hello</h1>');
    },
  );
});
