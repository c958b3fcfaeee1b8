import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import type { Client } from '../../client/client.ts';
import type { DeployOptions } from './deploy-events.ts';
import { prepareBundle } from './prepare.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

it('prepares R content without R and warns that the R version is unknown', async () => {
  const dir = await mkdtemp(path.join(tmpdir(), 'pressroom-prepare-'));
  await writeFile(
    path.join(dir, 'app.R'),
    'library(shiny)\nshinyApp(ui = fluidPage(), server = function(input, output) {})\n',
  );
  vi.stubEnv('PATH', dir);
  const { manifest, event } = await prepareBundle({ client: {} as Client, dir }, undefined, () => undefined);
  expect(manifest.platform).toBeUndefined();
  expect(event.app_mode).toBe('shiny');
  expect(event.warnings.join()).toMatch(/R version is unknown/);
  await rm(dir, { recursive: true });
});

/** Creates a directory with these files, and a second one that comes first in PATH. */
async function project(files: Readonly<Record<string, string>>): Promise<{ dir: string; bin: string }> {
  const home = await mkdtemp(path.join(tmpdir(), 'pressroom-prepare-'));
  const [dir, bin] = [path.join(home, 'project'), path.join(home, 'bin')];
  await mkdir(dir);
  await mkdir(bin);
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(dir, name)), { recursive: true });
    await writeFile(path.join(dir, name), text);
  }
  return { dir, bin };
}
const prepare = (dir: string, options: { type?: string; entrypoint?: string } = {}) =>
  prepareBundle({ client: {} as Client, dir, ...options }, undefined, () => undefined);

it('records the packages of DESCRIPTION in the versions installed locally', async () => {
  const { dir, bin } = await project({
    'app.R': 'library(shiny)\nshinyApp(ui = fluidPage(), server = function(input, output) {})\n',
    DESCRIPTION: 'Package: app\nImports: shiny\n',
    // Must not run: R is started in another directory.
    '.Rprofile': 'stop("the profile of the project was run")\n',
  });
  const library = path.join(bin, 'library');
  await mkdir(path.join(library, 'shiny'), { recursive: true });
  await writeFile(
    path.join(library, 'shiny/DESCRIPTION'),
    'Package: shiny\nVersion: 1.7.4\nRepository: CRAN\n',
  );
  const responses = `case "$*" in *libPaths*) echo "Welcome"; echo "library: ${library}" ;; *) echo "R version 4.2.2" ;; esac`;
  const script = `#!/bin/sh\n[ "$PWD" = "${dir}" ] && exit 1\n${responses}\n`;
  await writeFile(path.join(bin, 'R'), script);
  await chmod(path.join(bin, 'R'), 0o755);
  vi.stubEnv('PATH', `${bin}:${process.env['PATH']}`);
  const { manifest, event } = await prepare(dir);
  expect(manifest).toMatchObject({
    platform: '4.2.2',
    packages: { shiny: { Source: 'CRAN', description: { Version: '1.7.4' } } },
  });
  expect(event.warnings).toEqual([]);
  await rm(path.dirname(dir), { recursive: true });
});

it('warns about DESCRIPTION when R is missing', async () => {
  const { dir, bin } = await project({
    'plumber.R': '#* @get /\nfunction() 1\n',
    DESCRIPTION: 'Imports: shiny\n',
  });
  vi.stubEnv('PATH', bin);
  const { event } = await prepare(dir);
  expect(event.warnings.join()).toContain('R was not found here');
  await rm(path.dirname(dir), { recursive: true });
});

