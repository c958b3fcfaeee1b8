// Covers Ctrl-C of a script that starts other processes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';

const SCRIPT = `
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { runInOwnGroup } from ${JSON.stringify(join(import.meta.dirname, 'own-group.ts'))};
if (!process.connected) process.exit(await runInOwnGroup(import.meta.filename));
const started = spawn('sleep', ['600']);
await once(started, 'spawn');
const told = once(process, 'SIGTERM');
console.log('started', process.argv.slice(2).join(' '));
await told;
console.log('told');
started.kill('SIGKILL');
const [, signal] = await once(started, 'exit');
console.log('ended by', signal);
process.exit(3);
`;

test('Ctrl-C reaches what a script started only through the script, whose exit code is kept', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-own-group-'));
  const script = join(directory, 'script.mjs');
  await writeFile(script, SCRIPT);
  const child = spawn(process.execPath, [script, 'some', 'words'], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    if (line.startsWith('started')) process.kill(-child.pid!, 'SIGINT');
  });
  expect(await ended).toEqual([3, null]);
  await expect.poll(() => lines).toEqual(['started some words', 'told', 'ended by SIGKILL']);
  await rm(directory, { recursive: true });
});
