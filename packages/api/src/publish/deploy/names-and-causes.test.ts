import { describe, expect, test } from 'vitest';
import { chooseContent } from '../detect/choose-content.ts';
import type { ContentCandidate } from '../detect/content-candidate.ts';
import { createCauseFinder } from './cause.ts';
import { contentNameFrom, uniqueName } from './content-name.ts';

describe('Content names', () => {
  test.each([
    ['Sales Report', 'Sales-Report'],
    ['Übersicht 2026!', 'Ubersicht-2026'],
    ['Straßen in Malmø', 'Strassen-in-Malmo'],
    ['Ærø, Łódź und Þórshöfn', 'Aero-Lodz-und-Thorshofn'],
    ['a', 'content-a'],
    ['日本', 'content'],
    ['..', 'content'],
    ['x'.repeat(80), 'x'.repeat(64)],
    [`${'x'.repeat(63)} y`, 'x'.repeat(63)],
  ])('converts %j to the valid name %s', (text, name) => {
    expect(contentNameFrom(text)).toBe(name);
    expect(name).toMatch(/^[A-Za-z0-9_-]{3,64}$/);
  });

  test('a unique name is valid and starts like the one in use', () => {
    const name = uniqueName('r'.repeat(64), () => 0.999);
    expect(name).toBe(`${'r'.repeat(58)}-zzzzz`);
  });
});

describe('Causes in output', () => {
  test.each([
    [['Building', 'Error in library(x) : there is no package called x', 'Execution halted'], 1],
    [
      [
        'Traceback (most recent call last):',
        '  File "a.py", line 1',
        "ModuleNotFoundError: No module named 'x'",
      ],
      2,
    ],
    [['Traceback (most recent call last):', 'KeyboardInterrupt'], 1],
    [['ok', 'Quarto: error: no such thing'], 1],
  ])('finds the cause of %j in line %i', (lines, index) => {
    const finder = createCauseFinder();
    lines.forEach((line, at) => finder.look({ type: 'log', line, index: at }));
    expect(finder.found?.event.index).toBe(index);
  });

  const causeIn = (lines: string[], files: string[]) => {
    const finder = createCauseFinder(files);
    lines.forEach((line, index) => finder.look({ type: 'log', line, index }));
    return finder.found?.event;
  };

  test('names the file and line of the bundle', () => {
    const lines = [
      'Traceback (most recent call last):',
      '  File "/srv/content/41-x/app/main.py", line 3, in <module>',
      "NameError: name 'df' is not defined",
    ];
    expect(causeIn(lines, ['main.py', 'app/main.py'])).toMatchObject({
      index: 2,
      file: 'app/main.py',
      at: 3,
    });
    expect(causeIn(lines, [])).toEqual({ type: 'log', index: 2, line: lines[2] });
  });

  test('names the cell of a notebook', () => {
    const ruled = ['An error occurred while executing the following cell:', '-'.repeat(75)];
    const lines = [...ruled, 'Cell In [3], line 1', '----> 1 1/0', '', 'ZeroDivisionError: division by zero'];
    expect(causeIn(lines, ['a.ipynb'])).toMatchObject({ index: 5, cell: 3 });
  });

  test('is whole where R puts the message on the next line, without the path on the server', () => {
    const lines = [
      'Error in parse(file) :',
      '  /srv/content/41-x/app.R:4:3: unexpected symbol',
      'Execution halted',
    ];
    expect(causeIn(lines, ['app.R'])).toMatchObject({
      line: 'app.R:4:3: unexpected symbol',
      file: 'app.R',
      at: 4,
    });
  });

  test('finds no cause in normal output', () => {
    const finder = createCauseFinder();
    ['Building static content...', 'Terror report rendered'].forEach((line, index) =>
      finder.look({ type: 'log', line, index }),
    );
    expect(finder.found).toBeNull();
  });
});

describe('Choice of content', () => {
  const candidate = (appmode: string, primary: string): ContentCandidate => ({
    appmode,
    primary,
    entrypoint: primary,
    contentCategory: '',
    hasParameters: false,
    confidence: 0.5,
    why: '',
    reason: { code: 'page', args: [primary] },
  });
  const candidates = [
    candidate('rmd-static', 'a.Rmd'),
    candidate('static', 'a.html'),
    candidate('static', 'b.html'),
  ];

  test.each([
    ['the likeliest, without a selection', {}, undefined, 'a.Rmd'],
    ['the selected type', { type: 'static' }, undefined, 'a.html'],
    ['the selected file', { entrypoint: 'b.html' }, undefined, 'b.html'],
    ['the file of the last publish', {}, { type: 'static', entrypoint: 'b.html' }, 'b.html'],
    ['the likeliest, if the last file is gone', {}, { type: 'shiny', entrypoint: 'app.R' }, 'a.Rmd'],
    [
      'the selected type rather than the last one',
      { type: 'rmd-static' },
      { type: 'static', entrypoint: 'b.html' },
      'a.Rmd',
    ],
  ])('takes %s', (_name, selector, before, primary) => {
    expect(chooseContent(candidates, selector, before)?.primary).toBe(primary);
  });

  test('accepts a type that was not detected', () => {
    expect(chooseContent([], { type: 'python-api', entrypoint: 'main:app' })).toMatchObject({
      appmode: 'python-api',
      primary: 'main.py',
      entrypoint: 'main:app',
    });
    expect(chooseContent([], {})).toBeUndefined();
  });
});
