// Covers the syslog sender: no file descriptors left, no receiver, and messages longer than a datagram.
import { execFileSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SentEntry } from './entry.ts';
import { createSyslogSender } from './syslog.ts';

const SYSLOG = join(import.meta.dirname, 'syslog.ts');
/** Opens files until no descriptors are left, sends, closes the files, and sends again. */
const PROGRAM = `
import { closeSync, openSync } from 'node:fs';
const { createSyslogSender } = await import(${JSON.stringify(SYSLOG)});
const send = createSyslogSender('udp://127.0.0.1:9');
const entry = { time: '2030-01-01T00:00:00Z', action: 'add_user', user_id: '0', user_description: 'a', event_description: 'b', id: '1' };
await send([entry]);
const open = [];
let why;
// Node may close files of its own meanwhile.
do {
  try { for (;;) open.push(openSync('/dev/null', 'r')); } catch {}
  why = await send([entry, entry]).then(() => null, (error) => error.code);
} while (why === null);
for (const file of open) closeSync(file);
await send([entry]);
console.log('refused with', why);
`;

test('the UDP sender fails with EMFILE without file descriptors and sends again afterwards', () => {
  const shell = ['-c', 'ulimit -n 64 && exec "$0" --input-type=module -e "$1"', process.execPath, PROGRAM];
  expect(execFileSync('sh', shell, { encoding: 'utf8', timeout: 60_000 })).toBe('refused with EMFILE\n');
});

const ENTRY: SentEntry = {
  id: '1',
  time: '2030-01-01T00:00:00Z',
  user_id: '0',
  user_description: 'a',
  action: 'add_user',
  event_description: 'b',
  content_guid: null,
  bundle_id: null,
  task_id: null,
  slack_user: null,
  seq: null,
  mac: null,
};

async function sendTo(onConnection: (socket: Socket) => void): Promise<void> {
  await using server = createServer(onConnection).listen(0, '127.0.0.1');
  await once(server, 'listening');
  await createSyslogSender(`tcp://127.0.0.1:${(server.address() as AddressInfo).port}`)([ENTRY]);
}

test('a TCP connection that a proxy accepts and then drops counts as a failed delivery', async () => {
  let got = '';
  await sendTo((socket) => void socket.on('data', (chunk) => (got += String(chunk))));
  expect(got).toContain('add_user');
  await expect(sendTo((socket) => void socket.destroy())).rejects.toThrow(
    /before it had all|ECONNRESET|EPIPE/,
  );
});

test('truncates a message that exceeds a datagram between two characters', async () => {
  const receiver = createSocket('udp4');
  try {
    receiver.bind(0, '127.0.0.1');
    await once(receiver, 'listening');
    const send = createSyslogSender(`udp://127.0.0.1:${receiver.address().port}`);
    for (const start of ['', 'x']) {
      const got = once(receiver, 'message');
      await send([{ ...ENTRY, event_description: `${start}${'é'.repeat(2000)}` }]);
      const [bytes] = (await got) as [Buffer];
      expect(bytes.length).toBeGreaterThan(2000);
      expect(bytes.toString()).toMatch(/é$/);
    }
  } finally {
    receiver.close();
  }
});
