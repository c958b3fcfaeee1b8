// Covers rights that hold whichever way is taken: locked content, hidden addresses and names, and rights that were
// removed while a request waited or an upload ran.
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import {
  createBrowser,
  finishedTask,
  grant,
  makeArchive,
  makeQuickRenderer,
  openMailbox,
  publish,
  refused,
  PYTHON_API,
  QUICK_DOCUMENT,
  quickDocument,
  startTestServer,
} from '@pressroom/testkit';
import type { Person, TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

const PASSWORD = 'correct horse';
const PNG = Buffer.concat([
  Buffer.from('89504e470d0a1a0a0000000d', 'hex'),
  Buffer.from('IHDR'),
  Buffer.alloc(40, 1),
]);

const stack = new AsyncDisposableStack();
let server: TestServer;
let admin: Person;
let owner: Person;
let viewer: Person;
let administrators: Person[];

beforeAll(async () => {
  const { settings } = stack.use(await makeQuickRenderer());
  const mailbox = stack.use(await openMailbox());
  server = stack.use(
    await startTestServer({
      settings: {
        ...settings,
        'Server.HideEmailAddresses': true,
        'Authorization.UsersListingMinRole': 'administrator',
      },
    }),
  );
  admin = await server.administrator();
  owner = await server.person('publisher');
  viewer = await server.person('viewer', { email: 'vera@hidden.example' });
  administrators = [await server.person('administrator'), await server.person('administrator')];
  // Accounts made so far are confirmed: who is made later cannot sign in.
  await server.restart({ 'Mail.URL': mailbox.url });
});
afterAll(() => stack.disposeAsync());

const document = (fields: object, code = 'print("x")') =>
  publish(owner, quickDocument(code, { region: 'North' }), {
    metadata: QUICK_DOCUMENT,
    fields: { access_type: 'logged_in', ...fields },
  });
const lockContent = (guid: string, locked: boolean) =>
  admin.call('PATCH', `/v1/content/${guid}`, { body: { locked, locked_message: 'under review' } });

async function browserOf(person: Person) {
  const browser = createBrowser();
  const credentials = { username: person.username, password: PASSWORD };
  expect((await browser.submit(`${server.url}/__login__`, credentials)).status).toBe(303);
  return browser;
}

describe('locked content', () => {
  test('shows its picture to collaborators and administrators, at every address', async () => {
    const { guid, path } = await document({ name: 'pictured' });
    await owner.call('PUT', `/v1/content/${guid}/thumbnail`, { raw: PNG });
    const ways = [`/v1/content/${guid}/thumbnail`, `/applications/${guid}/image`, `${path}__thumbnail__`];
    const seenBy = async (person: Person) =>
      Promise.all(ways.map(async (way) => (await person.call('GET', way)).status));
    expect(await seenBy(viewer)).toEqual([200, 200, 200]);
    await lockContent(guid, true);
    expect(await seenBy(viewer)).toEqual([403, 403, 403]);
    expect(await viewer.call('GET', ways[0]!)).toMatchObject({ body: { code: 19, error: 'under review' } });
    expect(await seenBy(owner)).toEqual([200, 200, 200]);
    expect((await admin.call('GET', ways[0]!)).status).toBe(200);
    await lockContent(guid, false);
    expect(await seenBy(viewer)).toEqual([200, 200, 200]);
  });

  test('is rendered for collaborators only, and tells nobody else its values', async () => {
    const { guid } = await document({ name: 'asked' }, 'log("the secret of " + region)\nprint("x")');
    await owner.call('PATCH', `/v1/content/${guid}/parameters`, { body: { visitors_may_render: true } });
    const body = { ad_hoc: true, values: { region: 'South' } };
    const render = (person: Person) => person.call('POST', `/v1/content/${guid}/variants`, { body });
    const before = await render(viewer);
    expect([before.status, before.body]).toEqual([200, expect.objectContaining({ ad_hoc: true })]);
    await finishedTask(viewer, before.body.task_id);
    await lockContent(guid, true);
    expect(await render(viewer)).toMatchObject(refused(403, 19));
    const again = `/v1/content/${guid}/variants/${before.body.key}/render`;
    expect(await viewer.call('POST', again)).toMatchObject(refused(403, 19));
    expect((await render(owner)).status).toBe(200);
  });
});

describe('who may not read addresses or lists of accounts', () => {
  test('reads no address of a person among the mails of a report, nor on its page', async () => {
    const { guid } = await document({ name: 'mailed' });
    const variant = `/v1/content/${guid}/variants/default`;
    const recipients = [{ type: 'user', value: viewer.guid }];
    await owner.call('PUT', `${variant}/recipients`, { body: { recipients } });
    expect((await owner.call('POST', `${variant}/send`)).body).toEqual({ mails: 1 });
    const { db } = server.running.services.storage;
    const error = '550 <Vera@hidden.example> is not here';
    await db.updateTable('mail_delivery').set({ error }).where('content_guid', '=', guid).execute();
    const [own] = (await owner.call('GET', `/v1/content/${guid}/deliveries`)).body;
    expect(own).toMatchObject({ address: '', user_guid: viewer.guid, error: '550 <…> is not here' });
    const [seen] = (await admin.call('GET', `/v1/content/${guid}/deliveries`)).body;
    expect(seen).toMatchObject({ address: 'vera@hidden.example', error });
    const browser = await browserOf(owner);
    const { text } = await browser.get(`${server.url}/__dashboard__/content/${guid}/variants/default`);
    expect(text).toContain(viewer.username);
    expect(text).not.toMatch(/hidden\.example|wanted no mail/i);
  });

  test('finds nobody by the form for recipients, and keeps those that are named already', async () => {
    const { guid } = await document({ name: 'guessed' });
    const browser = await browserOf(owner);
    const page = `${server.url}/__dashboard__/content/${guid}/variants/default`;
    const named = async (): Promise<string[]> => {
      const { body } = await owner.call('GET', `/v1/content/${guid}/variants/default/recipients`);
      return body.map(({ name }: { name: string }) => name);
    };
    const send = async (names: string) => {
      const xsrf = browser.cookie(server.url, 'RSC-XSRF')!;
      const before = await named();
      const shown_recipients = JSON.stringify({ names: before.join(', ') });
      const fields = { shown_recipients, recipients: names, xsrf };
      const response = await browser.submit(`${page}/recipients`, fields);
      return [
        String(response.status),
        /There is no user[^.<]*|No user or group[^.<]*/.exec(response.text)?.[0],
      ];
    };
    const unknown = await send('nobody-of-that-name');
    expect(unknown[0]).toBe('404');
    expect(await send(viewer.username)).toEqual([
      '404',
      unknown[1]!.replace('nobody-of-that-name', viewer.username),
    ]);
    // An administrator, or a program that knows the GUID, names them.
    const recipients = [{ type: 'user', value: viewer.guid }];
    await owner.call('PUT', `/v1/content/${guid}/variants/default/recipients`, { body: { recipients } });
    expect((await send(`${viewer.username}, ${owner.username}`))[0]).toBe('303');
    expect((await named()).toSorted()).toEqual([viewer.username, owner.username].toSorted());
    // Somebody who opened the page before that does not undo it.
    const late = { shown_recipients: JSON.stringify({ names: '' }), recipients: '' };
    const xsrf = browser.cookie(server.url, 'RSC-XSRF')!;
    const refused = await browser.submit(`${page}/recipients`, { ...late, xsrf });
    expect(refused.text).toContain('Somebody changed this after the page was opened.');
    expect(await named()).toHaveLength(2);
  });
});

/** Ways to lose the right to read tasks and logs while a request waits. */
const WAYS: Record<string, (person: Person, granted: string) => Promise<{ status: number }>> = {
  'permission is removed': (_person, granted) => owner.call('DELETE', granted),
  'account is locked': ({ guid }) => admin.call('POST', `/v1/users/${guid}/lock`, { body: { locked: true } }),
  'key is revoked': async ({ guid }) => {
    const [key] = (await admin.call('GET', `/v1/users/${guid}/keys`)).body;
    return admin.call('DELETE', `/v1/users/${guid}/keys/${key.id}`);
  },
};

describe.each(Object.entries(WAYS))('whose %s while a request waits', (what, take) => {
  async function collaborator(guid: string) {
    const person = await server.person('publisher');
    const { id } = await grant(owner, guid, person, 'owner');
    return { person, granted: `/v1/content/${guid}/permissions/${id}` };
  }
  const status = what.startsWith('key') ? 401 : 403;

  test('is not told what a process prints afterwards', async () => {
    const app = `def app(environ, start):
    print("asked for", environ["PATH_INFO"], flush=True)
    start("200 OK", [])
    return [b"x"]
`;
    const { guid, path } = await publish(owner, { 'app.py': app }, { metadata: PYTHON_API });
    const { person, granted } = await collaborator(guid);
    await server.anonymous('GET', `${path}before`);
    const [{ key }] = (await owner.call('GET', `/v1/content/${guid}/jobs`)).body;
    const log = `/v1/content/${guid}/jobs/${key}/log`;
    await expect.poll(async () => JSON.stringify((await owner.call('GET', log)).body)).toContain('/before');
    const { last } = (await person.call('GET', log)).body;
    const waiting = person.call('GET', `${log}?first=${last}&wait=20`);
    // A response to a later request shows that the first one waits.
    await owner.call('GET', log);
    expect((await take(person, granted)).status).toBeLessThan(300);
    await server.anonymous('GET', `${path}afterwards`);
    expect((await waiting).status).toBe(status);
  });

  test('is not told how a task goes on', async () => {
    const { guid } = await document({ name: `slow-${status}-${what.length}` });
    const { person, granted } = await collaborator(guid);
    const slow = 'import os, time\nwhile not os.path.exists("go"): time.sleep(0.05)';
    const raw = makeArchive(quickDocument(slow), QUICK_DOCUMENT);
    const bundle_id = (await owner.call('POST', `/v1/content/${guid}/bundles`, { raw })).body.id;
    const { task_id } = (await owner.call('POST', `/v1/content/${guid}/deploy`, { body: { bundle_id } }))
      .body;
    const waiting = person.call('GET', `/v1/tasks/${task_id}?wait=20`);
    await take(person, granted);
    await owner.call('POST', `/v1/tasks/${task_id}/cancel`);
    expect((await waiting).status).toBe(status);
  });
});

test('a former collaborator neither reads nor cancels a task that they started', async () => {
  const { guid } = await document({});
  const person = await server.person('publisher');
  const { id } = await grant(owner, guid, person, 'owner');
  const { task_id } = (await person.call('POST', `/v1/content/${guid}/render`, { body: {} })).body;
  const read = () => person.call('GET', `/v1/tasks/${task_id}`);
  expect((await read()).status).toBe(200);
  await owner.call('DELETE', `/v1/content/${guid}/permissions/${id}`);
  expect(await read()).toMatchObject(refused(403, 19));
  expect(await person.call('POST', `/v1/tasks/${task_id}/cancel`)).toMatchObject(refused(403, 19));
  await finishedTask(owner, task_id);
});

test.each(['locked', 'viewer'])('a person who is %s while an upload runs uploads nothing', async (what) => {
  const person = await server.person('publisher');
  const { guid } = (await person.call('POST', '/v1/content', { body: { name: 'slow' } })).body;
  // Elsewhere, work of others may come and go.
  const files = async () => (await readdir(join(server.dataDir, 'bundles'))).length;
  const archive = makeArchive({ 'index.html': 'x' }, {});
  const before = await files();
  const rest = Promise.withResolvers<void>();
  const raw = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(archive.subarray(0, 20));
      await rest.promise;
      controller.enqueue(archive.subarray(20));
      controller.close();
    },
  });
  const uploading = person.call('POST', `/v1/content/${guid}/bundles`, { raw });
  await expect.poll(files).toBeGreaterThan(before);
  if (what === 'locked')
    await admin.call('POST', `/v1/users/${person.guid}/lock`, { body: { locked: true } });
  else await admin.call('PUT', `/v1/users/${person.guid}`, { body: { user_role: 'viewer' } });
  rest.resolve();
  expect(await uploading).toMatchObject(refused(403, what === 'locked' ? 50 : 22));
  await admin.call('POST', `/v1/users/${person.guid}/lock`, { body: { locked: false } });
  expect((await person.call('GET', `/v1/content/${guid}/bundles`)).body).toEqual([]);
});

