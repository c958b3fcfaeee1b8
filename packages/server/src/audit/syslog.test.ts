// Where the system has nothing left to send with.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const SYSLOG = join(import.meta.dirname, 'syslog.ts');
/** Opens files until there are no more descriptors, sends, closes them, and sends again. */
const PROGRAM = `
import { closeSync, openSync } from 'node:fs';
const { createSyslogSender } = await import(${JSON.stringify(SYSLOG)});
const send = createSyslogSender('udp://127.0.0.1:9');
const entry = { time: '2030-01-01T00:00:00Z', action: 'add_user', user_id: '0', user_description: 'a', event_description: 'b', id: '1' };
await send([entry]);
const open = [];
try { for (;;) open.push(openSync('/dev/null', 'r')); } catch {}
const why = await send([entry, entry]).catch((error) => error.code);
for (const file of open) closeSync(file);
await send([entry]);
console.log('refused with', why);
`;

test('without descriptors entries wait for the next attempt over UDP, and the process goes on', () => {
  const shell = ['-c', 'ulimit -n 64 && exec "$0" --input-type=module -e "$1"', process.execPath, PROGRAM];
  expect(execFileSync('sh', shell, { encoding: 'utf8', timeout: 60_000 })).toBe('refused with EMFILE\n');
});
