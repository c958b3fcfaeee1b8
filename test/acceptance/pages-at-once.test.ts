// Covers content pages opened at once in one browser: each gets its session, wherever content is served.
import type { Config } from '@pressroom/server';
import { publish, startTestServer, type Person, type Published, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { labelOf, signIn } from './hand-over.ts';
import { cookiesOn, openTabs } from './tabs.ts';

interface Way {
  readonly settings: Partial<Config>;
  /** The server's address; {port} is replaced. */
  readonly main: string;
  /** The address of a content item; {label} is replaced by its host label. */
  readonly at: string;
}

const named = (scheme: string, content: string): Way => ({
  settings: {
    'Server.Address': `${scheme}://pressroom.test`,
    'Server.ContentAddress': `${scheme}://${content}`,
  },
  main: `${scheme}://pressroom.test`,
  at: `${scheme}://${content.replace('*', '{label}')}`,
});
const ofMain = (main: string, settings: Partial<Config> = {}): Way => ({ settings, main, at: main });
const WAYS: Readonly<Record<string, Way>> = {
  'one origin for all content': named('http', 'content.test'),
  'one origin for all content, over https': named('https', 'content.test'),
  'an origin for each item': named('http', '*.content.test'),
  'an origin for each item, over https': named('https', '*.content.test'),
  'an origin for each item on this machine': ofMain('http://127.0.0.1:{port}'),
  'an origin for each item on this machine, by another name than that of the settings':
    ofMain('http://localhost:{port}'),
  'a second port': ofMain('http://pressroom.test:{port}', { 'HTTP.ContentListen': '127.0.0.1:0' }),
};

describe.each(Object.entries(WAYS))('%s', (_name, way) => {
  let server: TestServer;
  let viewer: Person;
  let items: Published[];
  beforeAll(async () => {
    server = await startTestServer({ settings: way.settings });
    const owner = await server.person('publisher');
    viewer = await server.person('viewer');
    const fields = { access_type: 'logged_in' };
    const one = await publish(owner, { 'index.html': 'first' }, { fields });
    items = [one, await publish(owner, { 'index.html': 'second' }, { fields })];
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const filled = (address: string, content: Published) =>
    address.replace('{port}', new URL(server.url).port).replace('{label}', labelOf(content));

  test.each([
    ['the same item twice', 'parallel', [0, 0]],
    ['the same item twice', 'staggered', [0, 0]],
    ['two items', 'parallel', [0, 1]],
    ['two items', 'staggered', [0, 1]],
    ['a window of tabs', 'parallel', [0, 1, 1, 0, 1, 0]],
    ['a window of tabs', 'staggered', [0, 1, 1, 0, 1, 0]],
  ] as const)('%s, %s', async (_what, order, which) => {
    const opened = which.map((i) => items[i]!);
    const urls = opened.map((item) => `${filled(way.at, item)}/content/${item.guid}/`);
    const host = new URL(filled(way.main, opened[0]!)).hostname;
    const cookies = cookiesOn(host, await signIn(server.url, viewer));
    const seen = await openTabs(urls, { server: server.url, cookies, order });
    expect(seen.map(({ status, text }) => [status, text])).toEqual(
      which.map((i) => [200, ['first', 'second'][i]]),
    );
    for (const { url } of seen)
      expect(new URL(url).host).not.toBe(new URL(filled(way.main, opened[0]!)).host);
  });
});
