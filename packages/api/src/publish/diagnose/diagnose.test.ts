// Covers diagnosis of logs. The logs in samples/ are real output of R, Python, pip, Shiny, Plumber, uvicorn, gunicorn
// and nbconvert.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { diagnose } from './diagnose.ts';
import type { Diagnosis } from './diagnosis.ts';

const samples = join(import.meta.dirname, 'samples');
const read = (name: string) => readFileSync(join(samples, `${name}.txt`), 'utf8').split('\n');

const versions = Array.from({ length: 9 }, (_, i) => i).join(', ');
/** @param lines the frames, then the exception */
function traceback(...lines: string[]): string[] {
  const places = lines.slice(0, -1).flatMap((place) => [`  File "${place}`, '    …']);
  return ['Traceback (most recent call last):', ...places, lines.at(-1)!];
}

const CAUSES: [string, Partial<Diagnosis>][] = [
  [
    'rmd-undefined',
    {
      line: "Quitting from lines 6-7 (chunk.Rmd): object 'x' not found",
      index: 4,
      file: 'chunk.Rmd',
      at: 6,
      kind: 'code',
    },
  ],
  [
    'rmd-package',
    {
      line: "Quitting from lines 8-9 (pkg.Rmd): there is no package called 'notthere'",
      file: 'pkg.Rmd',
      at: 8,
      kind: 'missing-package',
    },
  ],
  ['rmd-parse', { file: 'parse.Rmd', at: 8, kind: 'syntax' }],
  ['rmd-stop', { line: 'Quitting from lines 8-11 (stopfn.Rmd): no data for 3', kind: 'code' }],
  ['rmd-yaml', { kind: 'syntax', index: 0 }],
  ['rmd-pdf', { index: 9, kind: 'code' }],
  ['shiny-package', { kind: 'missing-package', index: 1 }],
  ['shiny-parse', { line: '/srv/content/s2/app.R:5:1: unexpected symbol', at: 5, kind: 'syntax' }],
  ['shiny-file', { index: 3, kind: 'missing-file' }],
  ['shiny-running', { line: "Error in renderText : object 'y_missing' not found", at: 3, kind: 'code' }],
  ['plumber-parse', { file: 'plumber.R', at: 4, kind: 'syntax' }],
  ['plumber-file', { kind: 'missing-file', index: 0 }],
  ['plumber-running', { kind: 'code', index: 2 }],
  ['r-caught', { line: 'Error in f() : second', index: 1 }],
  ['r-memory', { kind: 'memory' }],
  ['r-rlang', { line: 'Error: Cannot open file' }],
  [
    'uvicorn-1',
    {
      line: "ModuleNotFoundError: No module named 'pandaz'",
      index: 54,
      file: '/srv/content/py1/app.py',
      at: 1,
      kind: 'missing-package',
    },
  ],
  ['uvicorn-2', { line: 'ZeroDivisionError: division by zero (app.py, line 3)', at: 3, kind: 'code' }],
  ['uvicorn-3', { line: 'SyntaxError: invalid syntax (app.py, line 1)', at: 1, kind: 'syntax' }],
  ['uvicorn-4', { kind: 'start', index: 0 }],
  ['gunicorn-1', { index: 36, kind: 'missing-package' }],
  ['gunicorn-4', { line: "Failed to find attribute 'app' in 'app'.", index: 4, kind: 'start' }],
  ['notebook-name', { line: "NameError: name 'y' is not defined (cell 3)", cell: 3, kind: 'code' }],
  ['notebook-mod', { cell: 1, kind: 'missing-package' }],
  ['notebook-syn', { line: 'SyntaxError: incomplete input (cell 1)', kind: 'syntax' }],
  ['notebook-die', { line: 'DeadKernelError: Kernel died', kind: 'killed' }],
  ['notebook-ir', { kind: 'start' }],
  ['notebook-bad', { kind: 'syntax' }],
  ['pip-none', { index: 1, kind: 'package-unavailable' }],
  ['pip-invalid', { file: 'req2.txt', at: 1, kind: 'syntax' }],
  ['pip-nofile', { kind: 'missing-file' }],
  ['pip-build', { index: 10, kind: 'package-unavailable' }],
  ['pip-build-code', { line: "ModuleNotFoundError: No module named 'setuptools'" }],
  [
    'pip-build-old',
    {
      line: "ModuleNotFoundError: No module named 'distutils.msvccompiler'",
      kind: 'install',
      hint: expect.stringContaining('list a newer version of it'),
    },
  ],
  ['install-depx', { kind: 'package-unavailable' }],
  ['install-cx', { index: 4, kind: 'install' }],
  ['install-confx', { line: 'configure: error: libfoo not found', kind: 'install' }],
  [
    'install-synx',
    { line: "Error in parse(outFile) : /srv/content/synx/R/f.R:1:16: unexpected '{'", kind: 'install' },
  ],
];

