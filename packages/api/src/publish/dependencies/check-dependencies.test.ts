import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { collectFiles } from '../collect/collect-files.ts';
import { checkDependencies } from './check-dependencies.ts';
import { findPythonImports, findRImports } from './find-imports.ts';
import { parseRequirements, proposeRequirements } from './requirements.ts';

const dirs: string[] = [];
afterEach(async () => {
  for (const dir of dirs.splice(0)) await rm(dir, { recursive: true });
});

async function project(files: Record<string, string>) {
  const dir = await mkdtemp(path.join(tmpdir(), 'pressroom-dependencies-'));
  dirs.push(dir);
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(dir, name)), { recursive: true });
    await writeFile(path.join(dir, name), text);
  }
  const check = async (language: 'Python' | 'R') =>
    checkDependencies(dir, (await collectFiles(dir)).files, language);
  return { dir, check };
}

describe('Imports', () => {
  test('of Python are those of statements, not of strings, comments or the own package', () => {
    const source = [
      'import os, numpy as np, sklearn.linear_model',
      'from pandas import DataFrame',
      'from . import helpers',
      'from .models import Model',
      '# import comment',
      'text = """',
      'import quoted',
      '"""',
      'def later():',
      '    import yaml',
    ].join('\n');
    expect(findPythonImports(source)).toEqual([
      { name: 'os', line: 1 },
      { name: 'numpy', line: 1 },
      { name: 'sklearn', line: 1 },
      { name: 'pandas', line: 2 },
      { name: 'yaml', line: 10 },
    ]);
  });

  test('of R are attached or qualified packages, in R Markdown only those of chunks', () => {
    const source = ['library(shiny)', '# library(no)', 'require("dplyr")', 'ggplot2::aes(x)'].join('\n');
    expect(findRImports(source, false).map(({ name }) => name)).toEqual(['shiny', 'dplyr', 'ggplot2']);
    const markdown = ['Use library(no).', '```{r setup}', 'library(knitr)', '```', 'no::no'].join('\n');
    expect(findRImports(markdown, true)).toEqual([{ name: 'knitr', line: 3 }]);
  });
});

describe('Python dependencies', () => {
  test('of R are found in linear time: a hostile line would keep the editor busy for minutes', () => {
    expect(findRImports(`${'a.'.repeat(250_000)}\nx.y::f(), .z::g()`, false)).toEqual([
      { name: 'x.y', line: 2 },
    ]);
  });

  test('reads requirements in UTF-16, as PowerShell writes them', async () => {
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('numpy==2.0\r\n', 'utf16le')]);
    const { dir, check } = await project({ 'a.py': 'import numpy\n' });
    await writeFile(path.join(dir, 'requirements.txt'), utf16);
    expect(await check('Python')).toMatchObject({ missing: [], unpinned: [] });
  });

  test('reports unlisted imports with package name and place', async () => {
    const { check } = await project({
      'app.py':
        'import json\nimport helpers\nfrom lib.db import x\nimport yaml\nfrom fastapi import FastAPI\nimport starlette\n',
      'helpers.py': '',
      'lib/db.py': '',
      'requirements.txt': '# what it needs\nFastAPI>=0.100\nuvicorn==0.30.1\n',
    });
    const report = await check('Python');
    expect(report).toMatchObject({ listedIn: 'requirements.txt' });
    expect(report.missing).toEqual([{ name: 'yaml', package: 'PyYAML', file: 'app.py', line: 4 }]);
    expect(report.unpinned).toEqual([{ name: 'fastapi', line: 2, pinned: false }]);
  });

  test('reads only the code cells of a notebook', async () => {
    const cells = [
      { cell_type: 'markdown', source: ['import nothing'] },
      { cell_type: 'code', source: ['%matplotlib inline\n', 'import pandas as pd\n'] },
    ];
    const { check } = await project({ 'a.ipynb': JSON.stringify({ cells }) });
    expect((await check('Python')).missing.map(({ name }) => name)).toEqual(['pandas']);
  });

  test('reads only the Python chunks of a Quarto document, in its lines', async () => {
    const text = [
      'import nothing',
      '```{python}',
      '%pip list',
      'import pandas',
      '```',
      '```{r}',
      'import no',
    ];
    const { check } = await project({ 'a.qmd': text.join('\n') });
    expect((await check('Python')).missing).toEqual([
      { name: 'pandas', package: 'pandas', file: 'a.qmd', line: 4 },
    ]);
  });

  test('reports nothing missing when requirements include another file', async () => {
    const { check } = await project({ 'app.py': 'import flask', 'requirements.txt': '-r base.txt\n' });
    expect((await check('Python')).missing).toEqual([]);
  });
});

