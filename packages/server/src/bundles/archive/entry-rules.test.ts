// Covers what the names of an archive's entries may cost.
import { expect, test } from 'vitest';
import { createEntryRules } from './entry-rules.ts';
import { DEFAULT_ARCHIVE_LIMITS } from './limits.ts';

test('rejects an archive whose paths would take too much memory together', () => {
  const rules = createEntryRules({ ...DEFAULT_ARCHIVE_LIMITS, maxEntries: 100 });
  const admit = (name: string) => rules.admit({ name, type: 'file', size: 0, executable: false });
  const long = (i: number) => `${i}${'a'.repeat(250)}/${'b'.repeat(250)}/${'c'.repeat(250)}`;
  expect(() => {
    for (let i = 0; i < 33; i++) admit(long(i));
  }).toThrow('the paths of its entries have more than 25600 characters together');
});
