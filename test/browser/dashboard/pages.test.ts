// Checks every dashboard page: no serious axe-core violations, usable at 320 pixels, in light and dark.
import { grant, publish } from '@pressroom/testkit';
import axe from 'axe-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type World, makeWorld, openSections } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  const { administrator, publisher } = world;
  // Sees every form.
  await grant(publisher, world.page.guid, administrator, 'owner');
  // One long word, which no page may be wider for.
  const last_name = 'Kapitänsmützenabzeichenverordnungsbeauftragte';
  await administrator.call('PUT', `/v1/users/${publisher.guid}`, { body: { last_name } });
  const group = (await administrator.call('POST', '/v1/groups', { body: { name: 'analysts' } })).body;
  const member = { user_guid: publisher.guid };
  await administrator.call('POST', `/v1/groups/${group.guid}/members`, { body: member });
  const viewer = await world.server.person('viewer');
  const hidden = await publish(
    publisher,
    { 'index.html': 'x' },
    { fields: { name: 'asked-for', access_type: 'acl' } },
  );
  const message = 'For the report of this quarter';
  await viewer.call('POST', `/v1/content/${hidden.guid}/access-requests`, { body: { message } });
  await viewer.call('POST', '/v1/role-requests', { body: { message } });
  const category = (await administrator.call('POST', '/v1/tags', { body: { name: 'Team' } })).body;
  for (const name of ['Sales', 'Research']) {
    const tag = { name, parent_id: category.id };
    const { id } = (await administrator.call('POST', '/v1/tags', { body: tag })).body;
    if (name === 'Sales')
      await publisher.call('POST', `/v1/content/${world.page.guid}/tags`, { body: { tag_id: id } });
  }
  await publisher.call('PATCH', `/v1/content/${world.page.guid}/environment`, {
    body: [{ name: 'A', value: 'b' }],
  });
});
afterAll(() => world[Symbol.asyncDispose]());

async function paths(): Promise<string[]> {
  const { administrator, page, publisher } = world;
  const [group] = (await administrator.call('GET', '/v1/groups')).body.results;
  const [tag] = (await administrator.call('GET', '/v1/tags')).body;
  const content = `/content/${page.guid}`;
  const { bundle_id } = (await publisher.call('GET', `/v1/content/${page.guid}`)).body;
  const tabs = ['', '/bundles', '/logs', '/usage', '/access', '/settings'].map((tab) => content + tab);
  return [
    '/',
    ...tabs,
    `${content}/bundles/${bundle_id}`,
    `/tasks/${page.task.id}`,
    '/publish',
    '/requests',
    '/unused',
    '/keys',
    '/account',
    '/account/authenticator',
    '/account/passkeys',
    '/users',
    `/users/${publisher.guid}`,
    '/groups',
    '/tags',
    `/groups/${group.guid}`,
    `/tags/${tag.id}`,
    '/audit',
    '/server',
    '/tasks',
    '/content-use?days=0',
    '/server-check',
    '/backup',
  ];
}

test('no page has a serious accessibility fault, in light or dark; each fits 320 pixels', async () => {
  const wide = { width: 1280, height: 720 };
  const tab = await world.enter(world.administrator, { viewport: wide });
  const all = await paths();
  const faults: string[] = [];
  for (const path of all) {
    await tab.setViewportSize(wide);
    await tab.emulateMedia({ colorScheme: 'light' });
    await tab.goto(world.root + path);
    await openSections(tab);
    await tab.evaluate(axe.source);
    const light = (await tab.evaluate("axe.run({ resultTypes: ['violations'] })")) as axe.AxeResults;
    // Only the colours differ in the dark scheme.
    await tab.emulateMedia({ colorScheme: 'dark' });
    const dark = (await tab.evaluate(
      "axe.run({ runOnly: 'cat.color', resultTypes: ['violations'] })",
    )) as axe.AxeResults;
    for (const { impact, id, nodes } of [...light.violations, ...dark.violations]) {
      if (impact === 'serious' || impact === 'critical') faults.push(`${path}: ${id} ${nodes[0]?.html}`);
    }
    await tab.setViewportSize({ width: 320, height: 740 });
    const width = Number(await tab.evaluate('document.documentElement.scrollWidth'));
    if (width > 320) faults.push(`${path} is ${width} pixels wide`);
    const cut =
      '[...document.querySelectorAll(".table")].filter((e) => e.scrollWidth > e.clientWidth).length';
    if ((await tab.evaluate(cut)) !== 0) faults.push(`${path}: a table is cut`);
  }
  expect(faults).toEqual([]);
  expect(all.length).toBe(28);
  await tab.context().close();
});

