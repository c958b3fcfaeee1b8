// Covers resource use of a process and its children, measured on real ones.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { usageOf } from './process-usage.ts';

/** A process whose child keeps a processor busy and holds 64 MiB. */
const PROGRAM = `
  const { spawn } = require('node:child_process');
  const child = spawn(process.execPath, ['-e', \`
    const held = Buffer.alloc(64 * 1024 * 1024, 1);
    process.stdout.write('busy');
    for (;;) held[0] += 1;
  \`], { stdio: ['ignore', 'inherit', 'inherit'] });
  process.on('SIGTERM', () => { child.kill('SIGKILL'); process.exit(0); });
`;

test('measures a process with its children, and nothing for one that exited', async () => {
  const process_ = spawn(process.execPath, ['-e', PROGRAM], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void process_.kill('SIGTERM'));
  await once(process_.stdout, 'data');
  const pid = process_.pid!;
  let usage = (await usageOf([pid])).get(pid)!;
  // Each measurement is short, and other processes may use the processors meanwhile.
  await expect.poll(async () => (usage = (await usageOf([pid])).get(pid)!).cpu).toBeGreaterThan(0.05);
  expect(usage.memory).toBeGreaterThan(64 * 1024 * 1024);
  expect(Number.isInteger(usage.cpuSeconds)).toBe(true);
  process_.kill('SIGTERM');
  await once(process_, 'exit');
  expect(await usageOf([pid])).toEqual(new Map());
});

test('returns no usage without processes', async () => {
  expect(await usageOf([])).toEqual(new Map());
});
