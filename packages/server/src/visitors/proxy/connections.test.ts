import { errors } from '@pressroom/api/contract';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Scheduling } from '../../runtime/pool/scheduling.ts';
import { createConnections } from './connections.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a database outage ends no connection, and access is checked again afterwards', async () => {
  using connections = createConnections();
  const failures: unknown[] = [new Error('Connection terminated unexpectedly'), errors.internal()];
  const check = vi.fn(async () => {
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
  });
  const end = vi.fn();
  connections.add({
    contentGuid: 'a',
    scheduling: () => ({ connectionTimeout: 0, readTimeout: 0 }) as Scheduling,
    bytesIn: () => 0,
    bytesOut: () => 0,
    check,
    end,
  });
  connections.recheck('a');
  await vi.advanceTimersByTimeAsync(5000);
  expect(check).toHaveBeenCalledTimes(3);
  expect(end).not.toHaveBeenCalled();
  failures.push(new Error('the database starts up'), errors.accessDenied());
  connections.recheck('a');
  await vi.advanceTimersByTimeAsync(5000);
  expect(end).toHaveBeenCalledExactlyOnceWith('not allowed');
});
