// Checks that the documentation shows every command.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS } from '../commands/index.ts';

const docs = join(import.meta.dirname, '../../../../docs');
const pages = globSync('**/*.md', { cwd: docs }).map((file) => readFileSync(join(docs, file), 'utf8'));

test.each(COMMANDS.map(({ name }) => name))('a page in docs/ shows `pressroom %s`', (name) => {
  const command = new RegExp(`\\bpressroom ${name}\\b`);
  const isShown = pages.some((page) => command.test(page));
  expect(isShown, 'add it to docs/publish/command-line.md, or where its users look').toBe(true);
});
