// A server with people and content, and a browser signed in to its dashboard.
import {
  openBrowser,
  ownAddress,
  publish,
  signIn,
  startTestServer,
  type Person,
  type Published,
  type TestServer,
  type TestServerOptions,
} from '@pressroom/testkit';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';

export interface World extends AsyncDisposable {
  readonly server: TestServer;
  readonly browser: Browser;
  readonly administrator: Person;
  readonly publisher: Person;
  readonly page: Published;
  readonly root: string;
  /** An empty page of a signed-in person: sign-in-browser.test.ts uses the form. */
  enter(person: Person, options?: BrowserContextOptions): Promise<Page>;
}

/** @param more settings of the server */
export async function makeWorld(more: TestServerOptions['settings'] = {}): Promise<World> {
  const { settings } = await ownAddress();
  const server = await startTestServer({ settings: { ...settings, 'Scheduler.IdleTimeout': 600, ...more } });
  const administrator = await server.administrator();
  const publisher = await server.person('publisher', { first_name: 'Pia', last_name: 'Publisher' });
  const files = { 'index.html': '<!doctype html><title>Sales</title><h1>Sales</h1>' };
  const page = await publish(publisher, files, { fields: { name: 'sales', title: 'Sales <report> & more' } });
  const browser = await openBrowser();
  const root = `${server.url}/__dashboard__`;
  return {
    server,
    browser,
    administrator,
    publisher,
    page,
    root,
    async enter({ username }, options) {
      const context = await browser.newContext(options);
      await signIn(context, server.url, username);
      return context.newPage();
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Clicks what leads to another page, in a browser without JavaScript, and waits for all of that page. */
export async function follow(link: Locator): Promise<void> {
  await link.click();
  // The click ends when the page begins.
  await link.page().waitForLoadState();
}

/** Opens a section of a long page, by its link. */
export async function openSection(tab: Page, title: string): Promise<void> {
  const sections = tab.getByRole('navigation', { name: 'Sections' });
  await sections.getByRole('link', { name: title, exact: true }).click();
}

/** For tests of what is in all of them. */
export async function openSections(tab: Page): Promise<void> {
  await tab.evaluate('document.querySelectorAll("details").forEach((one) => (one.open = true))');
}
