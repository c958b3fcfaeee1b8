// Covers Shiny applications with real R: sessions, connection limits, lost connections, the signed-in user.
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import {
  caller,
  publish,
  startTestServer,
  type Person,
  type Published,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { visit, type ShinyVisitor } from './shiny-client.ts';

const APP = `
library(shiny)
ui <- fluidPage(numericInput("n", "n", 1), textOutput("out"))
server <- function(input, output, session) {
  output$out <- renderText(paste(session$user, "has", input$n, "of", session$token))
}
shinyApp(ui, server)
`;
const WITH_TOKEN = APP.replace('session$user,', 'session$request$HTTP_POSIT_CONNECT_USER_SESSION_TOKEN,');
const SHINY = { appmode: 'shiny' };
const GRACE_SECONDS = 5;

let server: TestServer;
let owner: Person;
let app: Published;

beforeAll(async () => {
  server = await startTestServer({
    settings: {
      'Scheduler.IdleTimeout': 600,
      'Client.ReconnectTimeout': GRACE_SECONDS,
      'Applications.VisitorKeys': 'viewer',
    },
  });
  owner = await server.person('publisher');
  app = await publish(owner, { 'app.R': APP }, { metadata: SHINY });
});
afterAll(() => server[Symbol.asyncDispose]());

const addressOf = ({ guid }: Published) => `${server.url}/content/${guid}/`;
async function enter(content: Published, headers: Record<string, string> = {}): Promise<ShinyVisitor> {
  const visitor = await visit(addressOf(content), headers);
  if (visitor.socket === null) throw new Error(`refused with ${visitor.status}`);
  return visitor;
}
const out = (values: Record<string, unknown>) => String(values.out ?? '');
const sessionsOf = async ({ guid }: Published) =>
  (await owner.call('GET', `/v1/instrumentation/shiny/usage?content_guid=${guid}`)).body.results;

test('the application responds, and its page includes the session script', async () => {
  expect(app.task).toMatchObject({ code: 0 });
  const visitor = await enter(app);
  expect(visitor.page).toContain('<script src="__pressroom__/shiny-session.js"></script>');
  const script = await fetch(`${addressOf(app)}__pressroom__/shiny-session.js`);
  expect(script.headers.get('content-type')).toMatch(/javascript/);
  visitor.set({ n: 7 });
  await visitor.until((values) => out(values).includes('has 7'));
  visitor.socket.close();
});

test('an app.R that ends with runApp() is loaded, and its log says so', async () => {
  const text = APP.replace('shinyApp(ui, server)', 'runApp(list(ui = ui, server = server), port = 3838)');
  const own = await publish(owner, { 'app.R': text }, { metadata: SHINY });
  const notice = 'Ignored runApp(): the application is started here.';
  expect(own.task).toMatchObject({ code: 0, output: expect.arrayContaining([notice]) });
  const visitor = await enter(own);
  visitor.set({ n: 7 });
  await visitor.until((values) => out(values).includes('has 7'));
  visitor.socket.close();
});

test('an application that runs its own directory fails with a remedy', async () => {
  const { task } = await publish(owner, { 'app.R': 'shiny::runApp()\n' }, { metadata: SHINY });
  const reason = 'the application calls runApp(): end it with shinyApp() instead.';
  expect(task).toMatchObject({ code: 1, error: expect.stringContaining(reason) });
});

test('session$user is the signed-in user, even with forged headers', async () => {
  const viewer = await server.person('viewer');
  const forged = {
    'Shiny-Server-Credentials': '{"user":"mallory"}',
    Shiny_Server_Credentials: '{"user":"mallory"}',
  };
  const visitor = await enter(app, { authorization: `Key ${viewer.key}`, ...forged });
  visitor.set({ n: 1 });
  expect(out(await visitor.until((values) => out(values) !== ''))).toMatch(`${viewer.username} has`);
  visitor.socket.close();
});

test('session$request has the token for an API key of the visitor, where an administrator allowed it', async () => {
  const admin = await server.administrator();
  const viewer = await server.person('viewer');
  const [{ guid }] = (await admin.call('GET', '/v1/oauth/integrations')).body;
  const own = await publish(owner, { 'app.R': WITH_TOKEN }, { metadata: SHINY });
  await admin.call('PUT', `/v1/content/${own.guid}/oauth/integrations/associations`, {
    body: [{ oauth_integration_guid: guid }],
  });
  const visitor = await enter(own, { authorization: `Key ${viewer.key}` });
  visitor.set({ n: 1 });
  const [token] = out(await visitor.until((values) => out(values) !== '')).split(' has ');
  const { body } = await owner.call('POST', '/v1/oauth/integrations/credentials', {
    body: {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token_type: 'urn:posit:connect:user-session-token',
      subject_token: token,
    },
  });
  const acting = caller(() => server.url, body.access_token);
  expect((await acting('GET', '/v1/user')).body.username).toBe(viewer.username);
  visitor.socket.close();
});

test('a visitor who reconnects continues the same session without losing messages', async () => {
  const visitor = await enter(app);
  visitor.set({ n: 10 });
  const first = out(await visitor.until((values) => out(values).includes('has 10')));
  visitor.set({ n: 11 });
  await visitor.comeBack();
  const second = out(await visitor.until((values) => out(values).includes('has 11')));
  expect(second.split(' of ')[1]).toBe(first.split(' of ')[1]);
  visitor.set({ n: 12 });
  await visitor.until((values) => out(values).includes('has 12'));
  visitor.socket.close();
});

test('a session cannot be resumed by another visitor or after its end', async () => {
  const viewer = await server.person('viewer');
  const visitor = await enter(app, { authorization: `Key ${viewer.key}` });
  const { WebSocket } = await import('ws');
  const address = `${addressOf(app).replace('http', 'ws')}websocket/?pressroom-session=${visitor.id}&received=0`;
  expect((await once(new WebSocket(address), 'close'))[0]).toBe(4003);
  visitor.socket.close();
  while ((await sessionsOf(app)).some((session: { ended: string | null }) => session.ended === null))
    await delay(200);
  const late = new WebSocket(address, { headers: { authorization: `Key ${viewer.key}` } });
  expect((await once(late, 'close'))[0]).toBe(4003);
});

test('a visitor waits while R computes for another', async () => {
  const busy = APP.replace('session) {', 'session) {\n  Sys.sleep(6)');
  const content = await publish(owner, { 'app.R': busy }, { metadata: SHINY, fields: { max_processes: 1 } });
  for (const visitor of await Promise.all([1, 2, 3].map(() => enter(content)))) {
    visitor.set({ n: 5 });
    await expect(visitor.until((values) => out(values).includes('has 5'))).resolves.toBeDefined();
    visitor.socket.close();
  }
});

test('sessions are recorded, also anonymous ones, ending after the reconnect timeout', async () => {
  const content = await publish(owner, { 'app.R': APP }, { metadata: SHINY });
  const viewer = await server.person('viewer');
  const known = await enter(content, { authorization: `Key ${viewer.key}` });
  const anonymous = await enter(content);
  expect((await sessionsOf(content)).map((session: { ended: null }) => session.ended)).toEqual([null, null]);
  const left = Date.now();
  for (const { socket } of [known, anonymous]) socket.close();
  while ((await sessionsOf(content)).some((session: { ended: null }) => session.ended === null))
    await delay(200);
  const sessions = await sessionsOf(content);
  expect(sessions.map((session: { user_guid: string }) => session.user_guid)).toEqual([
    viewer.guid,
    '00000000-0000-0000-0000-000000000000',
  ]);
  for (const session of sessions) {
    const ended = Date.parse(session.ended);
    expect(ended).toBeGreaterThanOrEqual(left + GRACE_SECONDS * 1000 - 50);
    expect(Date.parse(session.started)).toBeLessThanOrEqual(left);
  }
});

test('a page gets its files from the process that created it', async () => {
  const text = `
library(shiny)
ui <- function(request) {
  if (request$QUERY_STRING == "?process") {
    Sys.sleep(0.3)
    return(httpResponse(202, "text/plain", tempdir()))
  }
  fluidPage()
}
shinyApp(ui, function(input, output, session) NULL)
`;
  const two = { min_processes: 2, max_processes: 2 };
  const content = await publish(owner, { 'app.R': text }, { metadata: SHINY, fields: two });
  const asked = new Set<string>();
  const askBoth = async () => {
    const ask = () => fetch(`${addressOf(content)}?process`, { headers: { accept: 'text/html' } });
    for (const response of await Promise.all([ask(), ask()])) asked.add(await response.text());
    return asked.size;
  };
  await expect.poll(askBoth, { timeout: 60_000 }).toBe(2);

  const page = await fetch(addressOf(content), { headers: { accept: 'text/html' } });
  const cookie = page.headers
    .getSetCookie()
    .map((line) => line.split(';')[0]!)
    .join('; ');
  const html = await page.text();
  const files = [...html.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g)].map(([, path]) => path!);
  expect(files.length).toBeGreaterThan(5);
  const ask = async (file: string) =>
    (await fetch(new URL(file, addressOf(content)), { headers: { cookie } })).status;
  expect(new Set(await Promise.all(files.map(ask)))).toEqual(new Set([200]));
});

