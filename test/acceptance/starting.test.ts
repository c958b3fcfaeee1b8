// Covers responses while an application starts, and when it fails: a page for people, the application's response for programs.
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  finishedTask,
  publish,
  startTestServer,
  type Person,
  type Published,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { originOf, visitorOf } from './hand-over.ts';
import { ask, NAVIGATION } from './raw-request.ts';

/** Waits while the file `slow` exists beside it, and fails if the file `broken` exists: after a second with `late`. */
const PROGRAM = `
import http.server, os, sys, time
here = os.path.dirname(os.path.abspath(__file__))
has = lambda name: os.path.exists(os.path.join(here, name))
print('Loading the model', flush=True)
if has('late'):
    time.sleep(1)
if has('broken'):
    sys.exit('<b>no model</b> for you')
while has('slow'):
    time.sleep(0.02)
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header('Content-Type', 'text/html')
        self.end_headers()
        self.wfile.write(b'the application')
http.server.ThreadingHTTPServer((os.environ['HOST'], int(os.environ['PORT'])), Handler).serve_forever()
`;

let server: TestServer;
let owner: Person;
let viewer: Person;
let app: Published;
let directory: string;
beforeAll(async () => {
  server = await startTestServer({ settings: { 'Scheduler.IdleTimeout': 600 } });
  owner = await server.person('publisher', { first_name: 'Olga', last_name: 'Owner' });
  viewer = await server.person('viewer');
  const metadata = { appmode: 'program', entrypoint: 'exec python3 -u app.py' };
  app = await publish(
    owner,
    { 'app.py': PROGRAM },
    { metadata, fields: { title: 'Sales <b>', access_type: 'logged_in' } },
  );
  const { storage, config } = server.running.services;
  const { site } = await storage.db
    .selectFrom('content')
    .select('site')
    .where('guid', '=', app.guid)
    .executeTakeFirstOrThrow();
  directory = join(config['Server.DataDir'], 'content', app.guid, site!);
});
afterAll(() => server[Symbol.asyncDispose]());

const stop = async () => {
  const { body } = await owner.call('POST', `/applications/${app.guid}/terminate`);
  await finishedTask(owner, body.task_id);
};
const set = (name: string) => writeFile(join(directory, name), '');
const unset = (name: string) => rm(join(directory, name), { force: true });
beforeEach(async () => {
  await stop();
  await Promise.all(['slow', 'broken', 'late'].map(unset));
});

/** Returns the response as soon as its headers have arrived. */
async function begin(headers: Record<string, string>): Promise<IncomingMessage> {
  const { port, host } = new URL(originOf(server.url, app));
  const path = `/content/${app.guid}/`;
  const asked = request({
    host: '127.0.0.1',
    port,
    path,
    agent: false,
    headers: { host, ...NAVIGATION, ...headers },
  });
  asked.end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  return response;
}

/** Repeats the request until the application has started or failed, and returns the last response. */
async function outcome(headers: Record<string, string>): Promise<{ status: number; page: string }> {
  for (;;) {
    const response = await begin(headers);
    const page = await text(response);
    if (response.statusCode !== 503) return { status: response.statusCode!, page };
  }
}

test('a starting application shows visitors a waiting page; programs wait for the response', async () => {
  const { cookie } = await visitorOf(server.url, app, viewer);
  await set('slow');
  await stop();
  const page = await begin({ cookie });
  expect(page.statusCode).toBe(503);
  expect(page.headers).toMatchObject({ 'retry-after': '1', 'x-accel-buffering': 'no' });
  expect(page.headers['content-security-policy']).toMatch(/default-src 'none'.*script-src 'sha256-/);
  page.setEncoding('utf8');
  const [seen] = (await once(page, 'data')) as [string];
  expect(seen).toContain('<h1>Starting Sales &lt;b&gt;</h1>');
  expect(seen).not.toContain('location.reload');
  const responses = [
    viewer.call('GET', app.path),
    // A request by a page of content, and an embedded page.
    ask(originOf(server.url, app), app.path.slice(1), {
      ...NAVIGATION,
      cookie,
      'sec-fetch-site': 'same-origin',
      'sec-fetch-mode': 'cors',
      'sec-fetch-dest': 'empty',
    }),
    ask(originOf(server.url, app), app.path.slice(1), {
      ...NAVIGATION,
      cookie,
      'sec-fetch-site': 'same-origin',
      'sec-fetch-dest': 'iframe',
    }),
  ];
  await unset('slow');
  expect(await text(page)).toContain('location.reload()');
  expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(await outcome({ cookie })).toEqual({ status: 200, page: 'the application' });
});

test('a failed start shows its owner the log, and others whom to ask', async () => {
  const cookies = await Promise.all([owner, viewer].map((person) => visitorOf(server.url, app, person)));
  await set('broken');
  await stop();
  const [owners, viewers] = await Promise.all(cookies.map(({ cookie }) => outcome({ cookie })));
  expect(owners).toMatchObject({
    status: 502,
    page: expect.stringContaining('&lt;b&gt;no model&lt;/b&gt; for you'),
  });
  expect(owners?.page).toContain(`/__dashboard__/content/${app.guid}/logs`);
  expect(viewers).toMatchObject({ status: 502, page: expect.stringContaining('Its owner is Olga Owner') });
  expect(viewers?.page).not.toContain('no model');
  // Programs get the usual error.
  const program = await viewer.call('GET', app.path);
  expect(program).toMatchObject({ status: 502, body: { code: 1 } });
  expect(JSON.stringify(program.body)).not.toContain('no model');
});

test('a failed start shows anonymous visitors neither the log nor a name', async () => {
  await owner.call('PATCH', `/v1/content/${app.guid}`, { body: { access_type: 'all' } });
  await set('broken');
  await stop();
  const { page } = await outcome({});
  expect(page).toContain('Ask the person who sent you here.');
  expect(page).not.toMatch(/no model|Olga|__dashboard__/);
});

test('a start that fails after the waiting page was shown is reported when that page reloads, not repeated', async () => {
  const { cookie } = await visitorOf(server.url, app, owner);
  await Promise.all(['broken', 'late'].map(set));
  await stop();
  const waiting = await begin({ cookie });
  expect(waiting.statusCode).toBe(503);
  expect(await text(waiting)).toContain('location.reload()');
  const reloaded = await begin({ cookie });
  expect(await text(reloaded)).toContain('&lt;b&gt;no model&lt;/b&gt; for you');
  expect(reloaded.statusCode).toBe(502);
});
