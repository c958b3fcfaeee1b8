// What visitors say about the server of their process.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { PROCESS_COOKIE } from '../http/cookie-names.ts';
import { createElsewhere } from './elsewhere.ts';
import type { Visit } from './proxy/visit.ts';

test('a key that no process can have is not looked for, and not kept', async () => {
  const asked = new Error('the database was asked');
  const db = {
    selectFrom() {
      throw asked;
    },
  };
  type Parts = Parameters<typeof createElsewhere>;
  const elsewhere = createElsewhere({} as Parts[0], db as unknown as Parts[1], {} as Parts[2]);
  const pool = { has: () => false, processes: 1, hasRoom: true };
  const engine = { tag: 'run_app', sessions: false, remembersVisitors: true };
  const visit = { contentGuid: 'x', path: '/', pool, engine } as unknown as Visit;
  const come = (key: string) =>
    elsewhere.handle(
      { headers: { cookie: `${PROCESS_COOKIE}=${key}` } } as IncomingMessage,
      {} as ServerResponse,
      visit,
      { version: null, credentials: { headers: {}, token: null } },
    );
  for (const key of ['a'.repeat(16_000), 'short', '../../../etc/pass']) expect(await come(key)).toBe(false);
  await expect(come('Aa0'.repeat(5) + 'b')).rejects.toBe(asked);
});
