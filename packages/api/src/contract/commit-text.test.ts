import { expect, test } from 'vitest';
import { commitText, shortSha } from './commit-text.ts';

const sha = '0123456789abcdef0123456789abcdef01234567';

test('a commit is shown with what is known of it', () => {
  expect(commitText({ sha, subject: 'Count', author: 'Ada' })).toBe('0123456789 Count (Ada)');
  expect(commitText({ sha: `${sha}-dirty`, subject: '', author: '' })).toBe('0123456789-dirty');
});

test('an abbreviated SHA keeps the mark of changed files', () => {
  expect(shortSha(sha, 7)).toBe('0123456');
  expect(shortSha(`${sha}-dirty`, 7)).toBe('0123456-dirty');
});
