// Covers detection of content types, on real files and on near misses.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createTree } from '../collect/testing.ts';
import { detectContent } from './detect-content.ts';

const EXAMPLES = path.join(import.meta.dirname, '../../../../../examples');

const FASTAPI = 'from fastapi import FastAPI\n\napp = FastAPI()\n';
const FLASK = 'import flask as f\napplication: f.Flask = f.Flask(__name__)\n';

test.each([
  ['fastapi-api', 'python-fastapi', 'app:app', false],
  ['jupyter-notebook', 'jupyter-static', 'cafes.ipynb', false],
  ['plumber-api', 'api', 'plumber.R', false],
  ['r-markdown-report', 'rmd-static', 'index.Rmd', true],
  ['shiny-app', 'shiny', 'app.R', false],
  ['static-page', 'static', 'index.html', false],
])('detects the example %s as %s', async (name, appmode, entrypoint, hasParameters) => {
  const [best] = await detectContent(path.join(EXAMPLES, name));
  expect(best).toMatchObject({ appmode, entrypoint, hasParameters, contentCategory: '' });
  expect(best?.why).toMatch(/^[\w.]+ .+\.$/);
});

const BLOCKS = 'import gradio as gr\nwith gr.Blocks(title="x (y)") as ui:\n  pass\n';
const DJANGO = 'os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shop.settings")\n';

test.each<[Record<string, string>, string, string, string]>([
  [
    { 'app.py': 'from shiny import App\napp = App(ui, server)\n' },
    'python-shiny',
    'app:app',
    'makes a Shiny',
  ],
  [
    { 'my app.py': '', 'app.py': 'from shiny.express import ui\n' },
    'python-shiny',
    'shiny.express.app:app_2e_py',
    'imports shiny.express',
  ],
  [
    { 'Home.py': 'import streamlit as st\n', 'util.py': 'import streamlit\n' },
    'python-streamlit',
    'Home.py',
    'imports streamlit',
  ],
  [
    { 'app.py': 'import dash\nserver = 1\napp = dash.Dash(__name__)\nserver = app.server\n' },
    'python-dash',
    'app:app',
    'makes a Dash',
  ],
  [{ 'app.py': BLOCKS }, 'python-gradio', 'app:ui', 'makes a Gradio application named ui'],
  [
    { 'app.py': 'import gradio as gr\ngr.Interface(f, "text", "text").launch()\n' },
    'python-gradio',
    'app',
    'imports gradio',
  ],
  [
    { 'main.py': 'from bokeh.plotting import curdoc\ncurdoc().add_root(x)\n' },
    'python-bokeh',
    'main.py',
    'imports bokeh',
  ],
  [{ 'a.py': 'import numpy, panel as pn\npn.Row(1).servable()\n' }, 'python-panel', 'a.py', 'imports panel'],
  [{ 'a.py': 'import marimo\napp = marimo.App(width="full")\n' }, 'python-marimo', 'a.py', 'makes a marimo'],
  [
    { 'a.ipynb': '{"cells": [{"source": ["from ipywidgets import IntText"]}]}' },
    'jupyter-voila',
    'a.ipynb',
    'Voila runs',
  ],
  [
    { 'manage.py': DJANGO, 'shop/wsgi.py': '', 'shop/asgi.py': '' },
    'python-api',
    'shop.wsgi:application',
    'Django',
  ],
  [{ 'manage.py': DJANGO, 'shop/asgi.py': '' }, 'python-fastapi', 'shop.asgi:application', 'Django'],
  [
    { 'package.json': '{"scripts": {"start": "node server.js"}}' },
    'nodejs',
    'package.json',
    'node server.js',
  ],
  [
    { 'pressroom.toml': 'command = "./serve --port $PORT"' },
    'program',
    './serve --port $PORT',
    'pressroom.toml',
  ],
  [{ Procfile: 'worker: x\nweb: ./serve $PORT\n' }, 'program', './serve $PORT', 'Procfile'],
  [{ Procfile: 'web: gunicorn app:app', 'app.py': FLASK }, 'python-api', 'app:application', 'Flask'],
  [{ 'my-app.py': 'import streamlit as st\n' }, 'python-streamlit', 'my-app.py', 'imports streamlit'],
  [{ '1 🏠 Home.v2.py': 'import streamlit as st\n' }, 'python-streamlit', '1 🏠 Home.v2.py', 'streamlit'],
  [{ 'my-api.py': FASTAPI }, 'python-fastapi', 'my-api:app', 'FastAPI'],
  [
    { 'requirements.txt': '', 'app/__init__.py': '', 'app/main.py': FASTAPI },
    'python-fastapi',
    'app.main:app',
    'app/main.py makes a FastAPI',
  ],
  [{ 'pyproject.toml': '', 'web/__init__.py': FLASK }, 'python-api', 'web:application', 'Flask'],
  [
    { 'requirements.txt': '', 'app/__init__.py': '', 'app/main.py': FASTAPI, 'serve.py': FLASK },
    'python-api',
    'serve:application',
    'Flask',
  ],
])('detects %j as %s', async (files, appmode, entrypoint, why) => {
  using tree = createTree(files);
  const [best] = await detectContent(tree.dir);
  expect(best).toMatchObject({ appmode, entrypoint, why: expect.stringContaining(why) });
});