test('each button in a table names its row, so that no two sound alike', async () => {
  const { administrator, enter, page, root, publisher, server } = world;
  const other = await server.person('viewer');
  for (const { guid } of [publisher, other])
    await publisher.call('POST', `/v1/content/${page.guid}/permissions`, {
      body: { principal_guid: guid, principal_type: 'user', role: 'viewer' },
    });
  await publisher.call('PATCH', `/v1/content/${page.guid}/environment`, {
    body: ['FIRST', 'SECOND'].map((name) => ({ name, value: 'x' })),
  });
  for (const name of ['laptop', 'CI'])
    await administrator.call('POST', `/v1/users/${administrator.guid}/keys`, { body: { name } });
  await publish(publisher, { 'index.html': 'two' }, { guid: page.guid });
  await publish(publisher, { 'index.html': 'three' }, { guid: page.guid });
  const tab = await enter(administrator);
  const buttons: string[] = [];
  for (const path of await paths()) {
    await tab.goto(root + path);
    await openSections(tab);
    for (const shown of await tab.getByRole('table').all()) {
      const names = [...(await shown.ariaSnapshot()).matchAll(/- button "(.*)"/g)].map(([, name]) => name!);
      expect(new Set(names).size, `${path}: ${names.join(', ')}`).toBe(names.length);
      buttons.push(...names);
    }
  }
  expect(buttons).toEqual(
    expect.arrayContaining(['Revoke laptop', 'Revoke CI', 'Remove FIRST', 'Remove SECOND']),
  );
  expect(buttons.length).toBeGreaterThan(15);
  await tab.context().close();
});

test('a link in the form of other clients opens its content item, and the part that it names', async () => {
  const { server, page, publisher, root } = world;
  const tab = await world.enter(publisher);
  await tab.goto(`${server.url}/connect/#/apps/${page.guid}`);
  await tab.waitForURL(`${root}/content/${page.guid}`);
  expect(await tab.getByRole('heading', { level: 1 }).innerText()).toBe('Sales <report> & more');
  const own = `${root}/content/${page.guid}`;
  const variables = `${own}/settings#section-environment-variables`;
  for (const [older, now] of [
    [`${server.url}/connect/#/apps/${page.guid}/logs`, `${own}/logs`],
    [`${server.url}/connect/#/apps/${page.guid}/vars/`, variables],
    [`${own}/vars`, variables],
    [`${own}/source`, `${own}/bundles`],
    [`${own}/info`, own],
  ] as const) {
    // From an address without the same path: another fragment alone loads nothing.
    await tab.goto('about:blank');
    await tab.goto(older);
    await tab.waitForURL(now);
  }
  await tab.context().close();
});

test('the first Tab stop skips to the main content', async () => {
  const tab = await world.enter(world.administrator);
  await tab.goto(`${world.root}/keys`);
  await tab.keyboard.press('Tab');
  expect(await tab.evaluate('document.activeElement.textContent')).toBe('Skip to main content');
  await tab.keyboard.press('Enter');
  expect(await tab.evaluate('document.activeElement.id')).toBe('main');
  await tab.context().close();
});

test('a title of one long word leaves the list all its columns', async () => {
  const fields = { title: 'Supercalifragilistic_'.repeat(12) };
  await publish(world.publisher, { 'index.html': 'x' }, { fields });
  const tab = await world.enter(world.publisher, { viewport: { width: 1280, height: 800 } });
  await tab.goto(`${world.root}/`);
  const list = tab.getByRole('region', { name: 'Content' });
  expect(await list.innerText()).toContain(fields.title);
  expect(await list.evaluate((element) => element.scrollWidth > element.clientWidth)).toBe(false);
  // On a phone it takes the whole width, instead of a letter or two a line beside an empty picture.
  await tab.setViewportSize({ width: 320, height: 700 });
  const title = (await list.getByRole('link', { name: fields.title }).boundingBox())!;
  expect(title.width).toBeGreaterThan(240);
  await tab.context().close();
});

