import type { ClientClock } from '@pressroom/api/client';
import { expect, test } from 'vitest';
import type { Services } from '../../services.ts';
import { scanAuditLog } from './scan-audit-log.ts';

test('an entry without a time does not become the start of later scans', async () => {
  const now = Date.parse('2026-03-04T12:00:00Z');
  const saved: string[] = [];
  async function* events({ action }: { action: string }) {
    if (action !== 'deploy_application') return;
    yield { id: '2', time: '2026-03-04T11:59:00Z', content_guid: null };
    yield { id: '1', content_guid: null };
  }
  const services = {
    store: {
      readCursor: async () => String(now - 120_000),
      saveCursor: async (_id: string, position: string) => void saved.push(position),
      scopedSubscriptions: async () => [],
    },
    clients: { service: { each: { getAuditEvents: events } } },
  } as unknown as Services;
  const clock = { now: () => now } as ClientClock;
  await scanAuditLog({ services, clock, signal: new AbortController().signal });
  expect(saved).toEqual([String(now - 60_000)]);
});

test('a position that is no number, of an earlier version, is replaced', async () => {
  const now = Date.parse('2026-03-04T12:00:00Z');
  const saved: string[] = [];
  const asked: number[] = [];
  async function* events() {
    for (let age = 0; ; age += 1) {
      asked.push(age);
      yield { id: String(age), time: new Date(now - age * 3_600_000).toISOString(), content_guid: null };
      if (age > 100) return;
    }
  }
  const services = {
    store: {
      readCursor: async () => 'NaN',
      saveCursor: async (_id: string, position: string) => void saved.push(position),
      scopedSubscriptions: async () => [],
    },
    clients: { service: { each: { getAuditEvents: events } } },
  } as unknown as Services;
  await scanAuditLog({
    services,
    clock: { now: () => now } as ClientClock,
    signal: new AbortController().signal,
  });
  expect(saved).toEqual([String(now)]);
  expect(asked.length).toBeLessThan(10);
});
