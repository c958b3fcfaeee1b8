// What the engine is told about the container of one process: what it sees, what it may use, and nothing beyond that.
import { posix } from 'node:path';
import type { ContainerCreateOptions, MountSettings } from 'dockerode';
import type { Account } from '../accounts.ts';
import type { Command } from '../command.ts';
import { scriptFor } from '../script.ts';

export interface ContainerLimits {
  /** Bytes; 0 is no limit. */
  readonly memory: number;
  /** Processes and threads; 0 is no limit. */
  readonly processes: number;
  /** Bytes of a file; 0 is no limit. */
  readonly fileSize: number;
  /** Processors, or parts of one; 0 is no limit. */
  readonly cpus: number;
}

export interface ContainerPlace extends ContainerLimits {
  readonly account: Pick<Account, 'uid' | 'gid'>;
  /** The private directory of the process, on this machine. */
  readonly directory: string;
  /** The network of the engine that it is in; `none` is none. */
  readonly network: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Paths that the image declares as volumes. */
  readonly volumes: readonly string[];
}

/** Where each process finds its private directory. No path of a server's own is there. */
export const INSIDE = '/home/content';
const MAX_FILES = 4096;
/** The init process, and the shell that ends the container with this server. */
const BESIDE = 2;
const SHARED_MEMORY = 2 ** 30;
const TEMPORARY = 'rw,exec,nosuid,nodev,mode=1777,size=1g';

export function containerOptions(
  command: Command,
  image: string,
  place: ContainerPlace,
): ContainerCreateOptions {
  const { memory, processes, fileSize, cpus, account, network, labels } = place;
  const Mounts = mountsOf(command, place.directory);
  const targets = new Set(Mounts.map(({ Target }) => Target));
  // The engine would make each a volume on its disk, where nothing limits what content writes.
  const volumes = place.volumes
    .map((path) => posix.join('/', path).replace(/(?<=.)\/$/, ''))
    .filter((path) => !targets.has(path));
  return {
    Image: image,
    // The image's own entry point is for other uses of it.
    Entrypoint: ['sh', '-s', '--', command.cwd, command.file],
    Cmd: [...command.args],
    User: `${account.uid}:${account.gid}`,
    WorkingDir: '/',
    Labels: { ...labels },
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    OpenStdin: true,
    // When this server goes, the engine closes its input: that ends it.
    StdinOnce: true,
    Tty: false,
    Healthcheck: { Test: ['NONE'] },
    HostConfig: {
      Init: true,
      Memory: memory,
      MemorySwap: memory,
      ...(processes > 0 && { PidsLimit: processes + BESIDE }),
      ...(cpus > 0 && { NanoCpus: Math.round(cpus * 1e9) }),
      Ulimits: [
        limit('nofile', MAX_FILES),
        limit('core', 0),
        ...(fileSize > 0 ? [limit('fsize', fileSize)] : []),
      ],
      ShmSize: SHARED_MEMORY,
      ReadonlyRootfs: true,
      Tmpfs: Object.fromEntries(['/tmp', '/var/tmp', ...volumes].map((path) => [path, TEMPORARY])),
      Mounts,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      Privileged: false,
      IpcMode: 'private',
      NetworkMode: network,
      RestartPolicy: { Name: '' },
      // What it prints is read as it comes: the engine keeps no copy.
      LogConfig: { Type: 'none', Config: {} },
      AutoRemove: false,
    },
  };
}

function limit(Name: string, value: number) {
  return { Name, Soft: value, Hard: value };
}

/** Each path where it is on this machine, the private directory apart; what is both to read and to write is to write. */
function mountsOf({ readable = [], writable = [] }: Command, directory: string): MountSettings[] {
  const isReadOnly = new Map([
    ...readable.map((path) => [path, true] as const),
    ...writable.map((path) => [path, false] as const),
  ]);
  const bind = (Source: string, Target: string, ReadOnly: boolean): MountSettings => ({
    Type: 'bind',
    Source,
    Target,
    ReadOnly,
    BindOptions: { Propagation: 'rprivate' },
  });
  return [bind(directory, INSIDE, false), ...[...isReadOnly].map(([path, reads]) => bind(path, path, reads))];
}

/**
 * For the standard input of the container, which stays open as long as this server lives. Once it is closed, a shell beside
 * the process kills all there is in the container. The braces make the first shell read it to its end before it begins.
 */
export function containerScript(command: Command, account: Account | null): string {
  const script = scriptFor(command, { inside: INSIDE, account, stat: 'stat' });
  const watch = '{ while read -r _; do :; done; kill -9 -1; } <&3 >/dev/null 2>&1 3<&- &';
  return `{\nexec 3<&0 </dev/null\n${watch}\nexec 3<&-\n${script}}\n`;
}