test('a name of one long word leaves the table of people all its columns', async () => {
  const names = { first_name: 'Ada', last_name: 'Wolfeschlegelsteinhausenbergerdorff'.repeat(4) };
  await world.server.person('viewer', names);
  await world.administrator.call('POST', '/v1/tags', { body: { name: names.last_name } });
  const tab = await world.enter(world.administrator, { viewport: { width: 1280, height: 800 } });
  for (const [path, name] of [
    ['/users', 'People'],
    ['/tags', 'Tags'],
  ]) {
    await tab.goto(world.root + path);
    const list = tab.getByRole('region', { name });
    expect(await list.innerText()).toContain(names.last_name);
    expect(await list.evaluate((element) => element.scrollWidth > element.clientWidth), path).toBe(false);
  }
  const row = tab.getByRole('row', { name: names.last_name });
  const middle = async (of: 'checkbox' | 'button') => {
    const { y, height } = (await row.getByRole(of).boundingBox())!;
    return y + height / 2;
  };
  expect(Math.abs((await middle('checkbox')) - (await middle('button')))).toBeLessThan(10);
  await tab.context().close();
});

test('a title of many lines leaves room for its page, and one that reads from right to left keeps its order', async () => {
  const files = { 'index.html': 'x' };
  const long = await publish(world.publisher, files, {
    fields: { title: 'Figures of the quarter '.repeat(40) },
  });
  const title = 'تقرير 2026!';
  const arabic = await publish(world.publisher, files, { fields: { title } });
  const tab = await world.enter(world.publisher, { viewport: { width: 390, height: 844 } });
  const heading = tab.getByRole('heading', { level: 1 });
  for (const [path, shown] of [
    [`/content/${long.guid}`, heading],
    ['/', tab.getByRole('link', { name: 'Figures of the quarter' })],
  ] as const) {
    await tab.goto(world.root + path);
    expect((await shown.boundingBox())!.height, path).toBeLessThan(150);
  }
  await tab.goto(`${world.root}/content/${arabic.guid}`);
  // The last character is the leftmost one.
  const left = (at: number) =>
    tab.evaluate(`(() => {
      const text = document.querySelector('h1').firstChild;
      const range = document.createRange();
      range.setStart(text, ${at});
      range.setEnd(text, ${at + 1});
      return range.getBoundingClientRect().left;
    })()`) as Promise<number>;
  expect(await left(title.length - 1)).toBeLessThan(await left(0));
  await tab.context().close();
});

test('a phone shows the labels of the usage chart in the size of other small text', async () => {
  const { administrator, page, root } = world;
  const tab = await world.enter(administrator, { viewport: { width: 390, height: 844 } });
  await tab.goto(`${root}/content/${page.guid}/usage`);
  const label = tab
    .locator('.chart')
    .getByText(/^\d{4}-\d{2}-\d{2}$/)
    .first();
  expect((await label.boundingBox())!.height).toBeGreaterThan(12);
  await tab.context().close();
});

test('examples in empty fields are as readable as hints, in light and dark', async () => {
  const { administrator, page, root } = world;
  for (const colorScheme of ['light', 'dark'] as const) {
    const tab = await world.enter(administrator, { colorScheme });
    await tab.goto(`${root}/content/${page.guid}/access`);
    const [example, hint] = (await tab.evaluate(`(() => {
      const field = document.getElementById('path');
      return [getComputedStyle(field, '::placeholder'), getComputedStyle(document.getElementById('path-hint'))]
        .map(({ color }) => color);
    })()`)) as string[];
    expect(example, colorScheme).toBe(hint);
    await tab.context().close();
  }
});

test('content that was never deployed has no type', async () => {
  const { publisher, root } = world;
  const { guid } = (await publisher.call('POST', '/v1/content', { body: { name: 'empty-item' } })).body;
  const tab = await world.enter(publisher);
  await tab.goto(`${root}/content/${guid}`);
  expect(await tab.getByRole('main').innerText()).not.toMatch(/^(Type|unknown)$/m);
  await tab.goto(`${root}/?state=`);
  const item = tab.getByRole('table', { name: 'Content' }).getByRole('row', { name: 'empty-item' });
  expect(await item.innerText()).not.toContain('unknown');
  await tab.context().close();
});

