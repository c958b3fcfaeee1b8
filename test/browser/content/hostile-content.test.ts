// Covers a hostile content page in an administrator's browser, for each way to reach the server (H1, H2, M1, M9, M10).
import { openBrowser } from '@pressroom/testkit';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  SECRET,
  startHostileServer,
  visit,
  type HostileServer,
  type HostileWorld,
  type Setup,
  type Way,
} from './hostile-world.ts';

const NAME = 'pressroom.example.test';
const ON_NAME: Way = { main: `http://${NAME}:{port}`, domain: 'example.test' };
const SETUPS: readonly Setup[] = [
  {
    settings: () => ({}),
    ways: {
      'default settings, by IP address': { main: 'http://127.0.0.1:{port}', domain: null },
      'default settings, as localhost': { main: 'http://localhost:{port}', domain: 'localhost' },
      'plain http on a host name': ON_NAME,
    },
  },
  {
    settings: (main, [port]) => ({
      'Server.Address': main,
      'Server.ContentAddress': `https://*.content.example.test:${port}`,
      'HTTP.TrustProxy': '127.0.0.1',
    }),
    nginx: { names: [NAME, '*.content.example.test'], tls: true },
    ways: {
      'https behind nginx, an origin for each item': {
        main: `https://${NAME}:{port}`,
        domain: 'example.test',
      },
    },
  },
  {
    settings: (main) => ({ 'Server.Address': main, 'HTTP.TrustProxy': '127.0.0.1' }),
    nginx: { names: [NAME], tls: false },
    ways: { 'plain http on a host name behind nginx': ON_NAME },
  },
  {
    settings: (main, [port]) => ({
      'Server.Address': main,
      'Server.ContentAddress': `http://*.content.example.test:${port}`,
    }),
    ways: { 'plain http on a host name, an origin for each item': ON_NAME },
  },
  {
    settings: (_main, [, second]) => ({ 'HTTP.ContentListen': `127.0.0.1:${second}` }),
    isShared: true,
    ways: { 'plain http on a host name, a second port': ON_NAME },
  },
  {
    settings: () => ({ 'Server.ContentOrigin': 'shared' }),
    isShared: true,
    ways: {
      'one origin for all content, on this machine': { main: 'http://127.0.0.1:{port}', domain: null },
      'one origin for all content, plain http on a host name': ON_NAME,
    },
  },
];
/** Text that only the visitor, the administrator, may see. */
const LOOT = new RegExp(`${SECRET}|Make a key|Sign out|"username":"admin"|SOCKET OPEN|WORKER`);

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser('--host-resolver-rules=MAP *.test 127.0.0.1');
});
afterAll(() => browser.close());

// One server for the ways that have the same settings.
describe.each(SETUPS)('Server %#', (setup) => {
  let server: HostileServer;
  beforeAll(async () => {
    server = await startHostileServer(setup);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  describe.each(Object.entries(setup.ways))('%s', (_name, way) => {
    let world: HostileWorld;
    beforeAll(async () => {
      world = await visit(server, way, browser);
    });
    afterAll(() => world[Symbol.asyncDispose]());

    async function attack(which: string): Promise<Record<string, string>> {
      const { tab, context } = world;
      await tab.goto(`${world.main}/content/${world.page.guid}/`);
      const got = await tab.evaluate(`${which}(${JSON.stringify(world.target)})`);
      // Close the pages that it opened.
      for (const page of context.pages()) if (page !== tab) await page.close();
      return got as Record<string, string>;
    }
    const looted = (got: Record<string, string>) => Object.entries(got).filter(([, text]) => LOOT.test(text));

    test('its visitor sees their own content: the attacks have a target (control)', () => {
      expect(world.seen).toContain(SECRET);
    });

    test('cannot access the dashboard or the API', async () => {
      const got = await attack('onServer');
      expect(Object.keys(got).length).toBeGreaterThan(30);
      expect(looted(got)).toEqual([]);
      expect(got['cookies elsewhere']).toMatch(/^$|^refused/);
      expect(await server.namesOfKeys()).not.toContain('stolen');
    });

    // On a shared origin, content is not protected from other content: the start warns about it (origin-findings.test.ts).
    if (!setup.isShared)
      test('cannot access other content as its visitor (M9, M10)', async () => {
        const got = await attack('onOthers');
        expect(Object.keys(got).length).toBeGreaterThan(10);
        expect(looted(got)).toEqual([]);
      });

    if (setup.nginx)
      test.each(['accel', 'accel_'])(
        'cannot access files through the proxy in front: %s (H1)',
        async (path) => {
          const { tab } = world;
          const response = await tab.goto(world.appAddress + path);
          expect(await tab.content()).not.toMatch(LOOT);
          expect(await tab.title()).toBe('App');
          expect(response?.headers()).not.toHaveProperty('x-accel-redirect');
        },
      );

    test('cannot replace the visitor’s session by script, response or WebSocket (M1)', async () => {
      const got = await attack('onCookies');
      expect(looted(got)).toEqual([]);
      const { tab, appAddress: at } = world;
      await tab.goto(`${at}cookies`);
      await tab.evaluate(
        `new Promise((resolve) => Object.assign(new WebSocket(${JSON.stringify(at.replace('http', 'ws'))}), { onopen: resolve, onerror: resolve }))`,
      );
      for (const path of ['/__dashboard__/keys', '/', '/__dashboard__/keys']) {
        await tab.goto(world.main + path);
        // The content list at / shows owners, so it contains the name.
        if (path !== '/') expect(await tab.content()).not.toContain('mallory');
      }
    });
  });
});
