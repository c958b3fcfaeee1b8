import { expect, test } from 'vitest';
import { diagnose } from './diagnose.ts';

test.each([
  ["ModuleNotFoundError: No module named 'pandas'", 'missing-package', 'pandas'],
  ['Error in library(dplyr) : there is no package called ‘dplyr’', 'missing-package', 'dplyr'],
  ['ERROR: No matching distribution found for numpyy==9', 'missing-package', 'numpyy==9'],
  ['Error: R version 4.9.1 is not installed on this server', 'wrong-r', '4.9.1'],
  ['Python 3.14.2 is not available here', 'wrong-python', '3.14.2'],
  ["FileNotFoundError: [Errno 2] No such file or directory: 'data/x.csv'", 'missing-file', 'data/x.csv'],
  ["cannot open file 'sales.csv': No such file or directory", 'missing-file', 'sales.csv'],
  ['Error: the application did not start within 60 seconds', 'timeout', 'timeout'],
  ['Error: cannot allocate vector of size 8.0 Gb', 'memory', 'memory'],
  ['SyntaxError: invalid syntax', 'syntax', 'parse'],
  ['Error in parse(text = x) : <text>:2:0: unexpected end of input', 'syntax', 'parse'],
])('%s is known', (line, kind, word) => {
  const found = diagnose(['Building content...', line, 'Execution halted']);
  expect(found).toMatchObject({ kind, line, index: 1 });
  expect(found?.hint).toContain(word);
});

test('the end of the last traceback is the cause, and the traceback can be folded', () => {
  const lines = [
    'Launching Python application...',
    'Traceback (most recent call last):',
    '  File "app.py", line 1, in <module>',
    '    import pandas',
    'KeyError: 3',
    '',
    'During handling of the above exception, another exception occurred:',
    'Traceback (most recent call last):',
    '  File "app.py", line 3, in <module>',
    "ModuleNotFoundError: No module named 'pandas'",
    'Task failed',
  ];
  expect(diagnose(lines)).toMatchObject({
    kind: 'missing-package',
    index: 9,
    traceback: { from: 7, to: 9 },
  });
});

test('an exception nobody knows is still the cause', () => {
  const lines = ['Traceback (most recent call last):', '  File "a.py", line 1', 'acme.Broken: the thing'];
  expect(diagnose(lines)).toMatchObject({ kind: 'other', line: 'acme.Broken: the thing', hint: '' });
});

test('output that says nothing of a failure has no diagnosis', () => {
  expect(diagnose(['Building static content...', 'Activated'])).toBeNull();
  expect(diagnose([])).toBeNull();
});

test('ten thousand long lines are read in linear time', () => {
  const lines = Array.from({ length: 10_000 }, (_, i) => `${i} ${'R 1.2.3 Python 3 '.repeat(300)}`);
  expect(diagnose([...lines, 'Error: nothing'])?.line).toBe('Error: nothing');
});
