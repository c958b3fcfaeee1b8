// Covers published content as untrusted code in the visitor's browser: what it tries, and what the responses prevent.
import { freePort, openBrowser, publish, startTestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeWorld, type World } from './world.ts';

/** Tries everything it can to act as its visitor, and returns the results. */
const HOSTILE = `<!doctype html><title>Hostile</title><script>
async function text(work) {
  try { return String(await work()).slice(0, 200); } catch (error) { return 'refused: ' + error.name; }
}
const json = (path, options) => text(async () => {
  const answer = await fetch(path, options);
  return answer.status + ' ' + (await answer.text());
});
async function framed() {
  const frame = document.createElement('iframe');
  frame.src = '/__dashboard__/';
  document.body.append(frame);
  await new Promise((resolve) => { frame.onload = resolve; setTimeout(resolve, 3000); });
  return frame.contentDocument.body.innerHTML;
}
async function opened(path) {
  const other = window.open(path);
  for (let i = 0; i < 30; i++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    if (other.closed) return 'closed';
    if (other.document.readyState === 'complete' && other.location.pathname.startsWith('/__')) return other.document.body.innerHTML;
  }
  return 'nothing';
}
window.attack = async () => {
  const got = {
    cookie: document.cookie,
    api: await json('/__api__/v1/user'),
    key: await json('/__api__/keys', { method: 'POST', body: '{"name":"stolen"}' }),
    dashboard: await json('/__dashboard__/keys'),
    home: await json('/'),
    form: await json('/__dashboard__/keys', { method: 'POST', body: 'name=stolen', headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
    frame: await text(framed),
  };
  history.pushState(null, '', '/__dashboard__/x');
  got.cookieElsewhere = document.cookie;
  got.apiElsewhere = await json('/__api__/v1/user');
  return got;
};
window.openOther = (path) => text(() => opened(path));
</script>`;

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

describe('Content on the origin of the server', () => {
  test('cannot read cookies, or use the API or dashboard as its visitor', async () => {
    const content = await publish(world.publisher, { 'index.html': HOSTILE });
    const tab = await world.enter(world.administrator);
    await tab.goto(`${world.server.url}/content/${content.guid}/`);
    const got = (await tab.evaluate('attack()')) as Record<string, string>;
    expect(got).toMatchObject({ cookie: '', cookieElsewhere: '' });
    for (const what of ['api', 'key', 'apiElsewhere', 'dashboard', 'form', 'home']) {
      // These paths do not exist on its own origin.
      expect(got[what], what).toMatch(/^(40[34] |refused)/);
      expect(got[what], what).not.toContain(world.administrator.username);
    }
    expect(got.frame).not.toContain('Sign out');
    for (const path of ['/__dashboard__/keys', '/__login__']) {
      await tab.goto(`${world.server.url}/content/${content.guid}/`);
      expect(await tab.evaluate(`openOther(${JSON.stringify(path)})`), path).not.toMatch(
        /password|Make a key/i,
      );
    }
    const keys = (await world.administrator.call('GET', `/v1/users/${world.administrator.guid}/keys`)).body;
    expect(keys.map((key: { name: string }) => key.name)).not.toContain('stolen');
    await tab.context().close();
  });
});

describe('Content with its own origin', () => {
  test('is served there only, signs visitors in once, and has neither API nor dashboard', async () => {
    // Two names of one machine are two origins.
    const port = await freePort();
    const [main, own] = [`http://127.0.0.1:${port}`, `http://localhost:${port}`];
    await using server = await startTestServer({
      settings: { 'HTTP.Listen': `127.0.0.1:${port}`, 'Server.Address': main, 'Server.ContentAddress': own },
    });
    const publisher = await server.person('publisher');
    const fields = { access_type: 'logged_in', name: 'private' };
    const content = await publish(publisher, { 'index.html': '<h1>Private</h1>' }, { fields });
    const item = (await publisher.call('GET', `/v1/content/${content.guid}`)).body;
    expect(item).toMatchObject({
      content_url: `${own}/content/${content.guid}/`,
      dashboard_url: `${main}/__dashboard__/content/${content.guid}`,
    });
    await using browser = await openBrowser();
    const tab = await (await browser.newContext()).newPage();
    await tab.goto(`${main}/content/${content.guid}/`);
    expect(new URL(tab.url()).origin + new URL(tab.url()).pathname).toBe(`${main}/__login__`);
    await tab.getByLabel('Username').fill(publisher.username);
    await tab.getByLabel('Password').fill('correct horse');
    await tab.getByRole('button', { name: 'Sign in' }).click();
    await tab.getByRole('heading', { name: 'Private' }).waitFor();
    expect(tab.url()).toBe(`${own}/content/${content.guid}/`);
    for (const path of ['/__dashboard__/', '/__api__/v1/user', '/__login__']) {
      expect((await tab.goto(own + path))?.status(), path).toBe(404);
    }
    // A ticket works once.
    const replay = await fetch(`${own}/__content-session__?ticket=forged&next=/`, { redirect: 'manual' });
    expect(replay.status).toBe(401);
  });
});

describe('Responses', () => {
  const visit = (path: string, headers: Record<string, string> = {}) =>
    fetch(world.server.url + path, { redirect: 'manual', headers });

  async function session(): Promise<{ cookie: string; raw: string[] }> {
    const body = JSON.stringify({ username: world.publisher.username, password: 'correct horse' });
    const response = await fetch(`${world.server.url}/__login__`, { method: 'POST', body });
    const raw = response.headers.getSetCookie();
    return { raw, cookie: raw.map((item) => item.split(';')[0]).join('; ') };
  }

  test('session cookies are HttpOnly and SameSite', async () => {
    const { raw } = await session();
    expect(raw).toHaveLength(2);
    for (const cookie of raw) expect(cookie).toMatch(/HttpOnly.*SameSite=Lax/);
  });

  test.each(['/__login__', '/__dashboard__/'])('%s allows no inline code, frame or opener', async (path) => {
    const { headers } = await visit(path, path === '/__login__' ? {} : { cookie: (await session()).cookie });
    const policy = headers.get('content-security-policy');
    expect(policy).not.toContain('unsafe');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('a form without the session’s token has no effect', async () => {
    const { cookie } = await session();
    for (const body of ['name=x', 'name=x&xsrf=', 'name=x&xsrf=forged']) {
      const response = await fetch(`${world.root}/keys`, { method: 'POST', body, headers: { cookie } });
      expect(response.status).toBe(403);
    }
    expect((await world.publisher.call('GET', `/v1/users/${world.publisher.guid}/keys`)).body).toHaveLength(
      1,
    );
  });

  test.each([
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    '/%0d%0aSet-Cookie:a=b',
    'javascript:alert(1)',
  ])('sign-in redirects to this server only: %s', async (next) => {
    const form = new URLSearchParams({ username: world.publisher.username, password: 'correct horse', next });
    const response = await fetch(`${world.server.url}/__login__`, {
      method: 'POST',
      body: form.toString(),
      redirect: 'manual',
    });
    const location = new URL(response.headers.get('location')!, world.server.url);
    expect(location.origin).toBe(world.server.url);
    expect(response.headers.getSetCookie().join()).not.toContain('a=b');
  });
});
