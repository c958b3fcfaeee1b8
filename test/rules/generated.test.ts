// Checks that generated files match the contract.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { generatedFiles } from './generated-files.ts';

const root = join(import.meta.dirname, '../..');

test.each(Object.entries(generatedFiles()))('%s is up to date (npm run generate)', (file, text) => {
  expect(readFileSync(join(root, file), 'utf8')).toBe(text);
});
