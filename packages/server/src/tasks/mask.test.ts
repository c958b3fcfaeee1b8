// Covers masking: values of content variables never reach the output of a task.
import { expect, test } from 'vitest';
import { createMask } from './mask.ts';

test('masks a value anywhere, the longer of two first', () => {
  const mask = createMask(['hunter2', 'hunter2-and-more']);
  expect(mask('Error: cannot log in as hunter2: hunter2-and-more, hunter2hunter2')).toBe(
    'Error: cannot log in as ***: ***, ******',
  );
});

test('masks values that are printed quoted, in a URL, or line by line', () => {
  const mask = createMask(['pa"ss\\wörd', 'p@ss word', '-----BEGIN KEY-----\nMIIEvQ\n-----END KEY-----']);
  expect(mask('"pa\\"ss\\\\wörd"')).toBe('"***"');
  expect(mask('https://user:p%40ss%20word@db/')).toBe('https://user:***@db/');
  expect(mask('MIIEvQ')).toBe('***');
});

test('matches values literally and ignores short ones', () => {
  expect(createMask(['a.c*'])('a.c* abcc')).toBe('*** abcc');
  expect(createMask(['1', 'on', ' ', ''])('1 on ')).toBe('1 on ');
});
