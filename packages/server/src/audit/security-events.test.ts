// Covers security events: they are logged, and cannot flood the log (M12).
import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { Storage } from '../platform/database/storage.ts';
import type { Actor, AuditAction } from './record.ts';
import { createSecurityEvents } from './security-events.ts';

const ANN: Actor = { guid: 'ann', username: 'ann', full_name: 'Ann' };

function setUp() {
  let now = 1;
  const rows: string[] = [];
  const events = createSecurityEvents({
    storage: {
      write: (work: (tx: never) => Promise<void>) => work(undefined as never),
    } as unknown as Storage,
    audit: async (_db, _actor, _action, description) => void rows.push(description),
    clock: { now: () => now },
    log: pino({ level: 'silent' }),
  });
  const record = (description: string, each: number, action: AuditAction = 'refuse', actor = ANN) =>
    events.record({ actor, action, description, each });
  return { rows, events, record, later: (seconds: number) => (now += seconds * 1_000_000) };
}

test('counts repeats of an event beyond its limit and writes the count after a minute', async () => {
  const { rows, events, record, later } = setUp();
  for (let i = 0; i < 50; i += 1) await record('a', 3);
  await record('b', 1);
  expect(rows).toEqual(['a', 'a', 'a', 'b']);
  await events.flush();
  expect(rows).toHaveLength(4);
  later(61);
  await events.flush();
  expect(rows.slice(4)).toEqual(['a: 47 more times']);
  await record('a', 3);
  expect(rows.at(-1)).toBe('a');
});

test('writes pending counts when the server stops', async () => {
  const { rows, events, record } = setUp();
  for (let i = 0; i < 5; i += 1) await record('a', 1);
  await events[Symbol.asyncDispose]();
  expect(rows).toEqual(['a', 'a: 4 more times']);
});

test('writes at most 301 rows a minute for a flood of events and counts all of them', async () => {
  const { rows, events, record, later } = setUp();
  for (let i = 0; i < 10_000; i += 1) await record(`name ${i % 2500}`, 20);
  later(61);
  await events.flush();
  expect(rows.length).toBeLessThanOrEqual(301);
  const counted = rows.map((row) => Number(/: (\d+) more times$/.exec(row)?.[1] ?? 1));
  expect(counted.reduce((sum, count) => sum + count, 0)).toBe(10_000);
});

test('a flood of one person or kind does not hide the events of others', async () => {
  const { rows, record } = setUp();
  const bob: Actor = { guid: 'bob', username: 'bob', full_name: 'Bob' };
  for (let i = 0; i < 5000; i += 1) await record(`name ${i}`, 20, 'sign_in_failed', bob);
  for (let i = 0; i < 5000; i += 1) await record(`network ${i}`, 1, 'use_api_key', bob);
  const flood = rows.length;
  await record('the key of Ann', 1, 'use_api_key');
  await record('a refusal', 1, 'refuse', bob);
  expect(rows.slice(flood)).toEqual(['the key of Ann', 'a refusal']);
});

test('records events one by one again after the clock was set back', async () => {
  const { rows, events, record, later } = setUp();
  later(7200);
  await record('a', 1);
  await record('a', 1);
  later(-3600);
  await record('a', 1);
  expect(rows).toEqual(['a', 'a']);
  await record('b', 1);
  later(-3600);
  await record('b', 1);
  later(-60);
  await events.flush();
  expect(rows).toEqual(['a', 'a', 'b', 'b', 'a: 1 more times']);
});
