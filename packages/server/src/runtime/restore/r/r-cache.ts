// The cache of installed R packages, and libraries made of links into it. Entries never change.
import { hash } from 'node:crypto';
import { mkdir, readdir, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { flushTree } from '../../../bundles/archive/flush-tree.ts';
import type { Clock } from '../../../platform/clock.ts';
import { ignore } from '../../../platform/errors.ts';
import { collectOutput } from '../../collect-output.ts';
import type { RInstallation } from '../../installations.ts';
import { markUsed } from '../last-use.ts';
import type { Workspace } from '../workspace.ts';
import { readInstalled, type Description } from './r-library.ts';

export interface RCache {
  /** Directory of all packages: readable by whoever uses one. */
  readonly packages: string;
  /** The description of that version, for any linking; null if it is not cached. */
  describe(name: string, version: string): Promise<Description | null>;
  /** Protects all builds of that version from eviction. */
  keep(name: string, version: string): Promise<void>;
  /** The build of that version linked to these versions; null if it is not cached. */
  find(name: string, version: string, versionOf: VersionOf): Promise<CachedPackage | null>;
  /** Copies an installed package into the cache, owned by the server. */
  add(installed: string, description: Description, versionOf: VersionOf): Promise<CachedPackage>;
  /** A library of these packages; the same directory for the same packages. */
  library(packages: readonly CachedPackage[]): Promise<string>;
}

export interface CachedPackage {
  readonly description: Description;
  /** The package itself: contains DESCRIPTION. */
  readonly path: string;
}

/** The version of another package in this set; undefined if it is not in it. */
export type VersionOf = (name: string) => string | undefined;

export interface RCacheOptions {
  readonly workspace: Workspace;
  readonly clock: Clock;
  /** The only content that uses it; null for all. */
  readonly owner: string | null;
  /** Bytes of disk space that stay free. */
  readonly reserve: number;
}

/** @param directory for all R installations of this server; each minor version and platform has its own part. */
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

/** Creates a directory of links to packages, which R accepts as a library. */
export async function linkPackages(directory: string, packages: readonly CachedPackage[]): Promise<void> {
  await mkdir(directory, { mode: 0o755 });
  for (const { description, path } of packages) await symlink(path, join(directory, description.name));
}

/** Code compiled with headers of another package must be recompiled for another version of it. */
function buildName({ linkingTo }: Description, versionOf: VersionOf): string {
  if (linkingTo.length === 0) return 'plain';
  const versions = linkingTo.toSorted().map((name) => `${name}=${versionOf(name) ?? ''}`);
  return `linked-${hash('sha256', versions.join('\n'), 'hex').slice(0, 16)}`;
}

/** If another process was faster, its result is the same. */
async function putInPlace(staged: string, path: string): Promise<void> {
  await rename(staged, path).catch(ignore('ENOTEMPTY', 'EEXIST'));
}
