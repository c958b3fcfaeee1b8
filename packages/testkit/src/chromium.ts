// A real headless browser with its own home directory.
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContext } from 'playwright-core';
import { PASSWORD } from './test-server.ts';

/** On Ubuntu, where test/browser/host puts it. */
const OF_NPM = '/usr/local/bin/chromium-headless-shell';
/** The headless build of Chromium: it starts in a third of the time, and pages take half. */
export const CHROMIUM = existsSync(OF_NPM) ? OF_NPM : '/usr/bin/chromium-headless-shell';

/** Only the last list counts, so playwright's own are included. */
const FEATURES = [
  'CDPScreenshotNewSurface',
  'SkipListAccountsWithoutGaiaCookies',
  // A new frame only after a crash, not for each navigation: a sixth less CPU.
  'RenderDocument:level/crashed-frame',
  // Otherwise a large script is often compiled again, although its compiled code is cached.
  'BackgroundResourceFetch:background-script-response-processor/false',
];
/** Saves CPU wherever Chromium is started. */
export const CHROMIUM_FEATURES = `--enable-features=${FEATURES.join(',')}`;

/** Signs in with requests, as the form would, at a tenth of its cost. @param url base address */
export async function signIn(context: BrowserContext, url: string, username: string): Promise<void> {
  const response = await context.request.post(`${url}/__login__`, { data: { username, password: PASSWORD } });
  if (!response.ok())
    throw new Error(`${username} is not signed in: ${response.status()} ${await response.text()}`);
}

/** Leaves nothing behind when closed. @param args additional options */
export async function openBrowser(...args: string[]): Promise<Browser> {
  const home = await mkdtemp(join(tmpdir(), 'pressroom-browser-'));
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-dev-shm-usage', CHROMIUM_FEATURES, ...args],
    env: { ...(process.env as Record<string, string>), HOME: home },
  });
  // Its processes may still write for a moment.
  browser.once('disconnected', () => void rm(home, { recursive: true, force: true, maxRetries: 10 }));
  return browser;
}
