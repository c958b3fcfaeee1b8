// Options of the container for one process: exactly what it may see and use.
import { posix } from 'node:path';
import type { ContainerCreateOptions, MountSettings } from 'dockerode';
import type { Account } from '../accounts.ts';
import type { Command } from '../command.ts';
import { OOM_SCORE } from '../confine.ts';
import { scriptFor } from '../script.ts';

export interface ContainerLimits {
  /** Bytes; 0 for no limit. */
  readonly memory: number;
  /** Processes and threads; 0 for no limit. */
  readonly processes: number;
  /** Bytes of a file; 0 for no limit. */
  readonly fileSize: number;
  /** Processors, also fractions; 0 for no limit. */
  readonly cpus: number;
}

export interface ContainerPlace extends ContainerLimits {
  readonly account: Pick<Account, 'uid' | 'gid'>;
  /** The process's private directory on this machine. */
  readonly directory: string;
  /** A file in place of the image's `/etc/passwd`; null to keep that. */
  readonly passwd: string | null;
  /** Its engine network; `none` for none. */
  readonly network: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Where the engine finds paths of the command that it may not see. */
  readonly copies: ReadonlyMap<string, string>;
  /** Volumes declared by the image. */
  readonly volumes: readonly string[];
}

/** Where each process sees its private directory, without the server's own paths. */
export const INSIDE = '/home/content';
const MAX_FILES = 4096;
/** Additional processes: init, and the shell that ends the container with this server. */
const BESIDE = 2;
const SHARED_MEMORY = 2 ** 30;
const TEMPORARY = 'rw,exec,nosuid,nodev,mode=1777,size=1g';

export function containerOptions(
  command: Command,
  image: string,
  place: ContainerPlace,
): ContainerCreateOptions {
  const { memory, processes, fileSize, cpus, account, network, labels } = place;
  const Mounts = mountsOf(command, place);
  const targets = new Set(Mounts.map(({ Target }) => Target));
  // The engine would create volumes on its disk, where writes are not limited.
  const volumes = place.volumes
    .map((path) => posix.join('/', path).replace(/(?<=.)\/$/, ''))
    .filter((path) => !targets.has(path));
  return {
    Image: image,
    // The image's entry point is for other uses.
    Entrypoint: ['sh', '-s', '--', command.cwd, command.file],
    Cmd: [...command.args],
    User: `${account.uid}:${account.gid}`,
    WorkingDir: '/',
    Labels: { ...labels },
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    OpenStdin: true,
    // When this server is gone, the engine closes its input, which ends it.
    StdinOnce: true,
    Tty: false,
    Healthcheck: { Test: ['NONE'] },
    HostConfig: {
      Init: true,
      Memory: memory,
      MemorySwap: memory,
      OomScoreAdj: OOM_SCORE,
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
      // Output is streamed: the engine keeps no copy.
      LogConfig: { Type: 'none', Config: {} },
      AutoRemove: false,
    },
  };
}

function limit(Name: string, value: number) {
  return { Name, Soft: value, Hard: value };
}

/**
 * Mounts each path at its own location, except the private directory; paths both readable and writable are writable.
 */
function mountsOf(
  { readable = [], writable = [] }: Command,
  { directory, passwd, copies }: Pick<ContainerPlace, 'directory' | 'passwd' | 'copies'>,
): MountSettings[] {
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
  return [
    bind(directory, INSIDE, false),
    ...(passwd === null ? [] : [bind(passwd, '/etc/passwd', true)]),
    ...[...isReadOnly].map(([path, reads]) => bind(copies.get(path) ?? path, path, reads)),
  ];
}

/**
 * Standard input of the container, which stays open while this server lives. Once it is closed, a background shell
 * kills everything in the container. The braces make the first shell read all of it before it starts.
 */
export function containerScript(command: Command, account: Account | null): string {
  const script = scriptFor(command, { inside: INSIDE, account, stat: 'stat' });
  const watch = '{ while read -r _; do :; done; kill -9 -1; } <&3 >/dev/null 2>&1 3<&- &';
  return `{\nexec 3<&0 </dev/null\n${watch}\nexec 3<&-\n${script}}\n`;
}
