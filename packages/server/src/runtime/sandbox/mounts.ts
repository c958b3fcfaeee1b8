// What a confined process sees of the file system.
import { existsSync, realpathSync, statSync } from 'node:fs';
import { lstat, readlink } from 'node:fs/promises';
import { dirname } from 'node:path';

/** System directories that every process may read, if they exist; /etc without secrets. */
const SYSTEM = [
  '/usr',
  '/etc',
  '/opt',
  '/var/lib/dpkg',
  // Formats of TeX: reports in PDF.
  '/var/lib/texmf',
  '/var/cache/fontconfig',
  '/run/systemd/resolve',
];
const LINKS = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];

/** Whether every confined process sees a path. */
export function isOfSystem(path: string): boolean {
  return [...SYSTEM, ...LINKS].some((shown) => path === shown || path.startsWith(`${shown}/`));
}

/** bubblewrap arguments for the system: readable programs, devices, an own /proc. */
export async function systemMounts(): Promise<string[]> {
  const present = SYSTEM.filter((path) => existsSync(path));
  const mounts = mountsAt('--ro-bind', present);
  for (const path of LINKS) {
    const stat = await lstat(path).catch(() => null);
    if (stat?.isSymbolicLink()) mounts.push('--symlink', await readlink(path), path);
    else if (stat?.isDirectory()) mounts.push('--ro-bind', path, path);
  }
  return [...mounts, '--proc', '/proc', '--dev', '/dev', '--perms', '1777', '--tmpfs', '/dev/shm'];
}

/** Binds paths at their own location, below directories that everybody may enter. */
export function mountsAt(how: '--ro-bind' | '--bind', paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    const parents = dirname(path).split('/').slice(1);
    const above = parents.map((_, i) => `/${parents.slice(0, i + 1).join('/')}`).filter((dir) => dir !== '/');
    return [...above.flatMap((dir) => ['--perms', '0755', '--dir', dir]), how, path, path];
  });
}

/**
 * Hides paths below visible system directories: a data directory in /opt, a settings file in /etc. Of a symbolic link,
 * that is what it leads to: newer versions of bubblewrap mount nothing over a link.
 */
export function hidingMounts(paths: readonly string[]): string[] {
  const real = paths.filter((path) => existsSync(path)).map((path) => realpathSync(path));
  const visible = real.filter((path) => SYSTEM.some((shown) => path.startsWith(`${shown}/`)));
  return visible.flatMap((path) =>
    statSync(path).isDirectory() ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path],
  );
}
