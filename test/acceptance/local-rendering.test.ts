// Covers documents published together with a local rendering.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { errors } from '@pressroom/api/contract';
import { finishedTask, makeArchive, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runHere } from '../../packages/cli/src/testing/run-here.ts';
import type { SiteArchives } from '../../packages/server/src/platform/blobs/blob-store.ts';

const stack = new AsyncDisposableStack();
let server: TestServer;
let person: Person;
beforeAll(async () => {
  server = stack.use(await startTestServer());
  person = await server.person('publisher');
});
afterAll(() => stack.disposeAsync());

async function directoryOf(files: Readonly<Record<string, string>>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-local-rendering-'));
  stack.defer(() => rm(directory, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(directory, name)), { recursive: true });
    await writeFile(join(directory, name), text);
  }
  return directory;
}

async function deploy(cwd: string, ...options: string[]) {
  const env = { PATH: process.env.PATH, HOME: cwd, CONNECT_SERVER: server.url, CONNECT_API_KEY: person.key };
  const { code, stdout } = await runHere(['deploy', '.', ...options, '--json'], { env, cwd });
  const events = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return { code, events, guid: events.findLast((event) => event.guid)?.guid as string };
}
const page = async (guid: string, path = '') =>
  (await person.call('GET', `//content/${guid}/${path}`)).bytes.toString();

const LOCAL = {
  'report.html': '<img src="report_files/plot.svg"><p>made at home',
  'report_files/plot.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'data.csv': 'not for readers',
};
/** A fragment: in a whole page R embeds libraries, which takes a quarter of a second. */
const HERE = '---\noutput: html_fragment\n---\n\nMade here: `r 40 + 2`\n';
const SAID = 'What was rendered where this was published is shown until the rendering here is done';

test('both: shows the publisher’s rendering first, then the server’s, and lists both', async () => {
  const dir = await directoryOf({ ...LOCAL, 'report.Rmd': HERE });
  const { code, events, guid } = await deploy(dir, '--rendering', 'both');
  expect(code).toBe(0);
  expect(events.filter(({ type }) => type === 'log').map(({ line }) => line)).toContain(SAID);
  expect(await page(guid)).toContain('42');
  expect(await page(guid)).not.toContain('made at home');
  const { db } = server.running.services.storage;
  const renderings = await db.selectFrom('rendering').select('id').where('content_guid', '=', guid).execute();
  expect(renderings).toHaveLength(2);
});

test('both: keeps the publisher’s rendering when the server fails, and reports the failure', async () => {
  const dir = await directoryOf({
    ...LOCAL,
    'report.Rmd': '---\ntitle: Report\n---\n\n```{r}\nstop("no data here")\n```\n',
  });
  const { code, events, guid } = await deploy(dir, '--rendering', 'both');
  expect(code).not.toBe(0);
  expect(events.at(-1)).toMatchObject({ type: 'failed', error: expect.stringContaining('no data here') });
  expect(await page(guid)).toContain('made at home');
  expect(await page(guid, 'report_files/plot.svg')).toContain('<svg');
  expect((await person.call('GET', `//content/${guid}/data.csv`)).status).toBe(404);
  const { body } = await person.call('GET', `/v1/content/${guid}`);
  expect(body).toMatchObject({ app_mode: 'rmd-static' });
  expect(body.bundle_id).not.toBeNull();
});

test('both and local: publishes the rendered pages of a site without its sources', async () => {
  const site = {
    '_site.yml': 'name: x\n',
    'index.Rmd': '---\ntitle: Site\n---\n\n```{r}\nstop("no data here")\n```\n',
    'data.csv': 'not for readers',
    '_site/index.html': '<p>made at home</p>',
    '_site/more/page.html': '<p>the second page</p>',
  };
  for (const [rendering, isRendered] of [
    ['both', true],
    ['local', false],
  ] as const) {
    const { code, guid } = await deploy(await directoryOf(site), '--rendering', rendering);
    expect(code === 0).toBe(!isRendered);
    expect(await page(guid)).toContain('made at home');
    expect(await page(guid, 'more/page.html')).toContain('the second page');
    for (const name of ['data.csv', '_site/index.html', 'index.Rmd'])
      expect((await person.call('GET', `//content/${guid}/${name}`)).status).toBe(404);
  }
});

/** Replaces the store of renderings with this `put`. Errors with status 503 are retried. */
function useStore(put: SiteArchives['put']): Disposable {
  const { blobs } = server.running.services as { blobs: { sites: SiteArchives | null } };
  const open = async () => Promise.reject(errors.notFound());
  blobs.sites = { put, open, removeAllBut: async () => undefined, sweep: async () => [] };
  return { [Symbol.dispose]: () => void (blobs.sites = null) };
}

