// Covers rsconnect-python from PyPI, unmodified: its commands, from adding a server to downloading deployed content.
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  createBrowser,
  makeQuartoStandIn,
  startTestServer,
  type Person,
  type QuartoStandIn,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { findOtherRecord } from '../../packages/api/src/publish/records/find-other-record.ts';
import { environmentOf, findClients, runCommand, titled, type Ended } from './clients.ts';

const clients = await findClients();

interface Content {
  readonly guid: string;
  readonly title: string;
  readonly app_mode: string;
  readonly bundle_id: string | null;
}

const FLASK = `import os
from flask import Flask
app = Flask(__name__)
@app.get("/")
def home():
    return "Flask says " + os.environ["GREETING"]
`;
const FASTAPI = `from fastapi import FastAPI
app = FastAPI()
@app.get("/")
def home():
    return {"says": "FastAPI"}
`;
/** In place of Shiny, which Debian lacks. */
const ASGI = `from starlette.responses import PlainTextResponse
app = PlainTextResponse("Shiny says hello")
`;
const NOTEBOOK = JSON.stringify({
  cells: [
    { cell_type: 'code', source: 'print(6 * 7, "in all")', metadata: {}, outputs: [], execution_count: null },
  ],
  metadata: { kernelspec: { name: 'python3', display_name: 'Python 3', language: 'python' } },
  nbformat: 4,
  nbformat_minor: 4,
});