describe('Cause of a failure', () => {
  test.each([
    ['/usr/lib/R/bin/config: 1: eval: make: not found', 'make'],
    ['/bin/sh: 1: g++: not found', 'g++'],
    ['bash: line 1: cmake: command not found', 'cmake'],
    ['make: gcc: No such file or directory', 'gcc'],
  ])('%s names the missing build tool', (line, tool) => {
    const lines = ["* installing *source* package 'one' ...", line, 'Error in `<current-expression>` : '];
    expect(diagnose([...lines, "  error in running command: 'Function not implemented'"])).toMatchObject({
      line,
      kind: 'install',
      hint: expect.stringContaining(`lacks ${tool}`),
    });
  });

  test.each(CAUSES)('is found in the sample %s', (name, cause) => {
    const lines = read(name);
    const found = diagnose(lines);
    expect(found).toMatchObject(cause);
    expect(lines[found!.index]).toBeDefined();
  });

  test('is listed for every sample', () => {
    expect(CAUSES.map(([name]) => `${name}.txt`).toSorted()).toEqual(readdirSync(samples).toSorted());
  });

  test.each<[string[], Partial<Diagnosis>]>([
    [
      [
        'Quitting from lines 6-8 [load-data] (report.Rmd)',
        'Error in `f()`:',
        '! no data',
        'Execution halted',
      ],
      { line: 'Quitting from lines 6-8 (report.Rmd): no data', at: 6 },
    ],
    [
      ['Quitting from report.Rmd:6-8 [load-data]', 'Error:', "! object 'x' not found", 'Execution halted'],
      { line: "Quitting from lines 6-8 (report.Rmd): object 'x' not found", file: 'report.Rmd' },
    ],
    [
      [
        'Error:',
        "! object 'x' not found",
        'Backtrace:',
        '    ▆',
        ' 1. └─base::print(x)',
        '',
        'Quitting from report.Rmd:6-8 [load-data]',
        'Execution halted',
      ],
      { line: "Quitting from lines 6-8 (report.Rmd): object 'x' not found", file: 'report.Rmd', at: 6 },
    ],
    [
      ["ERROR: this R is version 4.2.2, package 'later' requires R >= 4.4"],
      { kind: 'package-unavailable', index: 0 },
    ],
    [
      ['Error: Package leaflet (2.1.1) cannot be had: the repository has 2.0.0 (code 1)'],
      {
        line: 'Package leaflet (2.1.1) cannot be had: the repository has 2.0.0',
        kind: 'package-unavailable',
        index: 0,
      },
    ],
    [
      ['Error: Package leaflet (2.1.1) is not available: the repository has 2.0.0 (code 1)'],
      {
        line: 'Package leaflet (2.1.1) is not available: the repository has 2.0.0',
        kind: 'package-unavailable',
      },
    ],
    [['Error: the kernel of the notebook died'], { kind: 'killed' }],
    [
      [
        'An error occurred while executing the following cell:',
        '------------------',
        'x',
        '------------------',
        '',
        '\u001b[0;31m'.padEnd(90, '-'),
        'NameError                                 Traceback (most recent call last)',
        'Cell In[4], line 1',
        '----> 1 x',
        '',
        "NameError: name 'x' is not defined",
      ],
      { line: "NameError: name 'x' is not defined (cell 4)", cell: 4, index: 10 },
    ],
    [['The process ran out of memory (limit 512 MiB)'], { kind: 'memory' }],
    [['It did not start within 60 seconds'], { kind: 'timeout' }],
    [
      ['Error: C stack usage  7970564 is too close to the limit'],
      { kind: 'code', hint: expect.stringContaining('calls itself without end') as string },
    ],
    [
      ["Error: Cannot find module '/srv/content/1/server.js'"],
      { kind: 'missing-file', hint: 'Is server.js in the bundle, and is its path relative to the bundle?' },
    ],
    [['Quarto: error: no such thing'], { line: 'Quarto: error: no such thing', index: 0 }],
    [['\u001b[31mError in f() : red\u001b[0m'], { line: 'Error in f() : red' }],
    [
      [`ERROR: Could not find a version that satisfies the requirement a==9 (from versions: ${versions})`],
      {
        line: 'ERROR: Could not find a version that satisfies the requirement a==9 (from versions: …, 4, 5, 6, 7, 8)',
        hint: "The server's package index has nothing that satisfies a==9.",
      },
    ],
    [
      [
        "ERROR: Could not install packages due to an OSError: [Errno 2] No such file or directory: '/home/me/work'",
      ],
      { kind: 'missing-file', hint: expect.stringContaining('name==version') as string },
    ],
    [
      [
        'File nothing.png not found in resource path',
        'Error: pandoc document conversion failed with error 99',
      ],
      {
        kind: 'missing-file',
        line: 'Error: pandoc document conversion failed with error 99 (File nothing.png not found in resource path)',
        hint: expect.stringContaining('Is nothing.png in the bundle') as string,
      },
    ],
    [
      ['Error in install.packages("leaflet") : unable to install packages', 'Execution halted'],
      { hint: expect.stringContaining('Remove install.packages()') as string },
    ],
    [
      [
        'Bundle requested R version 3.6.3; using /usr/bin/R which has version 4.2.2',
        'Error: the R repository https://cran.example cannot be used: getaddrinfo ENOTFOUND cran.example (code 1)',
      ],
      { hint: expect.stringContaining('The server needs https://cran.example') as string },
    ],
    [
      ['Error in setwd("C:/Users/eva/app") : cannot change working directory', 'Execution halted'],
      { hint: expect.stringContaining('Remove setwd()') as string },
    ],
    [
      ['Error in func(fname, ...) : app.R did not return a shiny.appobj object.', 'Execution halted'],
      { hint: 'app.R must end with shinyApp(ui, server).' },
    ],
    [
      [
        'Error in yaml::yaml.load(..., eval.expr = TRUE) : ',
        '  Scanner error: mapping values are not allowed in this context at line 1, column 14',
        'Execution halted',
      ],
      { kind: 'syntax', hint: expect.stringContaining('colon in quotes') as string },
    ],
    [
      ["Error: '\\U' used without hex digits in character string (<input>:1:10)", 'Execution halted'],
      { hint: expect.stringContaining('Write / in paths') as string },
    ],
    [
      traceback(
        '/srv/content/main.py", line 2, in <module>',
        '<frozen os>", line 679, in __getitem__',
        "KeyError: 'MY_KEY'",
      ),
      { at: 2, hint: expect.stringContaining('no environment variable MY_KEY') as string },
    ],
    [
      [
        'An error occurred while executing the following cell:',
        '------------------',
        'os.environ["KEY"]',
        '------------------',
        '',
        ''.padEnd(75, '-'),
        'KeyError                                  Traceback (most recent call last)',
        'Cell In [1], line 1',
        '----> 1 os.environ["KEY"]',
        '',
        'File /usr/lib/python3.11/os.py:679, in _Environ.__getitem__(self, key)',
        '    676     value = self._data[self.encodekey(key)]',
        '--> 679     raise KeyError(key) from None',
        '',
        "KeyError: 'KEY'",
      ],
      { cell: 1, hint: expect.stringContaining('no environment variable KEY') as string },
    ],
    [
      traceback(
        '/srv/content/main.py", line 6',
        "SyntaxError: (unicode error) 'utf-8' codec can't decode byte 0xf6 in position 2: invalid start byte",
      ),
      { hint: 'Python cannot read the code: save the file as UTF-8.' },
    ],
    [
      traceback(
        '/srv/content/main.py", line 6',
        "SyntaxError: (unicode error) 'unicodeescape' codec can't decode bytes in position 2-3: truncated \\UXXXXXXXX escape",
      ),
      { hint: expect.stringContaining('Write / in paths') as string },
    ],
    [
      ["Error: Cannot find module 'express'", 'Require stack:', '- /srv/content/server.js'],
      { kind: 'missing-package', hint: expect.stringContaining('npm install express') as string },
    ],
    [
      ["Error [ERR_MODULE_NOT_FOUND]: Cannot find package '@acme/log' imported from /srv/content/server.js"],
      { hint: expect.stringContaining('npm install @acme/log') as string },
    ],
    [
      ["Error: Cannot find module './routes'"],
      { kind: 'missing-file', hint: expect.stringContaining('Is routes in the bundle') as string },
    ],
    [
      traceback(
        '/app/server/launch_python.py", line 29, in load',
        "AttributeError: module 'app' has no attribute 'nope'",
      ),
      { kind: 'start', hint: expect.stringContaining('entry point') as string },
    ],
    [
      traceback(
        '/app/server/launch_python.py", line 29, in load',
        '/srv/content/app.py", line 3, in <module>',
        "ModuleNotFoundError: No module named 'pandaz'",
      ),
      { kind: 'missing-package', file: '/srv/content/app.py', at: 3 },
    ],
    [
      traceback(
        '/srv/content/app.py", line 1, in <module>',
        "ImportError: cannot import name 'Flask' from 'flask' (/srv/content/flask.py)",
      ),
      { hint: 'The file flask.py of the content hides the package flask: rename it.' },
    ],
    [
      traceback(
        '/srv/content/app.py", line 1, in <module>',
        "ImportError: cannot import name 'x' from 'six' (/usr/lib/python3/dist-packages/six.py)",
      ),
      { kind: 'code', line: expect.stringContaining('six.py') as string },
    ],
    [
      traceback(
        '/srv/content/app.py", line 1, in <module>',
        "ImportError: cannot import name 'url_quote' from 'werkzeug.urls' (/srv/env/lib/python3.11/site-packages/werkzeug/urls.py)",
      ),
      {
        kind: 'code',
        hint: 'The installed version of werkzeug has no url_quote: list versions of packages that fit together in requirements.txt.',
      },
    ],
    [
      ['The process did not listen on its port within 60 seconds and was stopped'],
      { kind: 'timeout', hint: expect.stringContaining('the port in PORT') as string },
    ],
    [
      ['Error in parse(file) :', '  /srv/app.R:1:1: unexpected input', 'Execution halted'],
      { kind: 'syntax', at: 1, hint: expect.stringContaining('byte order mark') as string },
    ],
    [
      ['Error in parse(file) :', '  invalid multibyte character in parser at line 3', 'Execution halted'],
      { kind: 'syntax', hint: expect.stringContaining('UTF-8') as string },
    ],
    [
      ['Error: LaTeX failed to compile r.tex. See r.log for more info.', 'Execution halted'],
      { hint: expect.stringContaining('TeX to be installed') as string },
    ],
    [
      ['ERROR: ', 'compilation failed- missing packages', "LaTeX Error: File `a.sty' not found."],
      {
        line: "LaTeX Error: File `a.sty' not found.",
        hint: expect.stringContaining('TeX to be installed') as string,
      },
    ],
    [
      ['ERROR: ', 'compilation failed- error', 'Undefined control sequence.', 'l.213 \\nope'],
      { line: 'Undefined control sequence. l.213 \\nope', hint: expect.stringContaining('TeX') as string },
    ],
    [
      ['running xelatex - 1', 'ERROR: Error executing xelatex', 'Unable to run xelatex'],
      { index: 1, hint: expect.stringContaining('TeX to be installed') as string },
    ],
    [
      traceback(
        '/usr/bin/x.py", line 1',
        'nbformat.validator.NotebookValidationError: data.cells[0] must be valid',
      ),
      { hint: 'The notebook is damaged: open it in Jupyter and save it again.' },
    ],
    [
      traceback('/usr/bin/x.py", line 1', 'StdinNotImplementedError: raw_input was called'),
      { hint: expect.stringContaining('input()') as string },
    ],
    [
      traceback('/srv/content/app.py", line 2, in <module>', 'EOFError: EOF when reading a line'),
      { hint: expect.stringContaining('input()') as string },
    ],
    [
      ['Launching Python API...', 'Error: the content does not start: ended with code 0 (code 1)'],
      { kind: 'start', hint: expect.stringContaining('exit()') as string },
    ],
    [
      traceback(
        '/srv/content/app.py", line 2, in <module>',
        '/srv/content/helpers.py", line 1',
        'SyntaxError: invalid syntax',
      ),
      { line: 'SyntaxError: invalid syntax (helpers.py, line 1)' },
    ],
    [
      traceback('/app/server/launch_python.py", line 230, in serve_dash', 'TypeError: Dash on FastAPI'),
      { line: 'TypeError: Dash on FastAPI' },
    ],
  ])('is found in %j', (lines, cause) => {
    expect(diagnose(lines)).toMatchObject(cause);
  });

  test('is not said to be an environment variable when a key is missing elsewhere', () => {
    const lines = traceback('/srv/content/main.py", line 2, in <module>', "KeyError: 'column'");
    expect(diagnose(lines)?.hint).toBeUndefined();
  });

  test('of a missing package or file has a hint', () => {
    for (const name of ['shiny-package', 'uvicorn-1', 'shiny-file', 'pip-none', 'install-cx'])
      expect(diagnose(read(name))?.hint).toMatch(/\.$|\?$/);
  });

  test.each([
    ['Building static content...', 'Terror report rendered'],
    ['Warning message:', "WARNING: You are using pip version 1; 'failed' is a word"],
    [],
  ])('is not found in normal output', (...lines) => {
    expect(diagnose(lines)).toBeNull();
  });

  test('is searched in a long log of long lines within the time limit', () => {
    const lines = Array.from({ length: 20_000 }, (_, i) => `${i} ${'Error in '.repeat(400)}`);
    expect(diagnose(lines)).toBeNull();
  });
});

test.each([
  [
    'Because there is no version of streamlit==99.1 and you require streamlit==99.1, we can conclude that your requirements are unsatisfiable.',
    "The server's package index has nothing that satisfies streamlit==99.1.",
  ],
  [
    'Because pandaz was not found in the package registry and you require pandaz, we can conclude that your requirements are unsatisfiable.',
    "The server's package index has nothing that satisfies pandaz.",
  ],
  [
    'Because pandas==2.2.0 depends on numpy>=1.22.4 and you require numpy==1.20, we can conclude that your requirements are unsatisfiable.',
    'requirements.txt requires conflicting versions.',
  ],
])('the reason of uv has advice: %s', (reason, hint) => {
  expect(diagnose([`Error: the Python packages do not install: ${reason} (code 1)`])).toMatchObject({
    kind: 'package-unavailable',
    hint,
  });
});