test('an export of the audit log ends with the right to read it, however slowly it is read', async () => {
  const reader = await server.person('administrator');
  const { db } = server.running.services.storage;
  const entry = {
    time: 1,
    user_id: reader.guid,
    user_description: 'x',
    action: 'sign_in',
    event_description: 'y'.repeat(2000),
  };
  // More than the buffers between server and reader hold.
  for (let i = 0; i < 200; i += 1)
    await db
      .insertInto('audit_log')
      .values(Array.from({ length: 100 }, () => entry))
      .execute();
  const headers = { authorization: `Key ${reader.key}` };
  const asked = get(`${server.url}/__api__/v1/audit_logs/export`, { headers });
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  await once(response, 'readable');
  await admin.call('PUT', `/v1/users/${reader.guid}`, { body: { user_role: 'viewer' } });
  const read = async () => {
    let lines = 0;
    for await (const part of response) lines += String(part).split('\n').length - 1;
    return lines;
  };
  await expect(read()).rejects.toThrow('aborted');
});

test.each(['locked', 'publisher'])(
  'an administrator who is %s while a backup is made gets none',
  async (what) => {
    const person = administrators[what === 'locked' ? 0 : 1]!;
    const { device_code, user_code } = (
      await person.call('POST', '/v1/backups', { body: { client_name: 'pressroom on host-x' } })
    ).body;
    const browser = await browserOf(person);
    const xsrf = browser.cookie(server.url, 'RSC-XSRF')!;
    const form = { code: user_code, decision: 'allowed', xsrf };
    const confirmed = await browser.submit(`${server.url}/__dashboard__/device`, form);
    expect(confirmed.headers.get('location')).toBe('/__dashboard__/device');
    const { services } = server.running;
    const { backup } = services;
    using _ = vi.spyOn(services, 'backup').mockImplementation(async () => {
      const made = await backup();
      if (what === 'locked')
        await admin.call('POST', `/v1/users/${person.guid}/lock`, { body: { locked: true } });
      else await admin.call('PUT', `/v1/users/${person.guid}`, { body: { user_role: 'publisher' } });
      return made;
    });
    const response = await person.call('POST', '/v1/backups/download', { body: { device_code } });
    expect(response).toMatchObject(refused(403, what === 'locked' ? 50 : 22));
    const left = async () => (await readdir(server.dataDir)).filter((name) => name.startsWith('backup-'));
    await expect.poll(left).toEqual([]);
  },
);

