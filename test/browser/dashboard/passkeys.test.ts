// Covers passkeys (M4), in a real browser with a virtual authenticator.
import { openBrowser, signIn, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const PASSWORD = 'correct horse';

let server: TestServer;
let browser: Browser;
let url: string;
beforeAll(async () => {
  server = await startTestServer({ settings: {}, pause: async () => undefined });
  await server.administrator();
  browser = await openBrowser();
  // Browsers allow no passkeys for IP addresses.
  url = server.url.replace('127.0.0.1', 'localhost');
});
afterAll(async () => {
  await browser.close();
  await server[Symbol.asyncDispose]();
});

interface Device {
  readonly tab: Page;
  readonly session: CDPSession;
  readonly authenticatorId: string;
}

/** Opens a browser with a built-in authenticator. @param asks whether it can verify the user */
async function openDevice(asks = true): Promise<Device> {
  const tab = await (await browser.newContext()).newPage();
  const session = await tab.context().newCDPSession(tab);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: asks,
      isUserVerified: asks,
      automaticPresenceSimulation: true,
    },
  });
  return { tab, session, authenticatorId };
}

async function typePassword(tab: Page, username: string): Promise<void> {
  await tab.goto(`${url}/__login__?next=/__dashboard__/account`);
  await tab.getByLabel('Username').fill(username);
  await tab.getByLabel('Password').fill(PASSWORD);
  await tab.getByRole('button', { name: 'Sign in', exact: true }).click();
}

async function register({ tab }: Device, { username }: Person, name: string) {
  await signIn(tab.context(), url, username);
  await tab.goto(`${url}/__dashboard__/account/passkeys`);
  await add(tab, name);
  await tab.getByRole('cell', { name, exact: true }).waitFor();
}

async function add(tab: Page, name: string, password = PASSWORD) {
  const form = tab.locator('[data-passkey]');
  await form.getByLabel('Name').fill(name);
  await form.getByLabel('Your password').fill(password);
  await tab.getByRole('button', { name: 'Add passkey' }).click();
}

const signOut = async ({ tab }: Device) => {
  await tab.getByRole('button', { name: 'Sign out' }).click();
  await tab.getByRole('heading', { name: 'Signed out' }).waitFor();
};
const whoIs = async (tab: Page) => {
  await tab.goto(`${url}/__dashboard__/account`);
  return tab.locator('dd').first().innerText();
};