test('a session keeps its downloads after a deploy and a lost connection', async () => {
  const text = APP.replace('textOutput("out")', 'textOutput("out"), downloadLink("file")').replace(
    '  output$out',
    () => `  output$file <- downloadHandler("n.txt", function(path) writeLines(paste("downloaded", input$n), path))
  outputOptions(output, "file", suspendWhenHidden = FALSE)
  output$out`,
  );
  const content = await publish(owner, { 'app.R': text }, { metadata: SHINY });
  const visitor = await enter(content);
  visitor.set({ n: 1 });
  const [, token] = out(await visitor.until((values) => out(values).includes('has 1'))).split(' of ');
  await publish(owner, { 'app.R': APP }, { metadata: SHINY, guid: content.guid });
  for (const n of [2, 3]) {
    visitor.set({ n });
    await visitor.until((values) => out(values).includes(`has ${n} of ${token}`));
    const file = await fetch(`${addressOf(content)}session/${token}/download/file?w=`, {
      headers: { accept: 'text/html' },
    });
    expect(await file.text()).toBe(`downloaded ${n}\n`);
    await visitor.comeBack();
  }
  visitor.socket.close();
});

test('of two hundred visitors sixty are served, the others get a page, none is dropped', async () => {
  const fields = { max_processes: 3, max_conns_per_process: 20 };
  const content = await publish(owner, { 'app.R': APP }, { metadata: SHINY, fields });
  const visitors = await Promise.all(Array.from({ length: 200 }, () => visit(addressOf(content))));
  const served = visitors.filter((visitor) => visitor.socket !== null);
  const refused = visitors.filter((visitor) => visitor.socket === null);
  expect([served.length, refused.length]).toEqual([60, 140]);
  for (const { status, page } of refused) {
    expect(status).toBe(503);
    expect(page).toContain('<h1>Too many visitors</h1>');
  }
  await Promise.all(
    served.map(async (visitor, i) => {
      visitor.set({ n: i });
      await visitor.until((values) => out(values).includes(`has ${i} of`));
    }),
  );
  expect(served.every(({ socket }) => socket.readyState === socket.OPEN)).toBe(true);
  const { body: jobs } = await owner.call('GET', `/v1/content/${content.guid}/jobs`);
  expect(jobs).toHaveLength(3);
  // Files of a page are served even if all processes are full.
  expect((await fetch(`${addressOf(content)}__pressroom__/shiny-session.js`)).status).toBe(200);
  const file = /src="(shiny-javascript[^"]+)"/.exec(served[0]!.page)![1]!;
  expect((await fetch(addressOf(content) + file)).status).toBe(200);
  served[0]!.socket.close();
  for (;;) {
    const next = await visit(addressOf(content));
    if (next.socket) break;
    await delay(100);
  }
});