test.each<[Record<string, string>]>([
  [{ 'app.py': 'import bokeh\nfrom bokeh.plotting import figure\n' }],
  [{ 'app.py': 'import panel as pn\nprint(pn.__version__)\n' }],
  [{ 'app.py': 'import gradio as gr\nprint(gr.__version__)\n' }],
  [{ 'app.py': 'import shiny\n' }],
  [{ 'app.py': 'text = """\nimport streamlit\n"""\n' }],
  [{ 'app.py': 'import streamlit_extras\n' }],
  [{ 'manage.py': DJANGO }],
  [{ 'package.json': '{"scripts": {"start": "vite"}}' }],
  [{ 'package.json': '{"scripts": {"start": "tsc --watch; nodemon x"}}' }],
  [{ 'package.json': '{"scripts": ["node server.js"' }],
  [{ 'pressroom.toml': 'command = 5' }],
  [{ 'pressroom.toml': 'command = "' }],
])('detects nothing that starts in %j', async (files) => {
  using tree = createTree(files);
  expect(await detectContent(tree.dir)).toEqual([]);
});

test('the test above covers every example', () => {
  expect(readdirSync(EXAMPLES)).toHaveLength(6);
});

test.each<[string, Record<string, string>, string, string, string]>([
  ['a single page', { 'report.html': '<p>' }, 'static', 'report.html', ''],
  [
    'a pin',
    { 'index.html': '', 'data.txt': 'pin_hash: abc\n', 'mtcars.csv': '' },
    'static',
    'index.html',
    'pin',
  ],
  [
    'an R Markdown site',
    { '_site.yml': 'name: x', 'index.Rmd': '---\ntitle: x\n---\n', 'a.Rmd': '' },
    'rmd-static',
    'index.Rmd',
    'site',
  ],
  [
    'a book that names no generator',
    { 'index.Rmd': '---\ntitle: x\n---\n', '_bookdown.yml': 'output_dir: docs\n' },
    'rmd-static',
    'index.Rmd',
    'site',
  ],
  [
    'settings of plumber2',
    { '_server.yml': 'engine: plumber2\nroutes: api.R\n', 'api.R': '#* @get /\n' },
    'api',
    '_server.yml',
    '',
  ],
  ['a book', { 'index.Rmd': '---\nsite: bookdown::bookdown_site\n---\n' }, 'rmd-static', 'index.Rmd', 'site'],
  ['an R Markdown document', { 'report.Rmd': '# x\n' }, 'rmd-static', 'report.Rmd', ''],
  ['a document with its rendering', { 'index.Rmd': '', 'index.html': '' }, 'rmd-static', 'index.Rmd', ''],
  ['runtime: shiny', { 'a.Rmd': '---\nruntime: "shiny" # live\n---\n' }, 'rmd-shiny', 'a.Rmd', ''],
  [
    'runtime: shiny_prerendered',
    { 'a.Rmd': '---\nruntime: shiny_prerendered\n---\n' },
    'rmd-shiny',
    'a.Rmd',
    '',
  ],
  ['server: shiny', { 'a.Rmd': '---\nserver:\n  type: shiny\n---\n' }, 'rmd-shiny', 'a.Rmd', ''],
  ['ui.R and server.R', { 'ui.R': '', 'server.R': '' }, 'shiny', 'server.R', ''],
  ['server.R with a page', { 'server.R': '', 'www/index.html': '' }, 'shiny', 'server.R', ''],
  ['a lower-case app.r', { 'app.r': 'library(shiny)\nshinyApp(ui, server)' }, 'shiny', 'app.r', ''],
  [
    'entrypoint.R before plumber.R',
    { 'entrypoint.R': 'plumber::plumb("plumber.R")', 'plumber.R': '#* @get /\n' },
    'api',
    'entrypoint.R',
    '',
  ],
  ['annotations in another file', { 'service.R': "#' @post /x\nfunction() 1\n" }, 'api', 'service.R', ''],
  [
    'Flask by another name',
    { 'wsgi.py': FLASK, 'requirements.txt': 'flask\n' },
    'python-api',
    'wsgi:application',
    '',
  ],
  [
    'a WSGI function',
    { 'main.py': 'def app(environ, start_response):\n    pass\n' },
    'python-api',
    'main:app',
    '',
  ],
  [
    'an ASGI function',
    { 'main.py': 'async def app(scope, receive, send):\n    pass\n' },
    'python-fastapi',
    'main:app',
    '',
  ],
  [
    'app.py before others',
    { 'zoo.py': FASTAPI, 'app.py': FASTAPI, 'test_app.py': FASTAPI },
    'python-fastapi',
    'app:app',
    '',
  ],
  [
    'a name among all of a module, assigned with others',
    { 'main.py': 'from os import *\nfrom fasthtml.common import *\n\napp, rt = fast_app(live=True)\n' },
    'python-fastapi',
    'main:app',
    '',
  ],
  [
    'an import over several lines',
    { 'app.py': 'from fastapi import (\n  Depends,\n  FastAPI as API,\n)\nsvc = API(\n  title="x")\n' },
    'python-fastapi',
    'app:svc',
    '',
  ],
])('detects %s', async (_what, files, appmode, entrypoint, contentCategory) => {
  using tree = createTree(files);
  expect((await detectContent(tree.dir))[0]).toMatchObject({ appmode, entrypoint, contentCategory });
});

