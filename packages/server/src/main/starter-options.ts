// Isolation options from the settings.
import { resolve } from 'node:path';
import type { Ids } from '../platform/clock.ts';
import type { ExecutorOptions } from '../runtime/sandbox/create-starter.ts';
import { listOf } from './config/setting-kinds.ts';
import type { Config } from './config/settings.ts';

/** @param settingsFile may contain secrets */
export function starterOptions(
  config: Config,
  settingsFile: string | undefined,
  ids: Ids,
): Omit<ExecutorOptions, 'isAlone'> {
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
    docker: config['Applications.Executor'] === 'docker' ? dockerSettings(config) : null,
    hidden: [
      dataDir,
      ...[
        settingsFile,
        config['Packages.Netrc'],
        config['Docker.Key'],
        keyOf(config['Database.URL']),
      ].flatMap((file) => (file ? [resolve(file)] : [])),
    ],
  };
}

/** The file of the key by which the database knows the server. */
function keyOf(database: string): string | null {
  return URL.parse(database)?.searchParams.get('sslkey') ?? null;
}

function dockerSettings(config: Config): NonNullable<ExecutorOptions['docker']> {
  return {
    host: config['Docker.Host'],
    ca: config['Docker.CA'],
    certificate: config['Docker.Certificate'],
    key: config['Docker.Key'],
    images: listOf(config['Docker.Images']),
    network: config['Docker.Network'],
    cpus: config['Docker.CPULimit'],
  };
}
