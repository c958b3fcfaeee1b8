// The cache of installed R packages, and libraries made of links into it. What is in it never changes.
import { hash } from 'node:crypto';
import { mkdir, readdir, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { flushTree } from '../../bundles/archive/flush-tree.ts';
import type { Clock } from '../../platform/clock.ts';
import { collectOutput } from '../collect-output.ts';
import type { RInstallation } from '../installations.ts';
import { markUsed } from './last-use.ts';
import { readInstalled, type Description } from './r-library.ts';
import type { Workspace } from './workspace.ts';

export interface RCache {
  /** All packages: whoever uses one of them must be able to read it. */
  readonly packages: string;
  /** What that version says of itself, linked to whatever; null when it is not there. */
  describe(name: string, version: string): Promise<Description | null>;
  /** Keeps all there is of that version from being evicted. */
  keep(name: string, version: string): Promise<void>;
  /** Where that version is when it was linked to these versions; null when it is not. */
  find(name: string, version: string, versionOf: VersionOf): Promise<CachedPackage | null>;
  /** Takes over an installed package: its files become the server's own. */
  add(installed: string, description: Description, versionOf: VersionOf): Promise<CachedPackage>;
  /** A library with these packages, the same directory for the same packages. */
  library(packages: readonly CachedPackage[]): Promise<string>;
}

export interface CachedPackage {
  readonly description: Description;
  /** The package itself: DESCRIPTION is in it. */
  readonly path: string;
}

/** The version of another package that this set of packages has; undefined when it has none. */
export type VersionOf = (name: string) => string | undefined;

export interface RCacheOptions {
  readonly workspace: Workspace;
  readonly clock: Clock;
  /** The content that alone uses it; null for all. */
  readonly owner: string | null;
  /** Bytes of the disk that stay free. */
  readonly reserve: number;
}

/** @param directory for every R of this server; each minor version and platform has its own part. */
export function createRCache(directory: string, r: RInstallation, options: RCacheOptions): RCache {
  const { workspace, clock, owner, reserve } = options;
  const minor = r.version.split('.').slice(0, 2).join('.');
  const root = join(directory, minor, owner === null ? r.platform : `${r.platform}@${owner}`);
  const packages = join(root, 'packages');
  const libraries = join(root, 'libraries');

  async function find(name: string, version: string, versionOf: VersionOf): Promise<CachedPackage | null> {
    const builds = join(packages, name, version);
    for (const build of await readdir(builds).catch(() => [])) {
      const path = join(builds, build, name);
      const description = await readInstalled(path);
      if (description && buildName(description, versionOf) === build) return { description, path };
    }
    return null;
  }

  return {
    packages,
    find,
    async describe(name, version) {
      for (const build of await readdir(join(packages, name, version)).catch(() => [])) {
        const description = await readInstalled(join(packages, name, version, build, name));
        if (description) return description;
      }
      return null;
    },
    async keep(name, version) {
      const builds = join(packages, name, version);
      for (const build of await readdir(builds).catch(() => [])) {
        await markUsed(join(builds, build), clock.now());
      }
    },
    async add(installed, description, versionOf) {
      const { name, version } = description;
      const builds = join(packages, name, version);
      const build = buildName(description, versionOf);
      await using staging = await workspace.open();
      const staged = join(staging.path, build);
      await mkdir(staged, { mode: 0o755 });
      const { files } = await collectOutput(installed, join(staged, name), { reserve });
      await flushTree(staged, files);
      await mkdir(builds, { recursive: true, mode: 0o755 });
      await markUsed(staged, clock.now());
      await putInPlace(staged, join(builds, build));
      return { description, path: join(builds, build, name) };
    },
    async library(list) {
      const links = list.toSorted((a, b) => (a.path < b.path ? -1 : 1));
      const library = join(
        libraries,
        hash('sha256', links.map(({ path }) => path).join('\n'), 'hex').slice(0, 32),
      );
      await mkdir(libraries, { recursive: true, mode: 0o755 });
      await using staging = await workspace.open();
      const staged = join(staging.path, 'library');
      await linkPackages(staged, links);
      await markUsed(staged, clock.now());
      await putInPlace(staged, library);
      return library;
    },
  };
}

/** Makes a directory of links to packages, which R takes for a library. */
export async function linkPackages(directory: string, packages: readonly CachedPackage[]): Promise<void> {
  await mkdir(directory, { mode: 0o755 });
  for (const { description, path } of packages) await symlink(path, join(directory, description.name));
}

/** Code compiled with the headers of another package must be compiled again for another version of that. */
function buildName({ linkingTo }: Description, versionOf: VersionOf): string {
  if (linkingTo.length === 0) return 'plain';
  const versions = linkingTo.toSorted().map((name) => `${name}=${versionOf(name) ?? ''}`);
  return `linked-${hash('sha256', versions.join('\n'), 'hex').slice(0, 16)}`;
}

/** Whoever came first made the same. */
async function putInPlace(staged: string, path: string): Promise<void> {
  await rename(staged, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
}
