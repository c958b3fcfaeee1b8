import { expect, test } from 'vitest';
import { dependencyNames, parseDescription } from './r-description.ts';

test('joins continued lines, takes the last field of a name, and ignores other lines', () => {
  const text = [
    '\uFEFF behind nothing',
    'Package: foo',
    'Title : Some',
    '  thing',
    '',
    '\tmore',
    'no field',
    'Imports:',
    '    bar (>= 1.0),',
    '    R,',
    '    baz',
    'Package: bar',
  ];
  const fields = parseDescription(text.join('\r\n'));
  expect(fields).toEqual({ Package: 'bar', Title: 'Some thing more', Imports: 'bar (>= 1.0), R, baz' });
  expect(dependencyNames(fields.Imports)).toEqual(['bar', 'baz']);
});

test('parses a field of very many lines without delay', () => {
  const begun = process.threadCpuUsage();
  const { Imports } = parseDescription(`Imports: a${',\n a'.repeat(200_000)}`);
  expect(dependencyNames(Imports)).toHaveLength(200_001);
  expect(process.threadCpuUsage(begun).user / 1000).toBeLessThan(3000);
});

test('reads past a long run of spaces without delay', () => {
  // With backtracking at each space, it would take minutes.
  const { Title } = parseDescription(`Title:${' '.repeat(500_000)}a\u2028b\n`);
  expect(Title).toBe('a\u2028b');
});
