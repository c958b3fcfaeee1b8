// Covers generated manifests, as other tools write them, and existing ones.
import { createHash } from 'node:crypto';
import { rmSync, symlinkSync, utimesSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { collectFiles } from '../collect/collect-files.ts';
import { createTree, type TemporaryTree } from '../collect/testing.ts';
import { detectContent } from '../detect/detect-content.ts';
import { buildManifest, type BuiltManifest, type ManifestOptions } from './build-manifest.ts';
import { parseJson } from './json-position.ts';
import { normalVersion, readPythonRequirement } from './python-version.ts';
import { checkManifest } from './read-manifest.ts';

async function build(tree: TemporaryTree, options: Partial<ManifestOptions> = {}): Promise<BuiltManifest> {
  const { files } = await collectFiles(tree.dir);
  const [content] = await detectContent(tree.dir, files);
  return buildManifest({ root: tree.dir, files, ...(content === undefined ? {} : { content }), ...options });
}

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}

test('builds the manifest of a static page', async () => {
  using tree = createTree({ 'index.html': '<p>', 'css/a.css': 'p{}' });
  const { manifest, files, source, warnings } = await build(tree);
  expect(manifest).toEqual({
    version: 1,
    locale: 'en_US.UTF-8',
    metadata: {
      appmode: 'static',
      primary_rmd: null,
      primary_html: 'index.html',
      content_category: null,
      entrypoint: 'index.html',
      has_parameters: false,
    },
    packages: {},
    files: { 'css/a.css': { checksum: md5('p{}') }, 'index.html': { checksum: md5('<p>') } },
  });
  expect([source, warnings, files.length]).toEqual(['built', [], 2]);
});

test('rejects a lock file larger than 10 MiB', async () => {
  const large = ' '.repeat(10 * 2 ** 20 + 1);
  for (const name of ['renv.lock', 'DESCRIPTION']) {
    using tree = createTree({ 'app.R': 'library(shiny)', [name]: large });
    await expect(build(tree)).rejects.toThrow(`${name} is larger than 10 MiB`);
  }
});

test.skipIf(process.platform === 'win32').each(['large.txt', '/dev/zero'])(
  'rejects a lock file that is a link to %s',
  async (target) => {
    using tree = createTree({ 'app.R': 'library(shiny)', 'large.txt': ' '.repeat(10 * 2 ** 20 + 1) });
    symlinkSync(target, path.join(tree.dir, 'renv.lock'));
    await expect(build(tree)).rejects.toThrow('renv.lock is larger than 10 MiB');
  },
);

test('computes the checksums of large and empty files', async () => {
  const big = 'x'.repeat(3_000_001);
  using tree = createTree({ 'index.html': '', big });
  expect((await build(tree)).manifest.files).toEqual({
    big: { checksum: md5(big) },
    'index.html': { checksum: md5('') },
  });
});

const LOCK = {
  R: { Version: '4.2.2', Repositories: [{ Name: 'CRAN', URL: 'https://cran.example' }, { Name: 'P3M', URL: 'https://p3m.example' }] },
  Packages: {
    shiny: { Package: 'shiny', Version: '1.7.4', Source: 'Repository', Repository: 'CRAN', Hash: 'x', Requirements: ['R6'] },
    R6: { Package: 'R6', Version: '2.5.1', Source: 'Repository', Repository: 'P3M' },
    mine: { Package: 'mine', Version: '0.1', Source: 'GitHub', RemoteType: 'github', RemoteUsername: 'me', RemoteRepo: 'mine', RemoteRef: 'main', RemoteSha: 'abc' },
    mgcv: { Package: 'mgcv', Version: '1.8', Source: 'Repository', Repository: 'https://direct.example' },
    local: { Package: 'local', Version: '0.1', Source: 'Local' },
    stats: { Package: 'stats', Version: '4.2.2', Source: 'R' },
  },
}; // prettier-ignore

