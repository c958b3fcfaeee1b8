import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { watchDisk } from './disk-use.ts';

test('what was there before counts as such, though it could not be counted at the beginning', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-disk-use-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(directory, { recursive: true }));
  const [du, calls] = [join(directory, 'du'), join(directory, 'calls')];
  // As where the system has no process left for it, once.
  const script = `#!/bin/sh\necho >>${calls}\n[ "$(wc -l <${calls})" -gt 1 ] || exit 1\nprintf '5000\\ttotal\\n'\n`;
  await writeFile(du, script, { mode: 0o755 });
  const over = Promise.withResolvers<string>();
  const watch = watchDisk({
    pid: undefined,
    paths: [directory],
    limit: 1000,
    du,
    onOver: () => over.resolve('over'),
  });
  stack.defer(() => watch.stop());
  const counted = expect.poll(() => readFile(calls, 'utf8').catch(() => '')).toBe('\n\n\n');
  expect(await Promise.race([over.promise, counted.then(() => 'counted')])).toBe('counted');
  expect(watch.isOver()).toBe(false);
});
