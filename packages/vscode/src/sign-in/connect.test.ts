import { Readable } from 'node:stream';
import type { ConnectionFactory } from '@pressroom/api/client';
import { expect, test, vi } from 'vitest';
import { createConnect } from './connect.ts';

const SERVER = 'https://connect.example.com';
const GUID = 'cccccccc-0000-4000-8000-000000000009';

const USER = {
  guid: GUID,
  username: 'ada',
  first_name: 'Ada',
  last_name: 'L',
  email: 'ada@example.com',
  user_role: 'publisher',
  created_time: '2026-01-01T00:00:00Z',
  updated_time: '2026-01-01T00:00:00Z',
  active_time: null,
  confirmed: true,
  locked: false,
};

/** Answers by the end of the path. A promise that never resolves is a server that hangs. */
function setup(respond: (path: string) => Promise<unknown>) {
  const asked: string[] = [];
  const lines: string[] = [];
  const connection: ConnectionFactory = () => ({
    async request({ method, path }) {
      asked.push(`${method} ${path}`);
      const body = Readable.from([Buffer.from(JSON.stringify(await respond(path)))]);
      return { statusCode: 200, headers: { 'content-type': 'application/json' }, body };
    },
    destroy: async () => undefined,
  });
  const connect = createConnect({
    version: '1',
    onNotice: undefined,
    trace: (line) => lines.push(line),
    connection,
  });
  return { connect, asked, lines };
}

test('asks for the dialect of a server once per window, not per client', async () => {
  const { connect, asked } = setup(async (path) => (path.endsWith('/bundles') ? [] : USER));
  for (let times = 0; times < 3; times += 1)
    await Array.fromAsync(connect(SERVER, 'KEY').each.getBundles({ guid: GUID })).catch(() => undefined);
  expect(asked.filter((call) => call.endsWith('/v1/user'))).toHaveLength(1);
});

test('logs every request without the key', async () => {
  const { connect, lines } = setup(async () => ({}));
  await connect(SERVER, 'SECRET-KEY')
    .getServerSettings({})
    .catch(() => undefined);
  expect(lines).toEqual([
    expect.stringMatching(/^GET https:\/\/connect\.example\.com\/\S+ → 200 \(\d+ ms\)$/),
  ]);
  expect(lines.join()).not.toContain('SECRET-KEY');
});

test('reports a slow response after two seconds', async () => {
  vi.useFakeTimers();
  try {
    const { connect } = setup(() => new Promise(() => undefined));
    const waiting = vi.fn<() => void>();
    void connect(SERVER, 'KEY', waiting).getServerSettings({});
    await vi.advanceTimersByTimeAsync(1900);
    expect(waiting).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(200);
    expect(waiting).toHaveBeenCalledOnce();
  } finally {
    vi.useRealTimers();
  }
});
