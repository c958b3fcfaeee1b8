// Restores the R packages in a manifest: the server's own, from the cache, or newly installed.
import { link, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errors, type Manifest } from '@pressroom/api/contract';
import type { Clock } from '../../../platform/clock.ts';
import type { LimitByTurns } from '../../../platform/limit-by-turns.ts';
import type { RInstallation } from '../../installations.ts';
import type { Environment } from '../../kinds/engine.ts';
import type { Launcher } from '../../sandbox/launcher.ts';
import type { Exclusive } from '../last-use.ts';
import { pathTo } from '../path-to.ts';
import { createShared, type Waiter } from '../share.ts';
import type { Workspace } from '../workspace.ts';
import { createRCache, type CachedPackage } from './r-cache.ts';
import { installSource, readSource } from './r-install.ts';
import { readLibraries, type Description } from './r-library.ts';
import { chooseVersion, satisfies, wantedPackages, type PackagePolicy, type Wanted } from './r-plan.ts';
import type { RRepository } from './r-repository.ts';

export interface RRestorerOptions {
  readonly launcher: Launcher;
  readonly directory: string;
  readonly workspace: Workspace;
  readonly r: RInstallation;
  readonly repository: RRepository | null;
  readonly policy: PackagePolicy;
  /** The content whose own repositories these are: their packages are not shared. */
  readonly owner: string | null;
  readonly limit: LimitByTurns;
  /** Bytes of disk space that stay free. */
  readonly reserve: number;
  readonly exclusively: Exclusive;
  readonly clock: Clock;
}

/** A bundle's .Rprofile may start renv, which would hide the restored packages and install its own. */
const NO_RENV = { RENV_CONFIG_AUTOLOADER_ENABLED: 'FALSE' };
/** Maximum packages of a set, including dependencies. */
const MAX_PACKAGES = 2000;

export interface RRestorer {
  /** @param content whose turn it is */
  restore(manifest: Manifest, content: string, waiter: Waiter): Promise<Environment>;
}

/** A package that is not the server's own: its source, or its place in the cache. */
interface Chosen {
  readonly description: Description;
  readonly source: string | null;
}