describe.skipIf(clients.whyNot !== null)(titled('rsconnect-python', clients), () => {
  let server: TestServer;
  let owner: Person;
  let home: string;
  let quarto: QuartoStandIn;
  beforeAll(async () => {
    quarto = await makeQuartoStandIn();
    server = await startTestServer({ settings: { 'Quarto.Executable': quarto.file } });
    owner = await server.person('publisher');
    home = await mkdtemp(join(tmpdir(), 'rsconnect-python-'));
    await succeed('add', '--server', server.url, '--api-key', owner.key, '--name', 'press');
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await quarto[Symbol.asyncDispose]();
    await rm(home, { recursive: true });
  });

  const rsconnect = (...args: string[]) =>
    runCommand(join(clients.bin, 'rsconnect'), args, { cwd: home, env: environmentOf(clients, home) });
  async function succeed(...args: string[]): Promise<Ended> {
    const ended = await rsconnect(...args);
    expect(ended.code, ended.stdout + ended.stderr).toBe(0);
    return ended;
  }
  async function write(name: string, text: string): Promise<void> {
    await mkdir(dirname(join(home, name)), { recursive: true });
    await writeFile(join(home, name), text);
  }
  const titledContent = async (title: string) => {
    const all = (await owner.call('GET', '/v1/content')).body as Content[];
    return all.filter((content) => content.title === title);
  };
  /** Deploys with a unique title, and returns the one content item with that title. */
  async function deploy(kind: string, title: string, ...args: string[]): Promise<Content> {
    await succeed('deploy', kind, '--name', 'press', '--title', title, ...args);
    const found = await titledContent(title);
    expect(found).toHaveLength(1);
    return found[0]!;
  }
  const page = async (content: Content) =>
    (await owner.call('GET', `//content/${content.guid}/`)).bytes.toString();

  test('adds a server with a valid key only, and shows it', async () => {
    const refused = await rsconnect(
      'add',
      '--server',
      server.url,
      '--api-key',
      'nonsense',
      '--name',
      'wrong',
    );
    expect(refused.code).toBe(1);
    expect(refused.stdout + refused.stderr).toContain('Operation requires authentication');
    expect((await succeed('details', '--name', 'press')).stdout).toContain(server.url);
    expect((await succeed('list')).stderr).not.toContain('wrong');
  });

  test('html: deploys, redeploys, finds, describes and downloads content', async () => {
    await write('html/index.html', '<p>first</p>');
    const first = await deploy('html', 'A page', 'html/index.html');
    expect(first).toMatchObject({ app_mode: 'static', owner_guid: owner.guid });
    expect(await page(first)).toContain('first');
    await write('html/index.html', '<p>second</p>');
    const second = await deploy('html', 'A page', 'html/index.html');
    expect(second.guid).toBe(first.guid);
    expect(second.bundle_id).not.toBe(first.bundle_id);
    expect(await page(second)).toContain('second');

    const found = await succeed('content', 'search', '--name', 'press', '--title-contains', 'A page');
    expect(JSON.parse(found.stdout)).toMatchObject([{ guid: first.guid }]);
    const described = await succeed('content', 'describe', '--name', 'press', '--guid', first.guid);
    expect(JSON.parse(described.stdout)).toMatchObject([{ guid: first.guid, bundle_id: second.bundle_id }]);
    const output = join(home, 'bundle.tar.gz');
    await succeed('content', 'download-bundle', '--name', 'press', '--guid', first.guid, '--output', output);
    const kept = await owner.call('GET', `/v1/content/${first.guid}/bundles/${second.bundle_id}/download`);
    expect((await readFile(output)).equals(kept.bytes)).toBe(true);
  });

  test('preflight finds the Python for a new project', async () => {
    await write('ready/app.py', FLASK);
    await write(
      'ready/pyproject.toml',
      '[project]\nname = "ready"\nversion = "1"\nrequires-python = ">=3.8"\n',
    );
    const ready = JSON.parse((await succeed('preflight', '--name', 'press', 'ready')).stdout);
    expect(ready).toMatchObject({ status: 'ok', python_requires: '>=3.8', local_python_publishable: true });
    expect(ready.publishable_python_versions).toEqual(ready.existing_content.server_python_versions);
  });

  test('fastapi: without environment management nothing is installed', async () => {
    await write('managed/app.py', FASTAPI);
    await write('managed/requirements.txt', 'no-such-package==99\n');
    const content = await deploy('fastapi', 'Unmanaged', '--disable-env-management', 'managed');
    expect(await page(content)).toContain('FastAPI');
  });

  test('api: a Flask application runs with the given variable', async () => {
    await write('flask/app.py', FLASK);
    await write('flask/requirements.txt', 'flask\n');
    const content = await deploy('api', 'A Flask API', '--environment', 'GREETING=hello', 'flask');
    expect(content.app_mode).toBe('python-api');
    expect((await owner.call('GET', `/v1/content/${content.guid}/environment`)).body).toEqual(['GREETING']);
    expect(await page(content)).toBe('Flask says hello');
  });

  test('fastapi: an application runs, and pressroom finds its record', async () => {
    await write('fastapi/app.py', FASTAPI);
    await write('fastapi/requirements.txt', 'fastapi\n');
    const content = await deploy('fastapi', 'A FastAPI', 'fastapi');
    expect(content.app_mode).toBe('python-fastapi');
    expect(JSON.parse(await page(content))).toEqual({ says: 'FastAPI' });
    const recorded = await findOtherRecord(join(home, 'fastapi'), server.url);
    expect(recorded).toEqual({ client: 'rsconnect-python', guid: content.guid });
  });

  test('shiny: an application runs', async () => {
    await write('shiny/app.py', ASGI);
    await write('shiny/requirements.txt', 'uvicorn\nstarlette\n');
    const content = await deploy('shiny', 'A Shiny app', 'shiny');
    expect(content.app_mode).toBe('python-shiny');
    expect(await page(content)).toBe('Shiny says hello');
  });

  test('a bundle is verified as a draft before it goes live, and stays one with --draft', async () => {
    await write('page/index.html', '<p>first</p>');
    const live = await deploy('html', 'A draft', 'page');
    await write('page/index.html', '<p>second</p>');
    const { stderr, stdout } = await succeed('deploy', 'html', '--name', 'press', '--draft', 'page');
    expect(await page(live)).toContain('first');
    const [address = ''] = /http\S+\/draft\/\d+/.exec(stderr + stdout) ?? [];
    const bundle = address.split('/').at(-1)!;
    expect(Number(bundle)).toBeGreaterThan(Number(live.bundle_id));
    const shown = await owner.call('GET', `/${new URL(address).pathname}`);
    expect(shown.status).toBe(303);
    expect(shown.headers.get('location')).toMatch(new RegExp(`/content/${live.guid}/bundles/${bundle}$`));
    const draft = await owner.call('GET', `//content/${live.guid}/_bundle${bundle}/`);
    expect(String(draft.bytes)).toContain('second');
  });

  test('a directory in Git: the bundle says its commit', async () => {
    await write('repository/index.html', '<p>committed</p>');
    const git = async (...args: string[]) => {
      const ended = await runCommand('/usr/bin/git', ['-C', join(home, 'repository'), ...args], {
        cwd: home,
        env: environmentOf(clients, home),
      });
      expect(ended.code, ended.stderr).toBe(0);
      return ended.stdout.trim();
    };
    await git('init', '-q');
    await git('add', '.');
    await git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '-qm', 'First');
    const content = await deploy('html', 'From Git', 'repository');
    const path = `/v1/content/${content.guid}/bundles/${content.bundle_id}`;
    expect((await owner.call('GET', path)).body.metadata).toMatchObject({
      source_commit: await git('rev-parse', 'HEAD'),
    });
  });

  test('notebook: the server renders it with hidden code', async () => {
    await write('notebook/sum.ipynb', NOTEBOOK);
    await write('notebook/requirements.txt', '');
    const content = await deploy('notebook', 'A notebook', '--hide-all-input', 'notebook/sum.ipynb');
    expect(content.app_mode).toBe('jupyter-static');
    const html = await page(content);
    expect(html).toContain('42 in all');
    expect(html).not.toContain('6 * 7');
  });

  test('quarto: the server renders a document and a project', async () => {
    await write('report/report.qmd', 'Sum\n\n```{python}\nprint(6 * 7, "in all")\n```\n');
    await write('report/requirements.txt', '');
    const one = await deploy('quarto', 'A document', '--quarto', quarto.file, 'report/report.qmd');
    expect(one.app_mode).toBe('quarto-static');
    expect(await page(one)).toContain('42 in all');
    await write('project/_quarto.yml', 'project:\n  type: website\n');
    await write('project/index.qmd', 'The **first** page\n');
    await write('project/about.qmd', 'The second page\n');
    const site = await deploy('quarto', 'A project', '--quarto', quarto.file, 'project');
    expect(await page(site)).toContain('<strong>first</strong>');
  });

  test('manifest: deploys a manifest written by the client', async () => {
    await write('written/app.py', FASTAPI);
    await write('written/requirements.txt', 'fastapi\n');
    await succeed('write-manifest', 'fastapi', 'written');
    const manifest = JSON.parse(await readFile(join(home, 'written/manifest.json'), 'utf8'));
    expect(manifest.metadata).toMatchObject({ appmode: 'python-fastapi', entrypoint: 'app' });
    const content = await deploy('manifest', 'By manifest', 'written/manifest.json');
    expect(content.app_mode).toBe('python-fastapi');
    expect(JSON.parse(await page(content))).toEqual({ says: 'FastAPI' });
  });

  test('an unsupported type is rejected by name without a deploy', async () => {
    const metadata = { appmode: 'quarto-shiny', entrypoint: 'index.qmd' };
    const files = { 'index.qmd': { checksum: '' } };
    await write('quarto/index.qmd', '# x\n');
    await write('quarto/manifest.json', JSON.stringify({ version: 1, metadata, files }));
    const refused = await rsconnect(
      'deploy',
      'manifest',
      '--name',
      'press',
      '--title',
      'Not here',
      'quarto/manifest.json',
    );
    expect(refused.code).toBe(1);
    expect(refused.stdout + refused.stderr).toContain('quarto-shiny');
    expect((await titledContent('Not here')).map(({ bundle_id }) => bundle_id)).not.toContainEqual(
      expect.any(String),
    );
  });

  test('login: signs in with the browser, and deploys with its token', async () => {
    await write(
      'browser.sh',
      `#!/bin/sh\necho "$1" > "${home}/opened.part" && mv "${home}/opened.part" "${home}/opened"\n`,
    );
    await chmod(join(home, 'browser.sh'), 0o755);
    const env = { ...environmentOf(clients, home), BROWSER: join(home, 'browser.sh') };
    const args = ['login', server.url, '--name', 'signed-in'];
    const ended = runCommand(join(clients.bin, 'rsconnect'), args, { cwd: home, env });
    const opened = await vi.waitFor(() => readFile(join(home, 'opened'), 'utf8'), { timeout: 60_000 });
    const asked = new URL(opened.trim());
    const browser = createBrowser();
    const credentials = { username: owner.username, password: 'correct horse' };
    await browser.submit(`${server.url}/__login__`, credentials);
    expect((await browser.get(asked.href)).text).toContain('Posit CLI');
    const { text } = await browser.submit(`${server.url}/__dashboard__/authorize`, {
      asked: asked.search.slice(1),
      decision: 'allowed',
      xsrf: browser.cookie(`${server.url}/`, 'RSC-XSRF')!,
    });
    const [, back] = /url=(http:[^"]+)"/.exec(text)!;
    expect(await (await fetch(back!.replaceAll('&amp;', '&'))).text()).toContain('successful');
    const { code, stdout, stderr } = await ended;
    expect(code, stdout + stderr).toBe(0);

    await write('signed-in/index.html', '<p>with a token');
    await succeed('deploy', 'html', '--name', 'signed-in', '--title', 'With a token', 'signed-in/index.html');
    expect(await titledContent('With a token')).toMatchObject([{ owner_guid: owner.guid }]);
  });

  test('removes a server', async () => {
    await succeed('add', '--server', server.url, '--api-key', owner.key, '--name', 'second');
    await succeed('remove', '--name', 'second');
    expect((await rsconnect('details', '--name', 'second')).code).toBe(1);
  });
});
