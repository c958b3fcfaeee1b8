// Covers the search for the cause in logs. Those in deploy/samples are real output of R, Python, pip and nbconvert.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findProblem } from './find-problem.ts';

const sample = (name: string) =>
  readFileSync(join(import.meta.dirname, `samples/${name}.txt`), 'utf8').split('\n');

function sources(files: Record<string, string>) {
  return { files: Object.keys(files), read: (file: string) => Promise.resolve(files[file]) };
}

const RMD = [
  '---',
  'title: x',
  '---',
  '',
  '```{r setup}',
  'a <- 1',
  '```',
  '',
  '```{r plot}',
  'b <- 2',
  'plot(dat$x)',
  '```',
];
const HALTED = 'Execution halted';

describe('Problems in R', () => {
  test.each([
    ['Quitting from lines 9-12 [plot] (index.Rmd)', ['Error in `plot()`:', "! object 'dat' not found"]],
    ['Quitting from lines 9-12 (index.Rmd) ', ["Error in plot(dat$x) : object 'dat' not found"]],
    ['Quitting from index.Rmd:9-12 [plot]', ['Error:', "! object 'dat' not found", 'Backtrace:']],
    [
      'Quitting from lines 9-12 [plot] (report/index.Rmd)',
      ['Error in plot(dat$x) : ', "  object 'dat' not found"],
    ],
  ])('marks a failed chunk at the line with the unknown name: %s', async (quitting, error) => {
    const log = ['processing file: index.Rmd', '2/5 [setup]', '', quitting, ...error, HALTED];
    expect(await findProblem(log, sources({ 'index.Rmd': RMD.join('\n') }))).toEqual({
      file: 'index.Rmd',
      line: 11,
      column: null,
      message: "object 'dat' not found",
      cell: null,
    });
  });

  test('marks a failed chunk at its start without such a name', async () => {
    const log = ['Quitting from lines 9-12 [plot] (index.Rmd)', 'Error in f() : it broke', HALTED];
    expect(await findProblem(log, sources({ 'index.Rmd': RMD.join('\n') }))).toMatchObject({ line: 9 });
  });

  test('marks a missing package where a chunk loads it', async () => {
    const text = [...Array<string>(8).fill(''), 'library(notthere)'].join('\n');
    expect(await findProblem(sample('rmd-package'), sources({ 'pkg.Rmd': text }))).toMatchObject({
      file: 'pkg.Rmd',
      line: 9,
    });
  });

  test('marks a missing package where a script loads it', async () => {
    const files = sources({ 'global.R': 'x <- 1', 'app.R': '# app\nlibrary(shiny)\nlibrary("leaflet")\n' });
    expect(await findProblem(sample('shiny-package'), files)).toMatchObject({ file: 'app.R', line: 3 });
  });

  test('marks a syntax error at line and column', async () => {
    expect(await findProblem(sample('shiny-parse'), sources({ 'app.R': '' }))).toMatchObject({
      file: 'app.R',
      line: 5,
      column: 1,
    });
  });

  test('marks the line of an unexpected end without a column, which R counts as 0', async () => {
    const log = [
      'Error in parse(file, keep.source = FALSE, srcfile = src, encoding = enc) : ',
      '  /srv/site/app.R:4:0: unexpected end of input',
    ];
    const found = await findProblem(log, sources({ 'app.R': '' }));
    expect(found).toMatchObject({ file: 'app.R', line: 4, column: null });
  });

  test('marks a running application at its own first frame', async () => {
    expect(await findProblem(sample('shiny-running'), sources({ 'app.R': '' }))).toMatchObject({ line: 3 });
  });
});

