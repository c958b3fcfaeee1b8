import { describe, expect, test } from 'vitest';
import { findProblems } from './find-problems.ts';

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

describe('R', () => {
  test.each([
    ['Quitting from lines 9-12 [plot] (index.Rmd)', ['Error in `plot()`:', "! object 'dat' not found"]],
    ['Quitting from lines 9-12 (index.Rmd) ', ["Error in plot(dat$x) : object 'dat' not found"]],
    ['Quitting from index.Rmd:9-12 [plot]', ['Error:', "! object 'dat' not found", 'Backtrace:']],
    [
      'Quitting from lines 9-12 [plot] (report/index.Rmd)',
      ['Error in plot(dat$x) : ', "  object 'dat' not found"],
    ],
  ])('a chunk that fails is marked at the line that holds the name: %s', async (quitting, error) => {
    const log = ['processing file: index.Rmd', '2/5 [setup]', '', quitting, ...error, 'Execution halted'];
    expect(await findProblems(log, sources({ 'index.Rmd': RMD.join('\n') }))).toEqual([
      { file: 'index.Rmd', line: 11, column: null, message: "object 'dat' not found", cell: null },
    ]);
  });

  test('a chunk whose error stands above is marked at its beginning when no name tells more', async () => {
    const log = [
      'Error in f() : it broke',
      'Calls: render -> f',
      'Quitting from lines 9-12 [plot] (index.Rmd)',
    ];
    expect(await findProblems(log, sources({ 'index.Rmd': RMD.join('\n') }))).toMatchObject([
      { line: 9, message: 'it broke' },
    ]);
  });

  test('a package that is missing is marked where the document asks for it', async () => {
    const log = ['Error in library(nosuchpackage) : there is no package called ‘nosuchpackage’'];
    const files = sources({
      'global.R': 'x <- 1',
      'app.R': '# app\nlibrary(shiny)\nlibrary(nosuchpackage)\n',
    });
    expect(await findProblems(log, files)).toMatchObject([
      { file: 'app.R', line: 3, message: 'The server has no R package nosuchpackage.' },
    ]);
  });

  test('a syntax error is marked at line and column', async () => {
    const log = ['Error in source("app.R") : /srv/content/1-a/app.R:7:3: unexpected symbol', '6: ', '7: x y'];
    expect(await findProblems(log, sources({ 'app.R': '' }))).toMatchObject([
      { file: 'app.R', line: 7, column: 3, message: 'unexpected symbol' },
    ]);
  });

  test('a running application is marked at the first frame of its own', async () => {
    const log = [
      'Warning: Error in server: no such column',
      'Error in server(...) : no such column',
      '  55: stop',
      '  54: renderPlot [/opt/content/9/app.R#21]',
      '  10: server [/opt/content/9/app.R#18]',
    ];
    expect(await findProblems(log, sources({ 'app.R': '' }))).toMatchObject([
      { line: 21, message: 'no such column' },
    ]);
  });
});

describe('Python', () => {
  test('a traceback is marked at the innermost line of an own file, not in a library of the same name', async () => {
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
    expect(await findProblems(log, sources({ 'app.py': '', 'lib/helpers.py': '' }))).toEqual([
      {
        file: 'lib/helpers.py',
        line: 12,
        column: null,
        message: "FileNotFoundError: [Errno 2] No such file or directory: 'missing.csv'",
        cell: null,
      },
    ]);
  });

  test('a module that is missing is marked at its import', async () => {
    const log = [
      'Traceback (most recent call last):',
      '  File "/data/app.py", line 2, in <module>',
      '    import pandas',
      "ModuleNotFoundError: No module named 'pandas'",
    ];
    expect(await findProblems(log, sources({ 'app.py': '' }))).toMatchObject([{ file: 'app.py', line: 2 }]);
  });

  test('a requirement that cannot be had is marked in requirements.txt', async () => {
    const log = [
      'ERROR: Could not find a version that satisfies the requirement no_such.thing==9 (from versions: none)',
      'ERROR: No matching distribution found for no_such.thing==9',
    ];
    expect(
      await findProblems(log, sources({ 'requirements.txt': 'fastapi\nno-such-thing==9\n' })),
    ).toMatchObject([
      { file: 'requirements.txt', line: 2, message: expect.stringContaining('Could not find a version') },
    ]);
  });
});

describe('notebooks', () => {
  const notebook = JSON.stringify(
    {
      cells: [
        { cell_type: 'markdown', source: ['# Title\n', 'import csv'] },
        { cell_type: 'code', source: ['import csv\n', 'rows = 1'] },
        { cell_type: 'code', source: ['import csv\n', 'print(rows)\n', 'print(nothing)'] },
      ],
    },
    null,
    1,
  );

  test.each([
    ['Cell In[2], line 3', '      2 print(rows)', '----> 3 print(nothing)'],
    ['Input In [2], in <cell line: 3>()', '      2 print(rows)', '----> 3 print(nothing)'],
    [
      '\u001b[0;36mCell In[2], line 3\u001b[0m',
      '\u001b[1;32m      2\u001b[0m print(rows)',
      '\u001b[0;32m----> 3\u001b[0m print(nothing)',
    ],
  ])('a cell that fails is marked at its line of the file and of the cell: %s', async (...frame) => {
    const log = [
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
    const [problem] = await findProblems(log, sources({ 'cafes.ipynb': notebook }));
    expect(problem).toMatchObject({
      cell: { index: 2, line: 3 },
      message: "NameError: name 'nothing' is not defined",
    });
    expect(notebook.split('\n')[problem!.line - 1]).toContain('print(nothing)');
  });
});

test('a log that names no file of the directory gives nothing', async () => {
  const log = [
    'Error: the disk is full',
    '  File "<string>", line 1',
    'ValueError: x',
    '/etc/app.R:1:1: unexpected x',
  ];
  expect(await findProblems(log, sources({ 'index.html': '' }))).toEqual([]);
});
