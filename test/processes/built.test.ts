// Covers the output of `npm run build` from the files of an image build. Away from this repository, the command
// publishes every example to the server, and a real browser opens each.
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readdirSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import {
  finishedTask,
  firstAdministrator,
  openBrowser,
  publish,
  startListening,
  upload,
  type ListeningProcess,
  type Person,
} from '@pressroom/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const PATH = process.env.PATH ?? '';

const REMEMBER_SOCKETS = `
  const Native = WebSocket;
  window.sockets = [];
  window.WebSocket = class extends Native {
    constructor(address) {
      super(address);
      sockets.push(this);
    }
  };`;

let away: string;
let server: ListeningProcess;
let person: Person;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  away = await mkdtemp(join(tmpdir(), 'pressroom-built-'));
  const source = join(away, 'source');
  await copyContext(source);
  execFileSync(process.execPath, ['esbuild.config.mjs'], { cwd: source, stdio: 'pipe' });
  await cp(join(source, 'packages/cli/dist'), join(away, 'cli'), { recursive: true });
  // Other accounts may enter the directory of the packages, but not the server's.
  await chmod(away, 0o755);
  await mkdir(join(away, 'node_modules'));
  await mkdir(join(away, 'private'), { mode: 0o700 });
  await cp(join(source, 'packages/server/dist'), join(away, 'private/server'), { recursive: true });
  await cp(join(ROOT, 'examples'), join(away, 'examples'), { recursive: true });
  server = await startListening(join(away, 'private/server/serve.mjs'), {
    PATH,
    PRESSROOM_SERVER_DATADIR: join(away, 'data'),
    PRESSROOM_HTTP_LISTEN: '127.0.0.1:0',
    PRESSROOM_LOG_LEVEL: 'error',
    PRESSROOM_SCHEDULER_IDLETIMEOUT: '600',
    PRESSROOM_APPLICATIONS_PICTURES: 'false',
    PRESSROOM_APPLICATIONS_PREPAREDPROCESSES: '0',
  });
  person = await firstAdministrator(() => server.url);
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  await server.stop('SIGTERM');
  await rm(away, { recursive: true, force: true });
});

beforeEach(async () => {
  page = await browser.newPage();
  // Only the test's server, under its content hosts, too: requests to other addresses are aborted, not waited for.
  await page.route(
    (url) => url.port !== new URL(server.url).port,
    (route) => route.abort(),
  );
});
afterEach(() => page.close());

/** Copies the files that `.dockerignore` leaves for an image build, with the packages of this machine. */
async function copyContext(to: string): Promise<void> {
  const rules = (await readFile(join(ROOT, '.dockerignore'), 'utf8'))
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ isKept: line.startsWith('!'), pattern: expression(line.replace(/^!/, '')) }));
  // The last rule that matches the file or a directory above it decides.
  const isKept = (file: string) => rules.findLast(({ pattern }) => pattern.test(file))?.isKept ?? true;
  const ofGit = ['ls-files', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', ofGit, { cwd: ROOT, encoding: 'utf8' }).split('\n');
  for (const file of files.filter((name) => name !== '' && existsSync(join(ROOT, name)) && isKept(name)))
    await cp(join(ROOT, file), join(to, file));
  for (const modules of globSync('{.,packages/*}/node_modules', { cwd: ROOT })) {
    await mkdir(join(to, modules), { recursive: true });
    for (const name of readdirSync(join(ROOT, modules)).filter((entry) => entry !== '@pressroom'))
      await symlink(join(ROOT, modules, name), join(to, modules, name));
  }
  // Links to the packages of the copy.
  await cp(join(ROOT, 'node_modules/@pressroom'), join(to, 'node_modules/@pressroom'), {
    recursive: true,
    verbatimSymlinks: true,
  });
}

/** Converts a pattern as an engine does: `*` also matches a leading dot. */
function expression(pattern: string): RegExp {
  const parts = pattern.split('/').map((part) => {
    if (part === '**') return '(?:.*/)?';
    return `${part.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}/`;
  });
  return new RegExp(`^${parts.join('').replace(/\/$/, '')}(?:/|$)`);
}

async function publishExample(name: string): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(away, 'cli/pressroom.mjs'), 'deploy', join(away, 'examples', name), '--json'],
    { env: { PATH, HOME: away, CONNECT_SERVER: server.url, CONNECT_API_KEY: person.key } },
  );
  const events = stdout.trim().split('\n');
  const done = JSON.parse(events.at(-1)!) as { type: string; url: string; content: { guid: string } };
  expect(done.type).toBe('done');
  const body = { access_type: 'all' };
  expect(await person.call('PATCH', `/v1/content/${done.content.guid}`, { body })).toMatchObject({
    status: 200,
  });
  return done.url;
}

const OLDER =
  "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.9.0' } })";
const first = `data:text/javascript,${encodeURIComponent(OLDER)}`;

test('a program of the server names the Node.js that it requires, on an older one', async () => {
  const args = ['--import', first, join(away, 'private/server/backup.mjs'), join(away, 'all.tar')];
  await expect(promisify(execFile)(process.execPath, args)).rejects.toMatchObject({
    code: 1,
    stderr: 'Node.js 20.9.0 is too old: install 24.7 or newer\n',
  });
});

test('the command names the Node.js that it requires, on an older one', async () => {
  const args = ['--import', first, join(away, 'cli/pressroom.mjs'), '--version'];
  const run = promisify(execFile)(process.execPath, args);
  await expect(run).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^pressroom requires Node\.js 22\.19 or newer; this is 20\.9\.0\. .*\n$/),
  });
});

test('publishes the static page', async () => {
  await page.goto(await publishExample('static-page'));
  expect(await page.locator('body').innerText()).toContain('Three cafés');
});

