import { expect, test } from 'vitest';
import { dependencyNames, parseDescription } from './r-description.ts';

test('fields go on over several lines, the last one of a name counts, and what is no field is passed over', () => {
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

test('a field of very many lines is read at once', () => {
  const begun = process.threadCpuUsage();
  const { Imports } = parseDescription(`Imports: a${',\n a'.repeat(200_000)}`);
  expect(dependencyNames(Imports)).toHaveLength(200_001);
  expect(process.threadCpuUsage(begun).user / 1000).toBeLessThan(3000);
});
