// Covers an ignore file with thousands of rules: evaluating them for each path in one go would block an editor.
import ignore, { type Ignore } from 'ignore';
import { afterEach, expect, test, vi } from 'vitest';
import { collectFiles } from './collect-files.ts';
import { createTree } from './testing.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test('other work continues while thousands of rules are evaluated', async () => {
  const files = Array.from({ length: 200 }, (_, index) => [`f${index}`, ''] as const);
  const rules = Array.from({ length: 10_000 }, (_, index) => `d/rule${index}\n`).join('');
  using tree = createTree({ ...Object.fromEntries(files), '.pressroomignore': rules });
  let breaks = 0;
  let isRunning = true;
  const count = (): void => {
    breaks += 1;
    if (isRunning) setImmediate(count);
  };
  setImmediate(count);
  /** The number of breaks so far, at each path that is looked at. */
  const seen = new Set<number>();
  const matchers = Object.getPrototypeOf(ignore()) as Ignore;
  const { ignores } = matchers;
  vi.spyOn(matchers, 'ignores').mockImplementation(function (this: Ignore, path) {
    seen.add(breaks);
    return ignores.call(this, path);
  });
  expect((await collectFiles(tree.dir)).count).toBe(200);
  isRunning = false;
  expect(seen.size).toBeGreaterThan(10);
});