test('an administrator sees by name whose deploy runs, and a cancelled one is no failure', async () => {
  const { administrator, publisher, root, server } = world;
  const { guid } = (await publisher.call('POST', '/v1/content', { body: { name: 'endless' } })).body;
  const tab = await world.enter(administrator);
  await tab.goto(`${root}/content/${guid}`);
  await tab.getByRole('link', { name: 'Upload or activate a bundle' }).waitFor();
  const { tasks } = server.running.services;
  const user_guid = publisher.guid;
  const running = await server.running.services.storage.write((tx) =>
    tasks.create(tx, { kind: 'deploy', content_guid: guid, bundle_id: null, user_guid }),
  );
  await tab.goto(`${root}/server`);
  const row = tab.getByRole('table', { name: 'Open tasks' }).getByRole('row', { name: 'deploy' });
  expect(await row.getByRole('link', { name: 'endless' }).count()).toBe(1);
  expect(await tab.getByText('1 task; ').count()).toBe(1);
  await publisher.call('POST', `/v1/tasks/${running}/cancel`);
  await tab.goto(`${root}/server`);
  expect(await tab.getByText(', of which 0 failed').count()).toBe(1);
  await tab.goto(`${root}/?state=`);
  const item = tab.getByRole('table', { name: 'Content' }).getByRole('row', { name: 'endless' });
  expect(await item.innerText()).toContain('not published');
  await tab.goto(`${root}/users/${publisher.guid}`);
  expect(await tab.title()).toMatch(/ · People · Pressroom$/);
  await tab.context().close();
});

test('every section of the settings of an application is one link away, also on a phone and with the keyboard', async () => {
  const { publisher, root } = world;
  const app = await publish(
    publisher,
    { 'app.py': 'def app(environ, start_response): pass' },
    { metadata: { appmode: 'python-api', entrypoint: 'app:app' } },
  );
  const tab = await world.enter(publisher, {
    viewport: { width: 390, height: 844 },
    javaScriptEnabled: false,
  });
  await tab.goto(`${root}/content/${app.guid}/settings`);
  const sections = tab.getByRole('navigation', { name: 'Sections' });
  const titles = await sections.getByRole('link').allInnerTexts();
  expect(titles).toEqual(await tab.getByRole('heading', { level: 2 }).allInnerTexts());
  expect(titles).toContain('Processes');
  for (const title of titles) {
    await tab.goto(`${root}/content/${app.guid}/settings`);
    const link = sections.getByRole('link', { name: title, exact: true });
    // All of them are seen without scrolling.
    expect((await link.boundingBox())!.y, title).toBeLessThan(844);
    await link.press('Enter');
    const heading = tab.getByRole('heading', { name: title, exact: true });
    await expect.poll(async () => (await heading.boundingBox())!.y, { message: title }).toBeLessThan(844);
    expect((await heading.boundingBox())!.y, title).toBeGreaterThanOrEqual(0);
  }
  await tab.context().close();
});

test('on a phone, all that is touched is 44 pixels high and wide, and the long pages fit three screens', async () => {
  const { administrator, browser, enter, publisher, root, server } = world;
  const phone = { width: 390, height: 844 };
  const options = { viewport: phone, isMobile: true, hasTouch: true };
  const tab = await enter(administrator, options);
  const app = await publish(
    publisher,
    { 'app.py': 'def app(environ, start_response): pass' },
    { metadata: { appmode: 'python-api', entrypoint: 'app:app' } },
  );
  const settings = `/content/${app.guid}/settings`;
  const tall = new Map([settings, '/server'].map((path) => [path, 3 * phone.height] as const));
  const faults: string[] = [];
  const stranger = await (await browser.newContext(options)).newPage();
  await stranger.goto(`${server.url}/__login__`);
  faults.push(...((await stranger.evaluate(SMALL)) as string[]));
  await stranger.context().close();
  for (const path of [...(await paths()), settings]) {
    await tab.goto(root + path);
    const height = Number(await tab.evaluate('document.documentElement.scrollHeight'));
    if (height > (tall.get(path) ?? Infinity)) faults.push(`${path} is ${height} pixels high`);
    await openSections(tab);
    const width = Number(await tab.evaluate('document.documentElement.scrollWidth'));
    if (width > phone.width) faults.push(`${path} is ${width} pixels wide`);
    faults.push(...((await tab.evaluate(SMALL)) as string[]).map((what) => `${path}: ${what}`));
  }
  expect(faults).toEqual([]);
  await tab.context().close();
});

