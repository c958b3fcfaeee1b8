// The isolation report of containers, as observed in probes of the images.
import type { Account } from '../accounts.ts';
import { accountFinding, finding, requireAll, SEPARATED, type Isolation } from '../isolation.ts';
import type { StarterOptions } from '../starter.ts';
import type { EngineInfo } from './engine.ts';
import type { Kept } from './inspect-image.ts';

export interface Seen {
  readonly account: Account | null;
  readonly ownAccounts: boolean;
  readonly info: EngineInfo;
  readonly kept: readonly Kept[];
}

const AS_SERVER_INSIDE =
  'content runs as the account of the server, though in containers (start the server as root, which keeps root in a small supervisor only)';

/** @throws if isolation is required and anything is missing. */
export function reportContainers(
  settings: Pick<StarterOptions, 'mode' | 'runAs' | 'server' | 'whyNotSeparated'>,
  { account, ownAccounts, info, kept }: Seen,
): Isolation {
  const { mode, server, whyNotSeparated } = settings;
  const filtersCalls = !kept.some((one) => !one.filtersCalls);
  const limits = info.MemoryLimit === true && info.PidsLimit === true;
  const report = [
    finding(
      server !== undefined,
      `${SEPARATED}, and commands the container engine`,
      `whoever handles requests commands the container engine, which is as much as root (${whyNotSeparated ?? 'start the server as root, which keeps that in a small supervisor'})`,
    ),
    accountFinding(settings, { account, ownAccounts }, AS_SERVER_INSIDE),
    finding(true, 'each process of content has a container: it sees its image and its own files only', ''),
    finding(
      !kept.some((one) => one.capabilities || one.newPrivileges || one.writesRoot),
      'containers have no capabilities, gain no privileges, and cannot change their image',
      'the container engine leaves content capabilities, new privileges or a file system to write to: look at the settings of its daemon and runtime',
    ),
    finding(
      filtersCalls,
      "system calls of content are filtered (seccomp, the engine's profile)",
      'system calls of content are not filtered: the container engine has no seccomp profile',
    ),
    finding(
      limits,
      `memory and processes of containers are limited (cgroup ${info.CgroupVersion ?? '1'})`,
      'the container engine cannot limit memory and processes: see `docker info`',
    ),
    finding(true, 'containers end with the server', ''),
  ];
  requireAll(mode, report);
  return {
    account,
    switchesAccounts: process.getuid?.() === 0,
    ownAccounts,
    mounts: true,
    filtersCalls,
    diesWithServer: true,
    countsOwnProcesses: true,
    cgroups: info.CgroupVersion === '2' ? 2 : 1,
    report,
  };
}