test.each<[string, Record<string, string>]>([
  ['an empty directory', {}],
  ['only data', { 'data.csv': 'a,b\n' }],
  ['R code that serves nothing', { 'analysis.R': '# plots\nplot(1)\n' }],
  [
    'an application that is only mentioned',
    { 'a.py': '"""\nfrom fastapi import FastAPI\napp = FastAPI()\n"""\n# app = FastAPI()\n' },
  ],
  [
    'an application inside a function',
    { 'a.py': 'from flask import Flask\ndef make():\n    app = Flask(__name__)\n    return app\n' },
  ],
  ['a class of the same name from elsewhere', { 'a.py': 'from mine import FastAPI\napp = FastAPI()\n' }],
  [
    'a class of the same name before all of a module',
    { 'a.py': 'from fasthtml.common import *\nfrom mine import FastHTML\napp = FastHTML()\n' },
  ],
  ['a file that is only named like a notebook', { 'a.ipynb': 'not json' }],
  ['a module that cannot be imported', { 'api.v2.py': FASTAPI }],
  ['a hidden page, which is not served', { '.page.html': '<p>' }],
  ['a package without a project file beside it', { 'app/__init__.py': '', 'app/main.py': FASTAPI }],
  ['a directory without __init__.py', { 'requirements.txt': '', 'app/main.py': FASTAPI }],
  ['tests of a package', { 'requirements.txt': '', 'tests/__init__.py': '', 'tests/app.py': FASTAPI }],
  ['sources in a subdirectory', { 'sub/index.html': '', 'sub/app.R': 'shinyApp(ui, server)' }],
])('detects nothing to publish in %s', async (_what, files) => {
  using tree = createTree(files);
  expect(await detectContent(tree.dir)).toEqual([]);
});

test('detects app.R without shiny as an unlikely Shiny application', async () => {
  using tree = createTree({
    'app.R': '# library(shiny)\n1 + 1\n',
    'index.html': '',
    'plumber.R': '#* @get /\n',
  });
  expect((await detectContent(tree.dir)).map((candidate) => candidate.appmode)).toEqual([
    'api',
    'shiny',
    'static',
  ]);
});