/** What is smaller than a fingertip; what is behind a label is touched there. */
const SMALL = `[...document.querySelectorAll('a[href], button, select, textarea, summary, input:not([type="hidden"])')]
  .filter((one) => !one.matches('.skip') && one.checkVisibility())
  .map((one) => one.matches('label input') ? one.closest('label') : one)
  .map((one) => [one, one.getBoundingClientRect()])
  .filter(([, { width, height }]) => Math.round(width) < 44 || Math.round(height) < 44)
  .map(([one, { width, height }]) => one.outerHTML.slice(0, 80) + ' ' + width + 'x' + height)`;

test('the warning of missing protections leads to them, not to the top of a long page', async () => {
  const { administrator, root, server } = world;
  const findings = server.running.services.isolation.report as { protected: boolean; message: string }[];
  findings.push({ protected: false, message: 'there is no wall (build one)' });
  const tab = await world.enter(administrator, { viewport: { width: 390, height: 844 } });
  await tab.goto(`${root}/`);
  await tab.getByRole('link', { name: 'See which, and how to add them' }).click();
  await tab.getByText('there is no wall (build one)').waitFor();
  const { y } = (await tab.getByRole('heading', { name: 'Isolation' }).boundingBox())!;
  expect(y).toBeGreaterThanOrEqual(0);
  expect(y).toBeLessThan(844);
  findings.pop();
  await tab.context().close();
});

test('on paper a page has all of its table and log, and no navigation', async () => {
  const { administrator, enter, page, root, publisher } = world;
  const lines = Array.from({ length: 99 }, (_, i) => `line ${i}`).join('\n');
  const { guid } = await publish(publisher, { 'index.html': 'x', 'long.txt': 'x' });
  const from = (await publisher.call('GET', `/v1/content/${guid}`)).body.bundle_id;
  await publish(publisher, { 'index.html': 'x', 'long.txt': lines }, { guid });
  const to = (await publisher.call('GET', `/v1/content/${guid}`)).body.bundle_id;
  const key = { name: 'VARIABLE_'.repeat(20), value: 'x' };
  await publisher.call('PATCH', `/v1/content/${page.guid}/environment`, { body: [key] });
  // The width of A4 between margins.
  const viewport = { width: 718, height: 1000 };
  for (const [person, path, box] of [
    [administrator, '/audit', '.table'],
    [publisher, `/content/${guid}/bundles/compare?from=${from}&to=${to}`, 'pre'],
  ] as const) {
    const tab = await enter(person, { viewport });
    await tab.emulateMedia({ media: 'print' });
    await tab.goto(root + path);
    expect(await tab.getByRole('navigation').count()).toBe(0);
    const hidden = await tab
      .locator(box)
      .first()
      .evaluate((element) => [
        element.scrollWidth - element.clientWidth,
        element.scrollHeight - element.clientHeight,
      ]);
    expect(hidden).toEqual([0, 0]);
    await tab.context().close();
  }
});

test('after a refused sign-in, the password has the focus and is described by the error', async () => {
  const tab = await (await world.browser.newContext()).newPage();
  await tab.goto(`${world.server.url}/__login__`);
  // The first frame sets it, perhaps after the page is loaded.
  await tab.locator(':focus').waitFor();
  await tab.keyboard.type('ada');
  await tab.keyboard.press('Tab');
  await tab.keyboard.type('wrong');
  await tab.keyboard.press('Enter');
  await tab.getByRole('alert').waitFor();
  const focused = tab.locator(':focus');
  expect(await focused.getAttribute('name')).toBe('password');
  const id = await focused.getAttribute('aria-describedby');
  expect(await tab.locator(`#${id}`).innerText()).toBe(await tab.getByRole('alert').innerText());
  await tab.context().close();
});

test('the key of a chart keeps its colours in a high-contrast theme', async () => {
  const { administrator, page, root, server } = world;
  await server.anonymous('GET', page.path);
  const tab = await world.enter(administrator, { forcedColors: 'active' });
  const colours = () =>
    tab.evaluate(`['visits', 'sessions'].map((what) => {
      const key = document.querySelector('.key.' + what);
      return key && getComputedStyle(key, '::before').backgroundColor;
    })`) as Promise<(string | null)[]>;
  const seen = async () => {
    await tab.goto(`${root}/content/${page.guid}/usage`);
    return colours();
  };
  await expect.poll(seen).not.toContain(null);
  expect(new Set(await colours()).size).toBe(2);
  await tab.context().close();
});
