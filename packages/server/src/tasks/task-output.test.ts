import { expect, it } from 'vitest';
import { createOutput } from './task-output.ts';

async function printed(count: number, line: (at: number) => string, before = 0): Promise<string[]> {
  const lines: string[] = [];
  const output = createOutput(async (from, more) => {
    // Readers ask for what follows the lines that they have.
    expect(from).toBe(before + lines.length);
    lines.push(...more);
  }, before);
  for (let at = 0; at < count; at += 1) output.write(line(at));
  await output.flush();
  return lines;
}

const FULL = '(too much output: its last lines follow when the task ends)';

it('keeps the first 100,000 and the last 1,000 lines, and says how many are left out', async () => {
  const lines = await printed(120_000, (at) => `line ${at}`);
  expect(lines).toHaveLength(101_002);
  expect(lines.slice(99_999, 100_003)).toEqual([
    'line 99999',
    FULL,
    '(19000 lines are left out here)',
    'line 119000',
  ]);
  expect(lines.at(-1)).toBe('line 119999');
});

it('keeps the first 16 Mi and the last Mi characters of long lines', async () => {
  const lines = await printed(3000, (at) => String(at).padStart(8192, 'x'));
  const at = lines.indexOf(FULL);
  expect(at).toBe(2048);
  expect(lines[at + 1]).toBe(`(${3000 - 2048 - 128} lines are left out here)`);
  expect(lines.slice(at + 2)).toHaveLength(128);
  expect(lines.at(-1)).toMatch(/x2999$/);
});

it('leaves nothing out of a little too much', async () => {
  const lines = await printed(100_500, (at) => `line ${at}`);
  expect(lines).toHaveLength(100_501);
  expect(lines.at(-1)).toBe('line 100499');
});

it('keeps the last lines of a task that another server had filled', async () => {
  const lines = await printed(2000, (at) => `line ${at}`, 101_002);
  expect(lines).toHaveLength(1001);
  expect(lines[0]).toBe('(1000 lines are left out here)');
  expect(lines.at(-1)).toBe('line 1999');
});