describe('Problems in Python', () => {
  test('marks a traceback at the innermost line of an own file', async () => {
    const log = [
      'Traceback (most recent call last):',
      '  File "/usr/lib/python3/dist-packages/uvicorn/app.py", line 3, in run',
      '  File "/data/content/g/3-T/app.py", line 4, in <module>',
      '    from helpers import load',
      '  File "/data/content/g/3-T/lib/helpers.py", line 12, in load',
      '    open("missing.csv")',
      '  File "/usr/lib/python3.11/app.py", line 99, in open',
      "FileNotFoundError: [Errno 2] No such file or directory: 'missing.csv'",
    ];
    expect(await findProblem(log, sources({ 'app.py': '', 'lib/helpers.py': '' }))).toEqual({
      file: 'lib/helpers.py',
      line: 12,
      column: null,
      message: "FileNotFoundError: [Errno 2] No such file or directory: 'missing.csv'",
      cell: null,
    });
  });

  test('marks the first line where Python counts it as 0', async () => {
    const log = [
      'Traceback (most recent call last):',
      '  File "/srv/site/app.py", line 0',
      'SyntaxError: unknown encoding: foo',
    ];
    expect(await findProblem(log, sources({ 'app.py': '' }))).toMatchObject({ file: 'app.py', line: 1 });
  });

  test('marks a missing module at its import', async () => {
    expect(await findProblem(sample('uvicorn-1'), sources({ 'app.py': '' }))).toMatchObject({
      file: 'app.py',
      line: 1,
    });
  });

  test('marks an unavailable requirement in requirements.txt', async () => {
    const files = sources({ 'requirements.txt': 'fastapi\npandaz==3\n' });
    expect(await findProblem(sample('pip-none'), files)).toMatchObject({ file: 'requirements.txt', line: 2 });
  });
});

describe('Problems in notebooks', () => {
  const notebook = (...cells: [string, string[]][]) =>
    JSON.stringify({ cells: cells.map(([cell_type, source]) => ({ cell_type, source })) }, null, 1);
  const three = notebook(
    ['markdown', ['# Title\n', 'import csv']],
    ['code', ['import csv\n', 'rows = 1']],
    ['code', ['import csv\n', 'print(rows)\n', 'print(nothing)']],
  );

  test.each([
    ['Cell In[2], line 3', '      2 print(rows)', '----> 3 print(nothing)'],
    ['Input In [2], in <cell line: 3>()', '      2 print(rows)', '----> 3 print(nothing)'],
    ['\u001b[0;36mCell In[2], line 3\u001b[0m', '\u001b[0;32m----> 3\u001b[0m print(nothing)'],
  ])('marks a failed cell at its line of the file and of the cell: %s', async (...frame) => {
    const log = [
      'Traceback (most recent call last):',
      '  File "/usr/lib/python3/dist-packages/nbclient/client.py", line 914, in x',
      'nbclient.exceptions.CellExecutionError: An error occurred while executing the following cell:',
      '------------------',
      'import csv',
      'print(rows)',
      'print(nothing)',
      '------------------',
      '',
      '---------------------------------------------------------------------------',
      'NameError                                 Traceback (most recent call last)',
      ...frame,
      '',
      "NameError: name 'nothing' is not defined",
    ];
    const problem = await findProblem(log, sources({ 'cafes.ipynb': three }));
    expect(problem).toMatchObject({
      cell: { index: 2, line: 3 },
      message: "NameError: name 'nothing' is not defined (cell 2)",
    });
    expect(three.split('\n')[problem!.line - 1]).toContain('print(nothing)');
  });

  test('finds the cell in real output of nbconvert', async () => {
    const log = sample('notebook-name');
    const text = notebook(
      ['markdown', ['x']],
      ['code', ['x = 1']],
      ['code', ['x']],
      ['code', ['print(1)\n', 'y + 1']],
    );
    expect(await findProblem(log, sources({ 'name.ipynb': text }))).toMatchObject({
      file: 'name.ipynb',
      cell: { index: 3 },
    });
  });
});

test('finds nothing in a log that names no file of the directory', async () => {
  const log = [
    'Error: the disk is full',
    '  File "<string>", line 1',
    'ValueError: x',
    '/etc/app.R:1:1: unexpected x',
  ];
  expect(await findProblem(log, sources({ 'index.html': '' }))).toBeUndefined();
});