test('sorts several kinds by confidence', async () => {
  using tree = createTree({ 'index.Rmd': '', 'app.py': FASTAPI, 'index.html': '', 'other.html': '' });
  const candidates = await detectContent(tree.dir);
  expect(candidates.map(({ primary }) => primary)).toEqual([
    'app.py',
    'index.Rmd',
    'index.html',
    'other.html',
  ]);
  expect(candidates.every(({ confidence }) => confidence > 0 && confidence <= 1)).toBe(true);
});

test.each([
  ['index.qmd', { 'index.qmd': '# x', 'about.qmd': '# y' }, '', 'index.qmd is a Quarto document that'],
  [
    'sales.qmd',
    { 'sales.qmd': '---\nparams:\n  n: 6\n---\n' },
    '',
    'sales.qmd is a Quarto document that the server renders. It takes parameters.',
  ],
  ['a.qmd', { 'a.qmd': '', '_quarto.yml': 'project:\n  type: default\n' }, '', 'a.qmd is a Quarto document'],
  [
    'index.qmd',
    { 'index.qmd': '', '_quarto.yml': 'project:\n  output-dir: out\n  type: "website"\n' },
    'site',
    '_quarto.yml makes a Quarto website',
  ],
  [
    'index.ipynb',
    { 'index.ipynb': '{"cells":[]}', '_quarto.yml': 'project:\n  type: book\n' },
    'site',
    '_quarto.yml makes a Quarto book',
  ],
])('Quarto: detects %s in %j', async (primary, files, contentCategory, why) => {
  using tree = createTree(files);
  expect((await detectContent(tree.dir))[0]).toMatchObject({
    appmode: 'quarto-static',
    primary,
    contentCategory,
    why: expect.stringContaining(why) as string,
  });
});

test.each([
  ['main.Rmd', { 'child.Rmd': '', 'main.Rmd': '```{r, child="child.Rmd"}\n```\n' }],
  ['main.Rmd', { 'a.Rmd': '', 'b.Rmd': '', 'main.Rmd': "```{r child = c('a.Rmd', './b.Rmd')}\n```\n" }],
  ['main.qmd', { 'child.qmd': '', 'main.qmd': '{{< include child.qmd >}}\n' }],
  ['report.qmd', { '_intro.qmd': '', 'report.qmd': '# x\n' }],
  ['index.Rmd', { 'a.Rmd': '```{r child="index2.Rmd"}\n```\n', 'index.Rmd': '', 'index2.Rmd': '' }],
])('prefers %s to its parts', async (primary, files) => {
  using tree = createTree(files);
  expect((await detectContent(tree.dir))[0]?.primary).toBe(primary);
});

test('Quarto: ignores a document that requires a server', async () => {
  using tree = createTree({ 'a.qmd': '---\nserver:\n  type: shiny\n---\n' });
  expect(await detectContent(tree.dir)).toEqual([]);
});

test('puts a manifest.json first', async () => {
  const manifest = { version: 1, metadata: { appmode: 'quarto-static', entrypoint: 'a.qmd' } };
  using tree = createTree({ 'manifest.json': JSON.stringify(manifest), 'index.html': '' });
  expect((await detectContent(tree.dir))[0]).toMatchObject({
    appmode: 'quarto-static',
    primary: 'a.qmd',
    confidence: 1,
  });
});

test('detects parameters only in a mapping with entries', async () => {
  const forms: [string, boolean][] = [
    ['params:\n  year: 2024', true],
    ['params:\n\n  # comment\n  year: 2024', true],
    ['params: {year: 2024}', true],
    ['params: {}', false],
    ['params:', false],
    ['params:\ntitle: x', false],
    ['title: "params:"', false],
    ['output:\n  params: x', false],
  ];
  for (const [lines, hasParameters] of forms) {
    using tree = createTree({ 'a.Rmd': `---\n${lines}\n---\ntext\n` });
    expect([lines, (await detectContent(tree.dir))[0]?.hasParameters]).toEqual([lines, hasParameters]);
  }
});

test('Procfile: takes the first web process, without the spaces around it', async () => {
  const forms: [string, string | undefined][] = [
    ['# a comment\nworker: x\nweb:  ./run --port 1  \r\nweb: y', './run --port 1'],
    ['web:\nweb2: x', undefined],
    [' web: x', undefined],
  ];
  for (const [text, entrypoint] of forms) {
    using tree = createTree({ Procfile: text });
    expect([text, (await detectContent(tree.dir))[0]?.entrypoint]).toEqual([text, entrypoint]);
  }
});
