// Covers starts of processes when the system has no resources left.
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const here = (path: string) => JSON.stringify(join(import.meta.dirname, path));
/** Starts a process, opens files until too few descriptors are left for a start, closes them, and starts another. */
const PROGRAM = `
import { closeSync, openSync, readdirSync } from 'node:fs';
const { createLocalStarter } = await import(${here('local-starter.ts')});
const { systemIds } = await import(${here('../../platform/clock.ts')});
const [ids, dataDir] = [systemIds(), process.argv[1]];
const options = { dataDir, isAlone: true, mode: 'off', runAs: '', memory: 0, processes: 0, disk: 0, hidden: [], network: true };
const starter = await createLocalStarter({ ...options, id: ids.taskId() });
const command = { file: 'sh', args: ['-c', 'exit 3'], cwd: '/tmp' };
const start = () => starter.start({ id: ids.taskId(), account: null, command }, () => undefined);
const run = async () => (await (await start()).exited).code;
const codes = [await run()];
const open = [];
try { for (;;) open.push(openSync('/dev/null', 'r')); } catch {}
for (const file of open.splice(0, 6)) closeSync(file);
const why = await start().catch((error) => error.code);
await new Promise((resolve) => setImmediate(resolve));
for (const file of open) closeSync(file);
codes.push(await run());
console.log(codes, why, readdirSync(starter.directory));
await starter[Symbol.asyncDispose]();
`;

test('a start without file descriptors fails with EMFILE, and later starts succeed', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-starter-'));
  try {
    const shell = ['-c', 'ulimit -Sn 128 && exec "$0" --input-type=module -e "$1" "$2"'];
    const output = execFileSync('sh', [...shell, process.execPath, PROGRAM, directory], { encoding: 'utf8' });
    expect(output).toBe("[ 3, 3 ] EMFILE [ 'lock' ]\n");
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