test('composes the mail of a report in a thread', async () => {
  const root = join(away, 'examples/static-page');
  const workerData = { root, title: 'Cafés', url: server.url, mail: null, limit: 2 ** 20 };
  const thread = new Worker(join(away, 'private/server/compose-thread.mjs'), { workerData });
  const [{ mail }] = await once(thread, 'message');
  expect(mail.html).toContain('Three cafés');
});

test('compares two bundles in a thread', async () => {
  const file = (text: string) => ({ size: text.length, md5: text, bytes: Buffer.from(text) });
  const workerData = ['old', 'new'].map((text) => new Map([['app.R', file(text)]]));
  const thread = new Worker(join(away, 'private/server/compare-thread.mjs'), { workerData });
  const [{ files }] = await once(thread, 'message');
  expect(files).toMatchObject([{ path: 'app.R', counts: { added: 1, removed: 1 } }]);
});

test('the Shiny application updates its plot, even after a lost connection', async () => {
  const url = await publishExample('shiny-app');
  await page.addInitScript({ content: REMEMBER_SOCKETS });
  await page.goto(url);
  const plot = page.locator('#months img');
  const choose = async (shop: string) => {
    const before = await plot.getAttribute('src');
    await page.locator('#shop-label').waitFor();
    await page.evaluate(`$('#shop')[0].selectize.setValue(${JSON.stringify(shop)})`);
    await page.waitForFunction(
      `(document.querySelector('#months img')?.getAttribute('src') ?? before) !== before`.replaceAll(
        'before',
        JSON.stringify(before),
      ),
    );
  };
  await plot.waitFor();
  await choose('Station');
  await page.evaluate('sockets[0].close()');
  await choose('Old Mill');
  expect(await page.locator('#shiny-disconnected-overlay').count()).toBe(0);
  expect(await page.evaluate('sockets.length')).toBe(2);
  expect(await page.locator('#totals').innerText()).toContain('Lemonade');
});

test('a script error in a canary page counts for the canary only', async () => {
  const metadata = { appmode: 'shiny' };
  const app = (side: string, script: string) => ({
    'app.R': `library(shiny)
ui <- fluidPage(h1("${side}"), tags$script(HTML("${script}")))
shinyApp(ui, function(input, output, session) {})
`,
  });
  const { guid } = await publish(person, app('live', 'window.loaded = 1'), { metadata });
  const bundle_id = await upload(person, guid, app('canary', 'missing()'), metadata);
  const body = { bundle_id, canary: { share: 50 } };
  const started = await person.call('POST', `/v1/content/${guid}/deploy`, { body });
  expect(await finishedTask(person, started.body.task_id)).toMatchObject({ code: 0 });
  const seen = { live: 0, canary: 0 };
  // Each new session gets a side at random.
  while (seen.live === 0 || seen.canary === 0) {
    await using context = await browser.newContext();
    const tab = await context.newPage();
    await tab.goto(`${server.url}/content/${guid}/`);
    seen[(await tab.locator('h1').innerText()) as keyof typeof seen] += 1;
  }
  const figures = async () => {
    const { live, canary } = (await person.call('GET', `/v1/content/${guid}/canary`)).body;
    return [live.pages, live.script_errors, canary.pages, canary.script_errors];
  };
  await expect.poll(figures).toEqual([seen.live, 0, seen.canary, seen.canary]);
});

test('renders the R Markdown report with its plot and table', async () => {
  await page.goto(await publishExample('r-markdown-report'));
  await expect.poll(() => page.title()).toBe('Café sales');
  const widths = await page.evaluate('[...document.images].map((image) => image.naturalWidth)');
  expect(widths).toEqual([expect.any(Number)]);
  expect(widths).not.toContain(0);
  expect(await page.locator('table').innerText()).toContain('Lemonade');
});

test('the notebook shows the output of its cells', async () => {
  await page.goto(await publishExample('jupyter-notebook'));
  expect(await page.locator('body').innerText()).toContain("'216 rows, 2023-01 to 2024-12'");
  expect(await page.locator('table').first().innerText()).toContain('Old Mill');
  expect(await page.locator('img').count()).toBeGreaterThan(0);
});

test('the documentation page of the Plumber API lists and calls it', async () => {
  await page.goto(`${await publishExample('plumber-api')}__docs__/`);
  await page.locator('.opblock-summary', { hasText: '/shops' }).click();
  await page.getByRole('button', { name: 'Try it out' }).click();
  const answered = page.waitForResponse((response) => response.url().endsWith('/shops'));
  await page.getByRole('button', { name: 'Execute' }).click();
  const result = await answered;
  expect(result.status()).toBe(200);
  expect(JSON.stringify(await result.json())).toContain('Harbour');
});

test('the FastAPI API responds in the browser with its own path', async () => {
  const url = await publishExample('fastapi-api');
  await page.goto(url);
  expect(JSON.parse(await page.locator('pre').innerText())).toMatchObject({ rows: 216 });
  const openapi = await (await fetch(`${url}openapi.json`)).json();
  expect(openapi).toMatchObject({ servers: [{ url: new URL(url).pathname.replace(/\/$/, '') }] });
});

test('the SBOM is CycloneDX, and names the components of the server', async () => {
  const sbom = JSON.parse(await readFile(join(away, 'private/server/sbom.cdx.json'), 'utf8'));
  expect(sbom).toMatchObject({ bomFormat: 'CycloneDX' });
  const names = (sbom.components as { name: string }[]).map((component) => component.name);
  // pino-pretty is only used by `quickstart`.
  expect(names).toEqual(expect.arrayContaining(['fastify', 'kysely', 'pg', 'ws', 'pino-pretty']));
  expect(names).not.toContain('vitest');
});
