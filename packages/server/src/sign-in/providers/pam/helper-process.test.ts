// Covers starts of the PAM helper when the system has no resources left.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const HELPER = join(import.meta.dirname, 'helper-process.ts');
/** Opens files until no descriptors are left, asks, closes the files, and still runs. */
const PROGRAM = `
import { closeSync, openSync } from 'node:fs';
const { createPamHelper } = await import(${JSON.stringify(HELPER)});
const helper = createPamHelper('pressroom-test');
const open = [];
try { for (;;) open.push(openSync('/dev/null', 'r')); } catch {}
const why = await helper.authenticate('a', 'b').catch((error) => error.code);
await new Promise((resolve) => setImmediate(resolve));
for (const file of open) closeSync(file);
console.log('refused with', why);
`;

test('a sign-in without file descriptors fails with EMFILE, and the process continues', () => {
  const shell = ['-c', 'ulimit -n 64 && exec "$0" --input-type=module -e "$1"', process.execPath, PROGRAM];
  expect(execFileSync('sh', shell, { encoding: 'utf8' })).toBe('refused with EMFILE\n');
});
