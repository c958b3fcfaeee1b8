// The confining programs, by absolute path: looked up once, in places where only root can put a program.
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface Tools {
  readonly sh: string;
  readonly bwrap: string | null;
  readonly setpriv: string | null;
  readonly prlimit: string | null;
  readonly du: string | null;
  readonly stat: string | null;
  readonly mkfifo: string | null;
}

const DIRECTORIES = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin'];

export function findTools(directories: readonly string[] = DIRECTORIES): Tools {
  const find = (name: string) => findTool(name, directories);
  return {
    sh: find('sh') ?? '/bin/sh',
    bwrap: find('bwrap'),
    setpriv: find('setpriv'),
    prlimit: find('prlimit'),
    du: find('du'),
    stat: find('stat'),
    mkfifo: find('mkfifo'),
  };
}

/** Null if there is none that only root could have written. */
export function findTool(name: string, directories: readonly string[] = DIRECTORIES): string | null {
  for (const directory of directories) {
    const file = join(directory, name);
    try {
      accessSync(file, constants.X_OK);
      const real = realpathSync(file);
      if ([directory, dirname(real), real].every(isRootsAlone)) return file;
    } catch {
      // Try the next directory.
    }
  }
  return null;
}

function isRootsAlone(path: string): boolean {
  const { uid, gid, mode } = statSync(path);
  return uid === 0 && (mode & 0o002) === 0 && (gid === 0 || (mode & 0o020) === 0);
}