test('a visitor who loses access while a process starts gets nothing of it', async () => {
  // The process asks before it starts.
  const gate = createServer((_request, response) => void response.end('go'));
  await once(gate.listen(0, '127.0.0.1'), 'listening');
  const app = `import urllib.request
urllib.request.urlopen("http://127.0.0.1:${(gate.address() as AddressInfo).port}/").read()
def app(environ, start):
    start("200 OK", [])
    return [b"secret"]
`;
  const fields = { access_type: 'acl' };
  const { guid, path } = await publish(owner, { 'app.py': app }, { metadata: PYTHON_API, fields });
  const { id } = await grant(owner, guid, viewer, 'viewer');
  expect((await viewer.call('GET', path)).bytes.toString()).toBe('secret');
  const { task_id } = (await owner.call('POST', `/applications/${guid}/terminate`)).body;
  await finishedTask(owner, task_id);
  gate.removeAllListeners('request');
  const starting = once(gate, 'request') as Promise<[IncomingMessage, ServerResponse]>;
  const waiting = viewer.call('GET', path);
  const [, response] = await starting;
  expect((await owner.call('DELETE', `/v1/content/${guid}/permissions/${id}`)).status).toBe(204);
  gate.on('request', (_request, later: ServerResponse) => void later.end('go'));
  response.end('go');
  expect(await waiting).toMatchObject(refused(403, 19));
  gate.close();
});