test('takes packages and R version of R content from renv.lock', async () => {
  using tree = createTree({ 'app.R': 'library(shiny)', 'renv.lock': JSON.stringify(LOCK) });
  const { manifest, warnings } = await build(tree);
  expect(manifest.platform).toBe('4.2.2');
  expect(Object.keys(manifest.packages ?? {})).toEqual(['R6', 'mgcv', 'mine', 'shiny']);
  expect(manifest.packages?.shiny).toEqual({
    Source: 'CRAN',
    Repository: 'https://cran.example',
    description: { Package: 'shiny', Version: '1.7.4', Repository: 'CRAN' },
  });
  expect(manifest.packages?.R6).toMatchObject({ Source: 'P3M', Repository: 'https://p3m.example' });
  expect(manifest.packages?.mgcv?.Repository).toBe('https://direct.example');
  expect(manifest.packages?.mine).toMatchObject({ Source: 'github', GithubSHA1: 'abc', GithubRepo: 'mine' });
  expect(warnings).toEqual([expect.stringContaining('local')]);
});

test('takes packages from DESCRIPTION in installed versions, with dependencies', async () => {
  using library = createTree({
    'dplyr/DESCRIPTION': 'Package: dplyr\nVersion: 1.1.0\nRepository: CRAN\nImports: R6,\n    utils\n',
    'R6/DESCRIPTION': 'Package: R6\nVersion: 2.5.1\n',
  });
  using tree = createTree({
    'plumber.R': '#* @get /\n',
    DESCRIPTION: 'Package: api\nDepends: R (>= 4.1)\nImports:\n    dplyr (>= 1.0),\n    nowhere\n',
  });
  const probe = async (): Promise<string> => '4.3.1';
  const { manifest, warnings } = await build(tree, { r: { libraries: [library.dir], probe } });
  expect(manifest.platform).toBe('4.3.1');
  expect(Object.keys(manifest.packages ?? {})).toEqual(['R6', 'dplyr']);
  expect(manifest.packages?.dplyr?.description).toMatchObject({ Version: '1.1.0', Imports: 'R6, utils' });
  expect(warnings).toEqual([expect.stringContaining('nowhere')]);
});

test('rejects a broken renv.lock with the position', async () => {
  using tree = createTree({ 'app.R': 'library(shiny)', 'renv.lock': '{\n  "R": {,}\n}' });
  await expect(build(tree)).rejects.toMatchObject({
    code: 'lockfile-invalid',
    message: expect.stringContaining('line 2, column 9'),
  });
});

const API = { 'app.py': 'from flask import Flask\napp = Flask(__name__)\n', 'requirements.txt': 'flask\n' };

test.each<[string, Record<string, string>, ManifestOptions['python'], string]>([
  [
    '.python-version',
    { '.python-version': '# mine\n3.11\n', 'pyproject.toml': '[project]\nrequires-python=">=3.9"\n' },
    undefined,
    '3.11.0',
  ],
  [
    'the virtual environment',
    { '.venv/pyvenv.cfg': 'home = /usr/bin\nversion = 3.12.4\n' },
    undefined,
    '3.12.4',
  ],
  [
    'pyproject.toml',
    { 'pyproject.toml': '[project]\nrequires-python = "<4, >=3.10"\n' },
    undefined,
    '3.10.0',
  ],
  ['the caller rather than files', { '.python-version': '3.11' }, { version: '3.13.1' }, '3.13.1'],
  [
    'a probe if nothing else specifies it',
    { 'pyproject.toml': 'broken [' },
    { probe: async () => '3.11.2' },
    '3.11.2',
  ],
])('takes the Python version from %s', async (_what, files, python, version) => {
  using tree = createTree({ ...API, ...files });
  const { manifest } = await build(tree, python === undefined ? {} : { python });
  expect(manifest.python).toEqual({
    version,
    package_manager: { name: 'pip', package_file: 'requirements.txt' },
  });
  expect(manifest.metadata).toMatchObject({ appmode: 'python-api', entrypoint: 'app:app' });
});

