// Covers a log that cannot be written: the server keeps running.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';

const LINES = `
  import { createLog } from '${new URL('./log.ts', import.meta.url).href}';
  const log = createLog('info');
  for (let i = 0; i < 3; i += 1) {
    log.info('line');
    await new Promise(setImmediate);
  }
  console.error('went on');
`;
const run = (stdout: number | 'pipe') =>
  spawn(process.execPath, ['--input-type=module', '-e', LINES], { stdio: ['ignore', stdout, 'pipe'] });

it('the process continues and exits normally when the disk of its log is full', async () => {
  const child = run(openSync('/dev/full', 'w'));
  const [said, ended] = await Promise.all([text(child.stderr!), once(child, 'exit')]);
  expect([said, ended]).toEqual(['went on\n', [0, null]]);
});

it('writes every line when the output is writable', async () => {
  const child = run('pipe');
  const lines = (await text(child.stdout!)).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['line', 'line', 'line']);
});
