import { expect, it } from 'vitest';
import { createOutput } from './task-output.ts';

it.each([
  ['lines', 'x', 120_000, 100_001],
  ['characters', 'x'.repeat(8192), 3000, 2049],
])('keeps a limited number of %s and notes that more were dropped', async (_what, line, printed, kept) => {
  const lines: string[] = [];
  const output = createOutput(async (_from, more) => void lines.push(...more));
  for (let i = 0; i < printed; i += 1) output.write(line);
  await output.flush();
  expect([lines.length, lines.at(-1), lines.at(-2)]).toEqual([kept, '(more output was dropped)', line]);
});