test('reads a .python-version in UTF-16, as PowerShell writes it', async () => {
  using tree = createTree({ ...API, '.python-version': Buffer.from('\uFEFF3.11\r\n', 'utf16le') });
  expect((await build(tree)).manifest.python?.version).toBe('3.11.0');
});

test('takes the Python requirement from pyproject.toml if it is valid', async () => {
  for (const [requires, said] of [
    ['<4, >=3.10', { python: { requires: '<4, >=3.10' } }],
    ['^3.10', undefined],
  ] as const) {
    const project = `[project]\nrequires-python = "${requires}"\n`;
    using tree = createTree({ ...API, '.python-version': '3.11', 'pyproject.toml': project });
    expect((await build(tree, {})).manifest.environment).toEqual(said);
  }
});

test('does not call a probe when a file names the version', async () => {
  using tree = createTree({ ...API, '.python-version': '3.11' });
  const probe = (): Promise<string> => Promise.reject(new Error('called'));
  expect((await build(tree, { python: { probe } })).manifest.python?.version).toBe('3.11.0');
});

test('rejects a Python API without a version or requirements.txt', async () => {
  using tree = createTree(API);
  await expect(build(tree)).rejects.toMatchObject({ code: 'python-version-unknown' });
  rmSync(path.join(tree.dir, 'requirements.txt'));
  await expect(build(tree)).rejects.toMatchObject({ code: 'requirements-missing' });
});

test.each([
  ['3.11', '3.11.0'], ['python-3.8.5', '3.8.5'], ['cpython-3.12.1-linux-x86_64', '3.12.1'], ['3.13.0+', '3.13.0'],
  ['2.7', undefined], ['13.11', undefined], ['system', undefined], ['', undefined],
] as const)('normalizes %j to Python %s', (text, version) => {
  expect(normalVersion(text)).toBe(version);
}); // prettier-ignore

test('accepts a byte order mark in files of the project', async () => {
  using tree = createTree({
    'app.R': '',
    'renv.lock': '\uFEFF{"R": {"Version": "4.1.0"}, "Packages": {}}',
    'pyproject.toml': '\uFEFF[project]\nrequires-python = ">=3.9"\n',
  });
  const content = {
    appmode: 'shiny',
    contentCategory: '',
    primary: 'app.R',
    entrypoint: '',
    hasParameters: false,
  };
  expect((await build(tree, { content })).manifest.platform).toBe('4.1.0');
  expect(await readPythonRequirement(tree.dir)).toBe('>=3.9');
});

test('rejects unknown content and a missing main file', async () => {
  using tree = createTree({ 'data.csv': '' });
  await expect(build(tree)).rejects.toMatchObject({ code: 'content-unknown' });
  const content = {
    appmode: 'static',
    contentCategory: '',
    primary: 'index.html',
    entrypoint: '',
    hasParameters: false,
  };
  await expect(build(tree, { content })).rejects.toMatchObject({
    code: 'file-missing',
    paths: ['index.html'],
  });
});

function existing(files: unknown, more: object = {}): string {
  return JSON.stringify({
    version: 1,
    metadata: { appmode: 'static', primary_html: 'a.html' },
    files,
    ...more,
  });
}

test('keeps an existing manifest unchanged, with the files it lists', async () => {
  const text = existing(
    { './a.html': { checksum: md5('a').toUpperCase() }, '.env': { checksum: '' } },
    { extra: [1] },
  );
  using tree = createTree({ 'manifest.json': `\uFEFF${text}`, 'a.html': 'a', 'b.html': '', '.env': 'X=1' });
  const { manifest, files, source, warnings } = await build(tree);
  expect(manifest).toEqual(JSON.parse(text));
  expect([files.map((file) => file.path), source, warnings]).toEqual([
    ['.env', 'a.html'],
    'existing',
    [expect.stringMatching(/may hold secrets: \.env\. /)],
  ]);
});

