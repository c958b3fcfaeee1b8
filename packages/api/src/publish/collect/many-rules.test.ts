// Covers an ignore file with thousands of rules: evaluating them for each path in one go would block an editor.
import { expect, test, vi } from 'vitest';
import { collectFiles } from './collect-files.ts';
import { createTree } from './testing.ts';

let breaks = 0;
/** The number of breaks so far, at each path that is looked at. */
const seen = vi.hoisted(() => new Set<number>());
vi.mock(import('./default-exclusions.ts'), async (original) => {
  const actual = await original();
  const defaultExclusion = (path: string) => (seen.add(breaks), actual.defaultExclusion(path));
  return { ...actual, defaultExclusion };
});

test('other work continues while thousands of rules are evaluated', async () => {
  const files = Array.from({ length: 200 }, (_, index) => [`f${index}`, ''] as const);
  const rules = Array.from({ length: 10_000 }, (_, index) => `d/rule${index}\n`).join('');
  using tree = createTree({ ...Object.fromEntries(files), '.pressroomignore': rules });
  let isRunning = true;
  const count = (): void => {
    breaks += 1;
    if (isRunning) setImmediate(count);
  };
  setImmediate(count);
  expect((await collectFiles(tree.dir)).count).toBe(200);
  isRunning = false;
  expect(seen.size).toBeGreaterThan(10);
});
