// Covers Quarto content published from a plain directory. A stand-in replaces the quarto command, which was not available.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeQuartoStandIn, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runHere } from '../../packages/cli/src/testing/run-here.ts';

const stack = new AsyncDisposableStack();
let server: TestServer;
let person: Person;
beforeAll(async () => {
  const quarto = stack.use(await makeQuartoStandIn());
  server = stack.use(await startTestServer({ settings: { 'Quarto.Executable': quarto.file } }));
  person = await server.person('publisher');
});
afterAll(() => stack.disposeAsync());

/** Runs `pressroom deploy` in a directory with these files, without a flag for the type. */
async function deploy(files: Readonly<Record<string, string>>, url = server.url, { key } = person) {
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-quarto-content-'));
  stack.defer(() => rm(directory, { recursive: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
  const env = { PATH: process.env.PATH, HOME: directory, CONNECT_SERVER: url, CONNECT_API_KEY: key };
  return runHere(['deploy', '.', '--name', 'quarto-content', '--json'], { env, cwd: directory });
}

async function pageOf(stdout: string): Promise<{ guid: string; page: (path?: string) => Promise<string> }> {
  const { guid } = JSON.parse(stdout.trim().split('\n').at(-1)!).content;
  return {
    guid,
    page: async (path = '') => (await person.call('GET', `//content/${guid}/${path}`)).bytes.toString(),
  };
}

test('renders a document with R and parameters', async () => {
  const text =
    '---\ntitle: Sales\nparams:\n  region: South\n---\n\nSales of `r params$region`\n\n```{r}\n40 + 2\n```\n';
  const outcome = await deploy({ 'sales.qmd': text });
  expect(outcome).toMatchObject({ code: 0 });
  const { guid, page } = await pageOf(outcome.stdout);
  expect(await page()).toContain('Sales of South');
  expect(await page()).toContain('[1] 42');
  const content = (await person.call('GET', `/v1/content/${guid}`)).body;
  expect(content).toMatchObject({ app_mode: 'quarto-static', parameterized: true });
  expect(content.r_version).toMatch(/^\d/);
  const older = (await person.call('GET', `/v1/experimental/content/${guid}`)).body;
  expect(older).toMatchObject({ app_mode: 'rmd-static' });
});

test('restores the packages of R and Python for a website that uses both', async () => {
  const outcome = await deploy({
    '_quarto.yml': 'project:\n  type: website\n',
    'index.qmd': 'Home\n\n```{r}\nR.version.string\n```\n',
    'about.qmd': 'About\n\n```{python}\nimport sys; print(sys.prefix)\n```\n',
    'requirements.txt': '',
    '.python-version': '3',
  });
  expect(outcome).toMatchObject({ code: 0 });
  const { page } = await pageOf(outcome.stdout);
  expect(await page()).toContain('R version');
  expect(await page('about.html')).toMatch(/<p>\/\S+/);
});

test('a failed rendering reports the file and the error', async () => {
  const { code, stdout } = await deploy({ 'a.qmd': 'Text\n\n```{r}\nstop("no data for 3")\n```\n' });
  expect(code).not.toBe(0);
  expect(stdout).toMatch(/"error":.*\(a\.qmd\): no data for 3/);
});

test('publishers list the Quarto version, and a deploy without Quarto names the setting', async () => {
  const path = '/v1/server_settings/quarto';
  expect((await person.call('GET', path)).body).toEqual({ installations: [{ version: '1.6.40' }] });
  await using other = await startTestServer({ settings: { 'Quarto.Executable': '/nowhere/quarto' } });
  const publisher = await other.person('publisher');
  expect((await publisher.call('GET', path)).body).toEqual({ installations: [] });
  const { code, stdout } = await deploy({ 'a.qmd': 'Text' }, other.url, publisher);
  expect(code).not.toBe(0);
  expect(stdout).toContain('Quarto.Executable');
});
