// A real browser without a window, with a home of its own.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContext } from 'playwright-core';
import { PASSWORD } from './test-server.ts';

/** Chromium as it is without windows: it starts in a third of the time, and pages take half. */
export const CHROMIUM = '/usr/bin/chromium-headless-shell';

/** The last list counts, so those that playwright names are here, too. */
const FEATURES = [
  'CDPScreenshotNewSurface',
  'SkipListAccountsWithoutGaiaCookies',
  // A new frame only after a crash, not for each page that is gone to: a sixth less CPU.
  'RenderDocument:level/crashed-frame',
];

/** Its pages are those of a person then, as after the form: a request costs a tenth of it. @param url what they are below */
export async function signIn(context: BrowserContext, url: string, username: string): Promise<void> {
  const answer = await context.request.post(`${url}/__login__`, { data: { username, password: PASSWORD } });
  if (!answer.ok())
    throw new Error(`${username} is not signed in: ${answer.status()} ${await answer.text()}`);
}

/** Closed, it leaves nothing behind. @param args more of its own options */
export async function openBrowser(...args: string[]): Promise<Browser> {
  const home = await mkdtemp(join(tmpdir(), 'pressroom-browser-'));
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-dev-shm-usage', `--enable-features=${FEATURES.join(',')}`, ...args],
    env: { ...(process.env as Record<string, string>), HOME: home },
  });
  // Its processes may still write for a moment.
  browser.once('disconnected', () => void rm(home, { recursive: true, force: true, maxRetries: 10 }));
  return browser;
}