test('takes the collected files for an existing manifest without files', async () => {
  using tree = createTree({ 'manifest.json': existing(null), 'a.html': '', 'b.html': '' });
  expect((await build(tree)).files.map((file) => file.path)).toEqual(['a.html', 'b.html']);
  expect((await build(tree, { useExisting: false })).source).toBe('built');
});

test('warns about files changed since the manifest was written', async () => {
  using tree = createTree({
    'manifest.json': existing({ 'a.html': { checksum: md5('old') } }),
    'a.html': 'new',
  });
  expect((await build(tree)).warnings).toEqual([expect.stringContaining('a.html')]);
});

test('names missing files that a manifest lists', async () => {
  const listed = { 'a.html': { checksum: '' }, 'gone/x.csv': { checksum: '' } };
  using tree = createTree({ 'manifest.json': existing(listed), 'a.html': '' });
  await expect(build(tree)).rejects.toMatchObject({ code: 'manifest-files-missing', paths: ['gone/x.csv'] });
});

test('rejects a manifest that leads out of the directory', async () => {
  using outside = createTree({ 'secret.txt': '' });
  for (const name of ['link.txt', 'dir/secret.txt']) {
    using tree = createTree({ 'manifest.json': existing({ 'a.html': {}, [name]: {} }), 'a.html': '' });
    symlinkSync(path.join(outside.dir, 'secret.txt'), path.join(tree.dir, 'link.txt'));
    symlinkSync(outside.dir, path.join(tree.dir, 'dir'));
    await expect(build(tree)).rejects.toMatchObject({ code: 'unsafe-path' });
  }
});

test('finds the error behind a long string', () => {
  const text = `{"version":"${'x'.repeat(30_000_000)}",}`;
  expect(() => checkManifest(text)).toThrow(/line 1, column 30000015/);
});

test.each([
  ['{"version": 1,\n  "metadata": }', /line 2, column 15/],
  ['[]', /JSON object/],
  ['{"version":2,"metadata":{"appmode":"static"}}', /its version is not the number 1/],
  ['{"version":1}', /no metadata object/],
  ['{"version":1,"metadata":{"appmode":""}}', /no metadata\.appmode/],
  [
    '{"version":1,"metadata":{"appmode":"static","primary_html":3}}',
    /metadata\.primary_html is not a string/,
  ],
  [
    '{"version":1,"metadata":{"appmode":"static","primary_html":"sub/a.html"}}',
    /not at the top level of the bundle/,
  ],
  [
    '{"version":1,"metadata":{"appmode":"static"},"files":[1]}',
    /files is a list of something other than names/,
  ],
  ['{"version":1,"metadata":{"appmode":"static"},"files":{"../x":{}}}', /"\.\.\/x"/],
  ['{"version":1,"metadata":{"appmode":"static"},"files":{"/etc/passwd":{}}}', /absolute/],
  ['{"version":1,"metadata":{"appmode":"static"},"files":{"a":"x"}}', /checksum/],
])('rejects the manifest %s with the reason', (text, message) => {
  expect(() => checkManifest(text)).toThrow(message);
  expect(() => checkManifest(text)).toThrow(expect.objectContaining({ code: 'manifest-invalid' }));
});

test('reports a JSON error where the text stops being JSON', () => {
  expect(parseJson('')).toEqual({ ok: false, line: 1, column: 1 });
  expect(parseJson('{"a":1,}')).toEqual({ ok: false, line: 1, column: 8 });
  expect(parseJson('{"a"\n 1}')).toEqual({ ok: false, line: 2, column: 2 });
  expect(parseJson('[1,2] x')).toEqual({ ok: false, line: 1, column: 7 });
  expect(parseJson('["a\nb"]')).toEqual({ ok: false, line: 1, column: 2 });
  fc.assert(
    fc.property(fc.json(), fc.nat(), (text, seed) => {
      expect(parseJson(text).ok).toBe(true);
      const cut = text.slice(0, seed % text.length);
      const parsed = parseJson(cut);
      // The position lies within the text or directly after it, wherever the text was cut.
      expect(parsed.ok ? 1 : parsed.column).toBeLessThanOrEqual(cut.length + 1);
    }),
  );
});