export function createRRestorer(options: RRestorerOptions): RRestorer {
  const { launcher, workspace, r, repository, policy, limit, exclusively } = options;
  const cache = createRCache(options.directory, r, options);
  const { share, isRunning } = createShared<CachedPackage>();

  /** Chooses the packages: those in the manifest, and their unlisted dependencies. */
  async function choose(
    wanted: readonly Wanted[],
    system: ReadonlyMap<string, Description>,
    downloads: string,
    { print, signal }: Waiter,
  ): Promise<Map<string, Chosen>> {
    const chosen = new Map<string, Chosen>();
    const seen = new Set(wanted.map(({ name }) => name));
    const open = [...wanted];
    for (let next = open.shift(); next; next = open.shift()) {
      signal.throwIfAborted();
      const { name, version } = next;
      const installed = system.get(name);
      if (installed && satisfies(installed.version, version, policy)) continue;
      const file = join(downloads, `${name}.tar.gz`);
      const look = async (candidate: string): Promise<Chosen | null> => {
        const cached = await cache.describe(name, candidate);
        if (cached) return { description: cached, source: null };
        if (!(await repository?.download(name, candidate, file, signal))) return null;
        return { description: await readSource(file, name, signal), source: file };
      };
      const choice = await chooseVersion(next, { policy, installed, repository, signal, look });
      const { description } = choice;
      chosen.set(name, choice);
      for (const need of description.needs) {
        if (seen.has(need) || system.get(need)) continue;
        seen.add(need);
        print(`${name} needs ${need}, which the manifest does not list`);
        open.push({ name: need, version: null });
      }
      if (seen.size > MAX_PACKAGES)
        throw errors.invalidManifest({ message: `more than ${MAX_PACKAGES} R packages` });
    }
    return chosen;
  }

  /** Installs or links all packages, each after its dependencies. */
  async function obtain(
    chosen: ReadonlyMap<string, Chosen>,
    system: ReadonlyMap<string, Description>,
    content: string,
    waiter: Waiter,
  ): Promise<{ packages: CachedPackage[]; installed: number }> {
    const versionOf = (name: string) => chosen.get(name)?.description.version ?? system.get(name)?.version;
    const found = new Map<string, Promise<CachedPackage>>();
    const failed = new AbortController();
    const signal = AbortSignal.any([waiter.signal, failed.signal]);
    let installed = 0;

    function get(name: string, above: readonly string[]): Promise<CachedPackage> {
      const known = found.get(name);
      if (known) return known;
      const getting = obtainOne(name, [...above, name]);
      getting.catch((error: unknown) => failed.abort(error));
      found.set(name, getting);
      return getting;
    }

    async function obtainOne(name: string, above: readonly string[]): Promise<CachedPackage> {
      const { description, source } = chosen.get(name)!;
      const { version } = description;
      const needs = description.needs.filter((need) => chosen.has(need));
      const circle = needs.find((need) => above.includes(need));
      if (circle) throw errors.internal({ message: `Packages ${name} and ${circle} depend on each other` });
      const own = await Promise.all(needs.map((need) => get(need, above)));
      const cached = await cache.find(name, version, versionOf);
      if (cached) return cached;
      const all = await closure(own, found);
      const key = [name, version, ...all.map(({ path }) => path).toSorted()].join('\n');
      const build = () =>
        share(key, { print: waiter.print, signal }, async (building) => {
          const made = await cache.find(name, version, versionOf);
          if (made) return made;
          await using work = await workspace.open();
          const file = join(work.path, `${name}.tar.gz`);
          await keepSource(source, file, description, building.signal);
          const take = (path: string) => cache.add(path, description, versionOf);
          const options = { r, launcher, workspace, packages: cache.packages, waiter: building, take };
          const result = await installSource({ file, description }, all, options);
          installed += 1;
          return result;
        });
      // Of all content that needs it, the first to have a turn builds it; others wait for that without taking a turn.
      if (isRunning(key)) return build();
      const turn = async () => (isRunning(key) ? null : build());
      return (await limit(content, turn, signal)) ?? build();
    }

    const results = await Promise.allSettled([...chosen.keys()].map((name) => get(name, [])));
    waiter.signal.throwIfAborted();
    if (failed.signal.aborted) throw failed.signal.reason;
    const packages = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    return { packages, installed };
  }

  /** The source is missing if the cache has the package with other linking, or the download was aborted. */
  async function keepSource(
    source: string | null,
    file: string,
    { name, version }: Description,
    signal: AbortSignal,
  ): Promise<void> {
    const kept =
      source !== null &&
      (await link(source, file).then(
        () => true,
        () => false,
      ));
    if (kept || (await repository?.download(name, version, file, signal))) return;
    throw errors.internal({
      message: `Package ${name} (${version}) is not available: the repository no longer has it`,
      payload: { package: name, wanted: version, found: null },
    });
  }

  return {
    async restore(manifest, content, waiter) {
      const { print } = waiter;
      const plain: Environment = {
        language: 'R',
        version: r.version,
        file: r.file,
        env: { ...NO_RENV, ...pathTo(r.file) },
        readable: [],
        ...(r.readable.length > 0 && { interpreter: r.readable }),
        ...(r.image !== undefined && { image: r.image }),
      };
      const system = r.packages
        ? new Map(r.packages.map((one) => [one.name, one]))
        : await readLibraries(r.libraries);
      const wanted = wantedPackages((manifest.unmanaged?.r ? null : manifest.packages) ?? {}, system);
      if (wanted.length === 0) return plain;
      await mkdir(cache.packages, { recursive: true, mode: 0o755 });
      await using downloads = await workspace.open();
      const chosen = await choose(wanted, system, downloads.path, waiter);
      // Anything evicted until now is installed again; from now on nothing is evicted.
      await exclusively(async () => {
        for (const [name, { description }] of chosen) await cache.keep(name, description.version);
      });
      const { packages, installed } = await obtain(chosen, system, content, waiter);
      const cached = packages.length - installed;
      const own = wanted.filter(({ name }) => !chosen.has(name)).length;
      print(`R packages: ${own} from the server's library, ${cached} from the cache, ${installed} installed`);
      if (packages.length === 0) return plain;
      const library = await cache.library(packages);
      return { ...plain, env: { ...plain.env, R_LIBS: library }, readable: [library, cache.packages] };
    },
  };
}

/** Packages with all dependencies that are not the server's own. */
async function closure(
  packages: readonly CachedPackage[],
  found: ReadonlyMap<string, Promise<CachedPackage>>,
): Promise<CachedPackage[]> {
  const all = new Map<string, CachedPackage>();
  const open = [...packages];
  for (let next = open.pop(); next; next = open.pop()) {
    if (all.has(next.description.name)) continue;
    all.set(next.description.name, next);
    for (const need of next.description.needs) {
      const other = await found.get(need);
      if (other) open.push(other);
    }
  }
  return [...all.values()];
}
