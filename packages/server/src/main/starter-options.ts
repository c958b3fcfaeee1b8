// What confines content, from the settings.
import { resolve } from 'node:path';
import type { Ids } from '../platform/clock.ts';
import type { StarterOptions } from '../runtime/sandbox/starter.ts';
import type { Config } from './config/settings.ts';

/** @param settingsFile may hold secrets */
export function starterOptions(
  config: Config,
  settingsFile: string | undefined,
  ids: Ids,
): Omit<StarterOptions, 'isAlone'> {
  const dataDir = resolve(config['Server.DataDir']);
  return {
    dataDir,
    id: ids.taskId(),
    mode: config['Isolation.Mode'],
    runAs: config['Applications.RunAs'],
    memory: config['Applications.MemoryLimit'],
    processes: config['Applications.ProcessLimit'],
    disk: config['Applications.DiskLimit'],
    network: config['Applications.NetworkAccess'],
    hidden: [
      dataDir,
      ...[settingsFile, config['Packages.Netrc']].flatMap((file) => (file ? [resolve(file)] : [])),
    ],
  };
}