describe('R dependencies', () => {
  test('compares with renv.lock, else with DESCRIPTION', async () => {
    const files = { 'app.R': 'library(shiny)\nlibrary(stats)\nlibrary(dplyr)\n' };
    const none = await project(files);
    expect(await none.check('R')).toMatchObject({ listedIn: null });
    const described = await project({ ...files, DESCRIPTION: 'Package: x\nImports: shiny (>= 1.0)\n' });
    expect((await described.check('R')).missing.map(({ name }) => name)).toEqual(['dplyr']);
    const lock = JSON.stringify({ Packages: { shiny: {}, dplyr: {} } });
    const locked = await project({ ...files, 'renv.lock': lock });
    expect(await locked.check('R')).toMatchObject({ listedIn: 'renv.lock', missing: [] });
  });

  test('are those of Quarto documents, too', async () => {
    const files = { 'a.qmd': '```{r}\nlibrary(dplyr)\n```\n', DESCRIPTION: 'Imports: knitr\n' };
    expect((await (await project(files)).check('R')).missing).toMatchObject([{ name: 'dplyr', line: 2 }]);
  });
});

/** A lock file as uv writes it: for all systems and Python versions, with development dependencies. */
const LOCK = `
[[package]]
name = "x"
version = "0.1.0"
source = { virtual = "." }
dependencies = [
  { name = "flask" },
  { name = "lib" },
  { name = "numpy", version = "1.26.4", source = { registry = "https://pypi.org/simple" }, marker = "python_full_version < '3.11'" },
  { name = "numpy", version = "2.3.0", source = { registry = "https://pypi.org/simple" }, marker = "python_full_version >= '3.11'" },
]
[package.dev-dependencies]
dev = [{ name = "pytest" }]
[[package]]
name = "lib"
version = "0.1.0"
source = { editable = "../lib" }
dependencies = [{ name = "lib-needs" }]
${[
  ['flask', '3.0.3', `dependencies = [{ name = "pywin32", marker = "sys_platform == 'win32'" }]`],
  ['lib-needs', '1.0', ''],
  ['numpy', '1.26.4', ''],
  ['numpy', '2.3.0', ''],
  ['pytest', '8.0.0', ''],
  ['pywin32', '311', ''],
]
  .map(
    ([name, version, more]) =>
      `[[package]]\nname = "${name}"\nversion = "${version}"\nsource = { registry = "https://pypi.org/simple" }\n${more}\n`,
  )
  .join('')}`;

describe('Requirements', () => {
  test.skipIf(process.platform === 'win32')(
    'of a hostile directory are not read from a device behind a link, which never ends',
    async () => {
      const { dir, check } = await project({ 'app.py': 'import flask' });
      for (const name of ['requirements.txt', 'uv.lock', 'pyproject.toml', 'renv.lock', 'DESCRIPTION'])
        await symlink('/dev/zero', path.join(dir, name));
      expect(await check('Python')).toMatchObject({ listedIn: null, missing: [{ name: 'flask' }] });
      expect(await check('R')).toMatchObject({ listedIn: null });
      expect(await proposeRequirements(dir, ['flask'])).toEqual({ from: 'imports', lines: ['flask'] });
    },
  );

  test('are parsed with normalized names, whether pinned or not', () => {
    const text = 'Flask_Cors[all]==1.0 # x\n\n--index-url https://x\nnumpy>=1,<2\nmine @ https://x/y.whl\n';
    expect(parseRequirements(text)).toEqual({
      includes: false,
      packages: [
        { name: 'flask-cors', line: 1, pinned: true },
        { name: 'numpy', line: 4, pinned: false },
        { name: 'mine', line: 5, pinned: true },
      ],
    });
  });

  test('are proposed from uv.lock, else pyproject.toml, else imports with installed versions', async () => {
    const files = { '.venv/lib/python3.12/site-packages/PyYAML-6.0.2.dist-info/METADATA': '' };
    const imports = await project(files);
    expect(await proposeRequirements(imports.dir, ['flask', 'PyYAML', 'flask'])).toEqual({
      from: 'imports',
      lines: ['PyYAML==6.0.2', 'flask'],
    });
    // Of another environment, such as one of conda, where the project's own has no such package.
    const other = await project({
      'lib/python3.12/site-packages/flask-3.1.0.dist-info/METADATA': '',
      'lib/python3.12/site-packages/PyYAML-5.1.dist-info/METADATA': '',
    });
    expect((await proposeRequirements(imports.dir, ['flask', 'PyYAML'], other.dir)).lines).toEqual([
      'PyYAML==6.0.2',
      'flask==3.1.0',
    ]);
    const pyproject = '[project]\nname = "x"\ndependencies = ["flask>=3", "pandas"]\n';
    const stated = await project({ ...files, 'pyproject.toml': pyproject });
    expect(await proposeRequirements(stated.dir, [])).toEqual({
      from: 'pyproject.toml',
      lines: ['flask>=3', 'pandas'],
    });
    const locked = await project({ 'pyproject.toml': pyproject, 'uv.lock': LOCK });
    expect(await proposeRequirements(locked.dir, [])).toEqual({
      from: 'uv.lock',
      lines: [
        'flask==3.0.3',
        // A dependency of the local library, which cannot be installed itself.
        'lib-needs==1.0',
        "numpy==1.26.4 ; python_full_version < '3.11'",
        "numpy==2.3.0 ; python_full_version >= '3.11'",
        // Only exists for Windows: without the marker, the installation would fail elsewhere.
        "pywin32==311 ; sys_platform == 'win32'",
      ],
    });
    const odd = await project({ 'pyproject.toml': pyproject, 'uv.lock': 'version = 1\n' });
    expect((await proposeRequirements(odd.dir, [])).from).toBe('pyproject.toml');
  });
});
