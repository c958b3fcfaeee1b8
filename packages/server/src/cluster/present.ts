// API representation of the servers.
import type { ServerStates } from '@pressroom/api/contract';
import { toTimestamp } from '../platform/clock.ts';
import type { ServerNames } from './commands.ts';
import { ALL_SERVERS } from './drain-store.ts';

export function presentServers({ running, drained }: ServerNames): ServerStates {
  const all = drained.find(({ name }) => name === ALL_SERVERS);
  const own = new Map(drained.map((row) => [row.name, row] as const));
  own.delete(ALL_SERVERS);
  const servers = [...new Set([...running, ...own.keys()])].map((name) => {
    const row = own.get(name) ?? all;
    return {
      name,
      running: running.has(name),
      draining: row !== undefined,
      drained_time: row ? toTimestamp(row.drained_time) : null,
      drained_by: row?.drained_by ?? null,
    };
  });
  return { all_draining: all !== undefined, servers };
}