it.each(['command = ./shop', '# later'])(
  'warns about a pressroom.toml that starts nothing: %s',
  async (text) => {
    const files = {
      'app.py': 'from flask import Flask\napp = Flask(__name__)\n',
      'requirements.txt': 'flask\n',
    };
    const { dir } = await project({ ...files, 'pressroom.toml': text });
    const warning = expect.stringMatching(/^pressroom\.toml is not used: .* command = "/) as string;
    expect((await prepare(dir)).event).toMatchObject({ app_mode: 'python-api', warnings: [warning] });
    const chosen = await prepare(dir, { type: 'python-api', entrypoint: 'app:app' });
    expect(chosen.event.warnings).toEqual([]);
    await rm(path.dirname(dir), { recursive: true });
  },
);

it.each([
  [{ 'app.py': 'from nicegui import ui\nui.run()\n' }, 'app.py is a NiceGUI application, which'],
  [{ 'app.py': 'import chainlit.cli as cl\n' }, 'app.py is a Chainlit application, which'],
  [
    { 'app.py': '# import streamlit\nprint(1)\n' },
    'app.py does not make an application of a known framework (FastAPI',
  ],
  [{ 'app.py': 'import panel as pn\npn.serve(page)\n' }, 'imports panel, but never calls page.servable()'],
  [
    { 'main.py': 'from bokeh.plotting import figure, show\nshow(p)\n' },
    'imports bokeh, but never calls curdoc().add_root(page)',
  ],
  [{ 'a.py': '', 'b.py': '' }, 'None of a.py, b.py makes an application'],
  [
    { 'notes.qmd': '---\nserver: shiny\n---\n' },
    'notes.qmd is an interactive Quarto document (server: shiny), which',
  ],
  [{ 'a.ipynb': '' }, 'a.ipynb is no Jupyter notebook that can be read'],
  [{ 'plumber.R': '# @get /\nfunction() 1\n' }, 'plumber.R has no annotation of Plumber'],
  [{ 'my app.R': 'library(shiny)\nshinyApp(ui, server)\n' }, 'my app.R uses shiny, which starts app.R'],
  [
    { 'README.md': '', 'reports/2026/sales.Rmd': '', 'reports/index.Rmd': '' },
    'Publish the directory reports instead, which has index.Rmd.',
  ],
  [{ 'requirements.txt': '', 'src/app.py': '' }, 'or choose a type and the entry point src/app.py.'],
  [
    { 'pressroom.toml': 'command = ./shop\n', 'shop.py': '' },
    'pressroom.toml has no command: write command = "./program --listen 127.0.0.1:$PORT" in it.',
  ],
  [{ Procfile: 'worker: ./shop\n' }, 'Procfile has no command: write web: ./program'],
  [{ 'data.csv': 'x\n' }, 'add a file such as index.html, app.R, report.Rmd or app.py.'],
])('rejects %j with a message that fits the files', async (files, text) => {
  const { dir } = await project(files);
  await expect(prepare(dir)).rejects.toMatchObject({
    code: 'content-unknown',
    message: expect.stringContaining(text) as string,
  });
  await rm(path.dirname(dir), { recursive: true });
});

it('rejects a directory without files, of whatever type', async () => {
  const { dir } = await project({ '.git': '' });
  const message = 'There are no files to publish: check what is excluded.';
  for (const options of [{}, { type: 'static', entrypoint: 'index.html' }])
    await expect(prepare(dir, options)).rejects.toMatchObject({ code: 'nothing-to-pack', message });
  await rm(path.dirname(dir), { recursive: true });
});

it.each([
  ['python-fastapi', 'pkg.sub:app', 'pkg.sub:app'],
  ['python-fastapi', 'pkg:app', 'pkg:app'],
  ['python-gradio', 'pkg.sub', 'pkg.sub'],
  ['python-streamlit', 'pkg/sub.py', 'pkg/sub.py'],
])('starts %s from %s below the top', async (type, entrypoint, expected) => {
  const { dir } = await project({ 'requirements.txt': '', 'pkg/__init__.py': '', 'pkg/sub.py': '' });
  const { manifest } = await prepare(dir, { type, entrypoint });
  expect(manifest.metadata).toMatchObject({ appmode: type, entrypoint: expected });
  await rm(path.dirname(dir), { recursive: true });
});

it.each([
  ['python-fastapi', 'pkg.other:app', 'it would be in pkg/other.py or pkg/other/__init__.py'],
  ['rmd-static', 'pkg/a.Rmd', 'publish the directory pkg instead'],
  ['static', 'index.html', 'restore it, or choose another'],
  ['shiny', 'my.R', 'Shiny starts app.R, or ui.R and server.R, at the top of the directory: rename my.R'],
])('rejects %s from %s and names where it looks', async (type, entrypoint, text) => {
  const { dir } = await project({ 'requirements.txt': '', 'pkg/a.Rmd': '', 'my.R': '' });
  await expect(prepare(dir, { type, entrypoint })).rejects.toMatchObject({
    code: 'file-missing',
    message: expect.stringContaining(text) as string,
  });
  await rm(path.dirname(dir), { recursive: true });
});

it('names an unknown type, and the type whose main file is missing', async () => {
  const { dir } = await project({ 'app.py': 'from shiny import App\n' });
  await expect(prepare(dir, { type: 'python-taipy' })).rejects.toMatchObject({
    code: 'content-unknown',
    message: expect.stringContaining('python-taipy is not a type of content') as string,
  });
  await expect(prepare(dir, { type: 'python-api' })).rejects.toMatchObject({
    code: 'file-missing',
    message: expect.stringContaining('content of type python-api (Python API)') as string,
  });
  await rm(path.dirname(dir), { recursive: true });
});

it('takes the Python version of the publisher, unless a file names one', async () => {
  const { dir } = await project({
    'app.py': 'from fastapi import FastAPI\napp = FastAPI()\n',
    'requirements.txt': '',
  });
  const versionOf = async () => {
    const client = {} as Client;
    const { manifest } = await prepareBundle(
      { client, dir, publishAsNew: true, python: async () => '3.8.1' },
      undefined,
      () => undefined,
    );
    return manifest.python?.version;
  };
  expect(await versionOf()).toBe('3.8.1');
  await writeFile(path.join(dir, '.python-version'), '3.9.7');
  expect(await versionOf()).toBe('3.9.7');
  await rm(path.dirname(dir), { recursive: true });
});

it('takes the Python version from the server when there is none here, else fails', async () => {
  const { dir, bin } = await project({
    'app.py': 'from fastapi import FastAPI\napp = FastAPI()\n',
    'requirements.txt': '',
  });
  vi.stubEnv('PATH', bin);
  const server = (versions: string[]) =>
    ({
      getApplicationSettings: async () => ({}),
      getPythonInformation: async () => ({ installations: versions.map((version) => ({ version })) }),
    }) as unknown as Client;
  const prepared = await prepareBundle(
    { client: server(['3.9.2', '3.11.4', '3.10.1']), dir },
    undefined,
    () => undefined,
  );
  expect(prepared.manifest.python?.version).toBe('3.11.4');
  await expect(prepareBundle({ client: server([]), dir }, undefined, () => undefined)).rejects.toMatchObject({
    code: 'probe-failed',
  });
  await rm(path.dirname(dir), { recursive: true });
});

it.each([
  ['python-fastapi', 'The main file is unknown'],
  ['python-streamlit', 'The main file is unknown'],
  ['jupyter-voila', 'The main file is unknown'],
  ['rmd-static', 'The main file is unknown'],
  ['quarto-static', 'The main file is unknown'],
  ['api', 'The main file is unknown'],
  ['nodejs', 'The main file package.json is not'],
])('does not take a page for the main file of type %s', async (type, problem) => {
  const { dir } = await project({ 'index.html': '<p>', 'requirements.txt': '' });
  await expect(prepare(dir, { type })).rejects.toThrow(problem);
  await rm(path.dirname(dir), { recursive: true });
});

it('says which of several pages visitors see, unless it was chosen', async () => {
  const { dir } = await project({ 'a.html': '<p>a', 'b.html': '<p>b' });
  const warning = 'Visitors see a.html. To show b.html instead, name it as the entry point.';
  expect((await prepare(dir)).event.warnings).toEqual([warning]);
  expect((await prepare(dir, { entrypoint: 'b.html' })).event).toMatchObject({
    entrypoint: 'b.html',
    warnings: [],
  });
  await writeFile(path.join(dir, 'index.html'), '<p>index');
  expect((await prepare(dir)).event).toMatchObject({ entrypoint: 'index.html', warnings: [] });
  await rm(path.dirname(dir), { recursive: true });
});

it('warns of secrets and of changed files that manifest.json lists, and does not call them excluded', async () => {
  const manifest = {
    version: 1,
    metadata: { appmode: 'static', primary_html: 'index.html' },
    files: { 'index.html': { checksum: '0'.repeat(32) }, '.env': { checksum: '' } },
  };
  const { dir } = await project({
    'index.html': '<p>',
    '.env': 'TOKEN=1\n',
    '.env.local': 'TOKEN=2\n',
    'manifest.json': JSON.stringify(manifest),
  });
  const { event } = await prepare(dir);
  expect(event.files).toEqual(['.env', 'index.html']);
  expect(event.excluded.map((entry) => entry.path)).toEqual(['.env.local']);
  expect(event.excludedCount).toBe(1);
  expect(event.warnings).toEqual([
    'Changed since manifest.json was written: index.html.',
    expect.stringMatching(/^Published because manifest\.json lists it, though it may hold secrets: \.env\. /),
  ]);
  await rm(path.dirname(dir), { recursive: true });
});

it('warns of published files whose names suggest secrets, unless they are excluded or were asked for', async () => {
  const { dir } = await project({
    'index.html': '<p>',
    'certificates/server.pem': 'key',
    'credentials.json': '{}',
    '.env': 'TOKEN=1\n',
  });
  const warningsOf = async (options: Partial<DeployOptions>) =>
    (await prepareBundle({ client: {} as Client, dir, ...options }, undefined, () => undefined)).event
      .warnings;
  const warning = expect.stringMatching(
    /^Published though it may hold secrets: certificates\/server\.pem, credentials\.json\. Exclude it /,
  );
  expect(await warningsOf({})).toEqual([warning]);
  expect(await warningsOf({ include: ['.env'] })).toEqual([warning]);
  expect(await warningsOf({ exclude: ['*.pem', 'credentials.json'] })).toEqual([]);
  const metadata = { appmode: 'static', primary_html: 'index.html' };
  await writeFile(path.join(dir, 'manifest.json'), JSON.stringify({ version: 1, metadata }));
  expect(await warningsOf({})).toEqual([warning]);
  const files = { 'index.html': { checksum: '' }, 'credentials.json': { checksum: '' } };
  await writeFile(path.join(dir, 'manifest.json'), JSON.stringify({ version: 1, metadata, files }));
  expect(await warningsOf({})).toEqual([
    expect.stringMatching(/^Published because manifest\.json lists it, .* secrets: credentials\.json\. /),
  ]);
  await rm(path.dirname(dir), { recursive: true });
});

it('names files that an own manifest.json does not list as excluded', async () => {
  const manifest = {
    version: 1,
    metadata: { appmode: 'static', primary_html: 'index.html' },
    files: { 'index.html': { checksum: createHash('md5').update('<p>').digest('hex') } },
  };
  const { dir } = await project({
    'index.html': '<p>',
    'added-later.csv': '1',
    'zz.pyc': '',
    'manifest.json': JSON.stringify(manifest),
  });
  const { event } = await prepare(dir);
  expect(event.files).toEqual(['index.html']);
  expect(event.excluded).toEqual([
    { path: 'added-later.csv', reason: 'manifest.json does not list it' },
    { path: 'zz.pyc', reason: 'a cache' },
  ]);
  expect(event.excludedCount).toBe(2);
  await rm(path.dirname(dir), { recursive: true });
});

it('warns that another client published the directory, unless told where to publish', async () => {
  const guid = 'b5fbd52c-483b-4c59-8f76-0760d266e496';
  const url = 'https://example.com';
  const { dir } = await project({
    'index.html': '<p>',
    'rsconnect-python/site.json': JSON.stringify({ [url]: { server_url: url, app_guid: guid } }),
  });
  const warnings = async (options: Partial<DeployOptions> = {}) => {
    const client = { url } as Client;
    return (await prepareBundle({ client, dir, ...options }, undefined, () => undefined)).event.warnings;
  };
  expect(await warnings()).toEqual([
    `rsconnect-python published this directory to this server before. This makes new content: to update what it published, name it (--guid ${guid}).`,
  ]);
  expect(await warnings({ guid })).toEqual([]);
  expect(await warnings({ publishAsNew: true })).toEqual([]);
  expect(await warnings({ client: { url: 'https://example.org' } as Client })).toEqual([]);
  await rm(path.dirname(dir), { recursive: true });
});
