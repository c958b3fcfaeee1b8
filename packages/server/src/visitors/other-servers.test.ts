// Covers the cookie that names a visitor’s process, which may run on another server: when it is looked up.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { PROCESS_COOKIE } from '../http/cookie-names.ts';
import { createOtherServers } from './other-servers.ts';
import type { Visit } from './proxy/visit.ts';

const asked = new Error('the database was asked');
const db = {
  selectFrom() {
    throw asked;
  },
};
const pool = { has: () => false, processes: 1, hasRoom: true };

function comeWith(engine: object, headers: Record<string, string>): Promise<boolean> {
  type Parts = Parameters<typeof createOtherServers>;
  const otherServers = createOtherServers({} as Parts[0], db as unknown as Parts[1], {} as Parts[2]);
  const visit = { contentGuid: 'x', path: '/', pool, engine } as unknown as Visit;
  return otherServers.handle({ headers } as unknown as IncomingMessage, {} as ServerResponse, visit, {
    version: null,
    credentials: { headers: {}, token: null, address: null },
  });
}

test('ignores an invalid process key without a lookup', async () => {
  const engine = { tag: 'run_app', sessions: false, remembersVisitors: true };
  const come = (key: string) => comeWith(engine, { cookie: `${PROCESS_COOKIE}=${key}` });
  for (const key of ['a'.repeat(16_000), 'short', '../../../etc/pass']) expect(await come(key)).toBe(false);
  await expect(come('Aa0'.repeat(5) + 'b')).rejects.toBe(asked);
});

test('looks up the process for files of a Shiny page, but not for a new page', async () => {
  const engine = { tag: 'run_app', sessions: true, remembersVisitors: false };
  const cookie = `${PROCESS_COOKIE}=${'Aa0'.repeat(5)}b`;
  await expect(comeWith(engine, { cookie, accept: '*/*' })).rejects.toBe(asked);
  expect(await comeWith(engine, { cookie, accept: 'text/html,*/*' })).toBe(false);
});