test('an abort stops hashing with its reason', async () => {
  using tree = createTree({ 'index.html': 'x', 'big.bin': Buffer.alloc(5_000_000) });
  const controller = new AbortController();
  const reason = new Error('stop');
  const onProgress = (): void => controller.abort(reason);
  await expect(build(tree, { signal: controller.signal, onProgress })).rejects.toBe(reason);
});

test('fails when a file changes while it is hashed', async () => {
  using tree = createTree({ 'index.html': 'x', 'big.bin': Buffer.alloc(9_000_000) });
  let touched = false;
  const onProgress = (): void => {
    if (!touched) utimesSync(path.join(tree.dir, 'big.bin'), 5, 5);
    touched = true;
  };
  await expect(build(tree, { onProgress })).rejects.toMatchObject({
    code: 'file-changed',
    paths: ['big.bin'],
  });
});

test.each([
  [{ 'index.qmd': '# Only text' }, ['markdown'], 0],
  [{ 'index.qmd': '```{r}\n1\n```\n', 'about.qmd': 'text' }, ['knitr'], 0],
  [{ 'index.qmd': '```{python}\n1\n```\n```{r}\n1\n```\n' }, ['knitr'], 0],
  [{ 'index.qmd': '---\njupyter: python3\n---\n```{r}\n```\n', 'requirements.txt': '' }, ['jupyter'], 1],
  [{ 'index.qmd': '---\nengine: knitr\n---\n```{python}\n```\n' }, ['knitr'], 0],
  [{ 'index.qmd': '```{python}\n1\n```', 'requirements.txt': '' }, ['jupyter'], 1],
  [{ 'index.qmd': '```{ojs}\n1\n```\n```{.python}\n1\n```\n```{=html}\n' }, ['markdown'], 0],
  [{ 'index.qmd': '```{python echo=false}\n', 'requirements.txt': '' }, ['jupyter'], 1],
  [
    { 'index.qmd': '```{r}\n```', 'deep/b.qmd': '```{python}\n```', 'requirements.txt': '' },
    ['jupyter', 'knitr'],
    1,
  ],
])('lists the engines of a Quarto project: %j', async (files, engines, pythons) => {
  using tree = createTree(files);
  const { manifest } = await build(tree, { python: { version: '3.11' } });
  expect(manifest.metadata).toMatchObject({ appmode: 'quarto-static', primary_rmd: 'index.qmd' });
  expect(manifest.quarto).toEqual({ engines });
  expect(Object.keys(manifest).filter((key) => key === 'python').length).toBe(pythons);
});

test.each([
  ['uv.lock', 'uv export'],
  ['Pipfile', 'pipenv requirements'],
  ['environment.yml', 'pip list --format=freeze'],
  ['requirement.txt', 'mv requirement.txt requirements.txt'],
  ['README.md', 'pip freeze'],
])('beside %s, names the command "%s …" that writes requirements.txt', async (file, command) => {
  using tree = createTree({ 'app.py': API['app.py'], [file]: '', '.python-version': '3.11' });
  await expect(build(tree)).rejects.toMatchObject({
    message: expect.stringContaining(`"${command}`) as string,
  });
});

test('requires requirements.txt for a Quarto document with Python', async () => {
  using tree = createTree({ 'index.qmd': '```{python}\n1\n```' });
  await expect(build(tree)).rejects.toMatchObject({ code: 'requirements-missing' });
});

test('rejects a notebook with another kernel than Python, and names commands, before it asks for packages', async () => {
  const text = JSON.stringify({ cells: [], metadata: { kernelspec: { name: 'ir', language: 'R' } } });
  using tree = createTree({ 'a.ipynb': text });
  await expect(build(tree)).rejects.toMatchObject({
    code: 'content-unknown',
    message: expect.stringMatching(
      /a\.ipynb has a kernel for R.*"jupyter nbconvert --to html a\.ipynb"/,
    ) as string,
  });
});
