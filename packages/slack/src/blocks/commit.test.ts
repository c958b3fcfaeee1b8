import { expect, test } from 'vitest';
import { TEXTS } from '../texts/languages.ts';
import { commitText } from './commit.ts';

const reported = { sha: '0123456789abcdef-dirty', subject: '', author: '', branch: '', repository: '' };

test('names what is known of a commit, and nothing else', () => {
  const told = (more: Partial<typeof reported>) => commitText({ ...reported, ...more }, TEXTS.en);
  expect(told({})).toBe('Commit `0123456789-dirty`');
  expect(told({ branch: 'main' })).toBe('Commit `0123456789-dirty` · main');
  expect(told({ subject: 'Count', author: 'Ada', branch: 'main' })).toBe(
    'Commit `0123456789-dirty` Count (Ada) · main',
  );
});