const BOTH = { ...LOCAL, 'report.Rmd': HERE };

test.each([
  ['the publisher’s rendering', (site: string) => site.endsWith('-local')],
  ['the server’s rendering', (site: string) => !site.endsWith('-local')],
])('both: retries when the store fails while receiving %s', async (_what, isGiven) => {
  let isAway = true;
  using _store = useStore(async (_guid, site, archive) => {
    for await (const _piece of archive);
    if (!isAway || !isGiven(site)) return;
    isAway = false;
    throw errors.internal({ message: 'the store is away', status: 503 });
  });
  const { code, guid } = await deploy(await directoryOf(BOTH), '--rendering', 'both');
  expect([code, isAway]).toEqual([0, false]);
  expect(await page(guid)).toContain('42');
});

test.each([
  ['is cancelled', (id: string) => person.call('POST', `/v1/tasks/${id}/cancel`)],
  [
    'another server has taken over',
    (id: string) =>
      server.running.services.storage.db
        .updateTable('task')
        .set({ node: 'another', attempt: 1, finished: 1 })
        .where('id', '=', id)
        .execute(),
  ],
])('both: shows nothing of a deploy that %s', async (_what, end) => {
  let content = '';
  using _store = useStore(async (guid, _site, archive) => {
    for await (const _piece of archive);
    content = guid;
    const { db } = server.running.services.storage;
    const { id } = await db
      .selectFrom('task')
      .select('id')
      .where('content_guid', '=', guid)
      .executeTakeFirstOrThrow();
    await end(id);
  });
  await deploy(await directoryOf(BOTH), '--rendering', 'both');
  expect((await person.call('GET', `/v1/content/${content}`)).body.bundle_id).toBeNull();
});

test('local: republishes only the page, and requires new content for the source', async () => {
  const dir = await directoryOf({ ...LOCAL, 'report.Rmd': HERE });
  const { code, guid } = await deploy(dir, '--rendering', 'local');
  expect(code).toBe(0);
  expect(await page(guid)).toContain('made at home');
  const again = await deploy(dir);
  expect(again).toMatchObject({ code: 0, guid });
  for (const name of ['data.csv', 'report.Rmd'])
    expect((await person.call('GET', `//content/${guid}/${name}`)).status).toBe(404);
  // A page has another content type than a document.
  expect((await deploy(dir, '--rendering', 'server')).events.at(-1)).toMatchObject({ code: 48 });
  const source = await deploy(dir, '--rendering', 'server', '--new');
  expect(source.code).toBe(0);
  expect(await page(source.guid)).toContain('Made here');
});

test('does not show the publisher’s rendering for a draft, or if its page is missing', async () => {
  const { guid } = (await person.call('POST', '/v1/content', { body: { name: 'lacking' } })).body;
  const metadata = { appmode: 'rmd-static', primary_rmd: 'report.Rmd' };
  const deployed = async (rendered: object, options: object) => {
    const manifest = JSON.stringify({ version: 1, metadata, rendered });
    const raw = makeArchive({ ...LOCAL, 'manifest.json': manifest, 'report.Rmd': HERE });
    const { id } = (await person.call('POST', `/v1/content/${guid}/bundles`, { raw })).body;
    const body = { bundle_id: id, ...options };
    const { task_id } = (await person.call('POST', `/v1/content/${guid}/deploy`, { body })).body;
    return finishedTask(person, task_id);
  };
  for (const task of [
    await deployed({ page: 'gone.html' }, {}),
    await deployed({ page: 'report.html' }, { activate: false }),
  ]) {
    expect(task).toMatchObject({ code: 0 });
    expect(task.output).not.toContain(SAID);
  }
  expect(await page(guid)).toContain('42');
});

test.each([
  [{ page: '../etc/passwd.html' }],
  [{ page: 'report.R' }],
  [{ page: 'report.html', files: ['../../secret'] }],
  [{ page: 'report.html', files: ['/etc/passwd'] }],
  [{ page: 'report.html', files: 'all' }],
  [{ page: 'x\n/../../elsewhere.html' }],
  [{ page: 'report.html', files: ['x\u2028/../../elsewhere'] }],
])('rejects a manifest with rendered: %j', async (rendered) => {
  const name = `hostile-${crypto.randomUUID()}`;
  const { guid } = (await person.call('POST', '/v1/content', { body: { name } })).body;
  const metadata = { appmode: 'rmd-static', primary_rmd: 'report.Rmd' };
  const manifest = JSON.stringify({ version: 1, metadata, rendered });
  const raw = makeArchive({ 'manifest.json': manifest, 'report.Rmd': '' });
  const refused = await person.call('POST', `/v1/content/${guid}/bundles`, { raw });
  expect(refused).toMatchObject({ status: 400, body: { code: 38 } });
});