describe('Passkeys', () => {
  test('adding one requires the password; it signs in alone until it is removed', async () => {
    const person = await server.person('publisher');
    const device = await openDevice();
    const { tab } = device;
    await typePassword(tab, person.username);
    await tab.getByRole('link', { name: 'Passkeys' }).click();
    await tab.getByLabel('Name').waitFor();
    expect(await tab.getByRole('alert').count()).toBe(0);
    await add(tab, 'My key', 'not the password');
    await expect.poll(() => tab.getByRole('alert').first().innerText()).toBe('Incorrect current password');
    await add(tab, 'My key');
    await tab.getByRole('cell', { name: 'My key', exact: true }).waitFor();
    await signOut(device);
    await tab.goto(`${url}/__login__?next=/__dashboard__/account`);
    await tab.getByRole('button', { name: 'Use a passkey' }).click();
    await tab.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
    expect(await whoIs(tab)).toBe(person.username);
    await tab.goto(`${url}/__dashboard__/account/passkeys`);
    // Removal requires the password, since anybody may use an open session.
    const remove = async (password: string) => {
      await tab.getByRole('radio', { name: /^Remove / }).check();
      await tab.locator('[name="remove-password"]').fill(password);
      await tab.getByRole('button', { name: 'Remove passkey' }).click();
    };
    await remove('not the password');
    await expect.poll(() => tab.getByRole('alert').first().innerText()).toBe('Incorrect current password');
    await tab.goto(`${url}/__dashboard__/account/passkeys`);
    await remove(PASSWORD);
    await tab.getByText('Passkey removed.').waitFor();
    await signOut(device);
    await tab.goto(`${url}/__login__`);
    await tab.getByRole('button', { name: 'Use a passkey' }).click();
    await expect.poll(() => tab.getByRole('alert').first().innerText()).toContain('not accepted');
  });

  test('adding a second one of the same device, or none, says so', async () => {
    const person = await server.person('viewer');
    const device = await openDevice();
    const { tab, session, authenticatorId } = device;
    await register(device, person, 'Laptop');
    const admin = await browser.newContext();
    await signIn(admin, url, (await server.administrator()).username);
    const users = await admin.newPage();
    await users.goto(`${url}/__dashboard__/users/${person.guid}`);
    await users.getByText('1 passkey', { exact: true }).waitFor();
    await admin.close();
    await add(tab, 'Again');
    const problem = tab.locator('[data-passkey] [role="alert"]');
    await expect.poll(() => problem.innerText()).toBe('This device already has a passkey of your account.');
    await session.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });
    await session.send('WebAuthn.disable');
    await tab.reload();
    await tab.evaluate(
      `navigator.credentials.create = () => Promise.reject(new DOMException('', 'NotAllowedError')); null`,
    );
    await add(tab, 'Cancelled');
    await expect
      .poll(() => problem.innerText())
      .toBe('The browser created no passkey (NotAllowedError). Try again.');
    expect(await tab.getByLabel('Name').inputValue()).toBe('Cancelled');
  });

  test('a browser without them, and an address that is not the server’s, say so', async () => {
    const person = await server.person('viewer');
    const device = await openDevice(false);
    const { tab } = device;
    const page = `${url}/__dashboard__/account/passkeys`;
    await register(device, person, 'Mine');
    // The page as the server shows it behind a proxy that people pass by.
    await tab.route(page, async (route) => {
      const body = (await (await route.fetch()).text()).replaceAll(
        'id&quot;:&quot;localhost',
        'id&quot;:&quot;host.example',
      );
      await route.fulfill({ body, contentType: 'text/html' });
    });
    await tab.goto(page);
    await add(tab, 'Elsewhere');
    const form = tab.locator('[data-passkey]');
    await expect
      .poll(() => form.getByRole('alert').innerText())
      .toBe('Passkeys of this server work only at host.example: open it there.');
    await tab.unroute(page);
    await tab.addInitScript('delete PublicKeyCredential.parseRequestOptionsFromJSON');
    const none = 'This browser does not support passkeys. Update it, or use another browser.';
    await tab.goto(page);
    await expect.poll(() => form.innerText()).toBe(none);
    await signOut(device);
    await typePassword(tab, person.username);
    await tab.getByRole('heading', { name: 'Two-factor authentication' }).waitFor();
    await expect.poll(() => form.innerText()).toBe(none);
    await tab.goto(`${url}/__login__`);
    expect(await form.isVisible()).toBe(false);
  });

  test('one without user verification is a second factor after the password', async () => {
    const person = await server.person('viewer');
    const device = await openDevice(false);
    const { tab } = device;
    await register(device, person, 'A stick');
    await signOut(device);
    await tab.goto(`${url}/__login__`);
    await tab.getByRole('button', { name: 'Use a passkey' }).click();
    await expect.poll(() => tab.getByRole('alert').first().innerText()).not.toBe('');
    expect((await tab.request.get(`${url}/__api__/v1/user`)).status()).toBe(401);
    await typePassword(tab, person.username);
    await tab.getByRole('heading', { name: 'Two-factor authentication' }).waitFor();
    const response = await tab.request.get(`${url}/__api__/v1/user`);
    expect(response.status()).toBe(401);
    await tab.getByRole('button', { name: 'Use a passkey' }).click();
    await tab.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
    expect(await whoIs(tab)).toBe(person.username);
    const body = { username: person.username, password: PASSWORD };
    expect(await server.anonymous('POST', '//__login__', { body })).toMatchObject({
      status: 401,
      body: { code: 99 },
    });
  });

  test('rejects a replayed response', async () => {
    const person = await server.person('viewer');
    const device = await openDevice();
    const { tab } = device;
    await register(device, person, 'Mine');
    await signOut(device);
    await tab.goto(`${url}/__login__`);
    const sent = tab.waitForRequest((request) => request.url().endsWith('/__login__/passkey'));
    await tab.getByRole('button', { name: 'Use a passkey' }).click();
    const body = (await sent).postData()!;
    await expect.poll(async () => (await tab.request.get(`${url}/__api__/v1/user`)).status()).toBe(200);
    const stranger = (await browser.newContext()).request;
    const replay = await stranger.post(`${url}/__login__/passkey`, {
      data: body,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    });
    expect([replay.status(), replay.headers()['set-cookie']]).toEqual([401, undefined]);
    expect(await replay.text()).toContain('not accepted');
  });

  test('the sign-in page works with a Content-Security-Policy for its one script', async () => {
    const device = await openDevice();
    const problems: string[] = [];
    device.tab.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    const response = (await device.tab.goto(`${url}/__login__`))!;
    const policy = response.headers()['content-security-policy']!;
    expect(policy).toMatch(/default-src 'none'/);
    expect(policy).toMatch(/script-src 'sha256-[\w+/=]+'/);
    expect(policy).not.toMatch(/script-src[^;]*(unsafe-inline|'self'|\*)/);
    await device.tab.getByRole('button', { name: 'Use a passkey' }).waitFor();
    expect(problems).toEqual([]);
  });
});