test('a killed application closes its sessions without reconnecting', async () => {
  const content = await publish(owner, { 'app.R': APP }, { metadata: SHINY });
  const visitor = await enter(content);
  const closed = once(visitor.socket, 'close');
  const [job] = (await owner.call('GET', `/v1/content/${content.guid}/jobs`)).body;
  process.kill(job.pid, 'SIGKILL');
  expect((await closed)[0]).toBe(4000);
});

test('an interactive R Markdown document responds over its WebSocket', async () => {
  const document = [
    '---',
    'title: Interactive',
    'output: html_document',
    'runtime: shiny',
    '---',
    '```{r}',
    'numericInput("n", "n", 1)',
    'textOutput("out")',
    'output$out <- renderText(paste("twice:", 2 * input$n))',
    '```',
  ].join('\n');
  const metadata = { appmode: 'rmd-shiny', primary_rmd: 'report.Rmd' };
  const content = await publish(owner, { 'report.Rmd': document }, { metadata });
  expect(content.task).toMatchObject({ code: 0 });
  const visitor = await enter(content);
  // The document itself is an output, too. Its inputs exist once it has been rendered.
  visitor.set({ '.clientdata_output___reactivedoc___hidden': false });
  await visitor.until((values) => JSON.stringify(values).includes('Interactive'));
  visitor.set({ n: 21 });
  await visitor.until((values) => out(values) === 'twice: 42');
  visitor.socket.close();
});
