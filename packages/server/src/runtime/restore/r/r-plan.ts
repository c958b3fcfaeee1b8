// Decides version and source of each R package in a manifest.
import { errors, type ApiError, type ManifestPackage } from '@pressroom/api/contract';
import { compareVersions, isVersion } from '../versions.ts';
import { isPackageName, type Description } from './r-library.ts';
import type { RRepository } from './r-repository.ts';

export type PackagePolicy = 'exact' | 'at-least';

export interface Wanted {
  readonly name: string;
  /** Null for any. */
  readonly version: string | null;
  /** The publisher's source, if it is no repository: "github". */
  readonly origin?: string;
}

/** The packages of a manifest, without those of R itself. @throws ApiError 38 */
export function wantedPackages(
  packages: Readonly<Record<string, ManifestPackage>>,
  installed: ReadonlyMap<string, Description>,
): Wanted[] {
  const wanted: Wanted[] = [];
  for (const [name, { Source, description }] of Object.entries(packages)) {
    if (!isPackageName(name))
      throw unusable(`${JSON.stringify(name.slice(0, 80))} is no name of an R package`);
    if (name === 'R' || installed.get(name)?.base) continue;
    const version = description.Version ?? null;
    if (version !== null && (typeof version !== 'string' || !isVersion(version)))
      throw unusable(`the version of the R package ${name} is no version`);
    const origin =
      Source !== null && /^(github|gitlab|bitbucket|git|url|local)$/i.test(Source) ? Source : null;
    wanted.push({ name, version, ...(origin !== null && { origin }) });
  }
  return wanted.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function unusable(problem: string): ApiError {
  return errors.invalidManifest({ message: `the manifest cannot be used: ${problem}` });
}

export function satisfies(version: string, wanted: string | null, policy: PackagePolicy): boolean {
  if (wanted === null) return true;
  const difference = compareVersions(version, wanted);
  return policy === 'exact' ? difference === 0 : difference >= 0;
}

/** Chooses a version from the cache or the repository. @throws ApiError 1 if none matches. */
export async function chooseVersion<T>(
  { name, version: wanted, origin }: Wanted,
  options: {
    readonly policy: PackagePolicy;
    readonly installed: Description | undefined;
    readonly repository: RRepository | null;
    readonly signal: AbortSignal;
    /** Looks up exactly this version; null if it is unavailable. */
    readonly look: (version: string) => Promise<T | null>;
  },
): Promise<T> {
  const { policy, installed, repository, signal, look } = options;
  const same = wanted === null ? null : await look(wanted);
  if (same !== null) return same;
  const current = (await repository?.current(name, signal)) ?? null;
  const other = current !== null && satisfies(current, wanted, policy) ? await look(current) : null;
  if (other !== null) return other;
  const found = [
    installed && `the server has ${installed.version}`,
    current !== null && `the repository has ${current}`,
  ].filter(Boolean);
  const where = repository
    ? `neither on this server nor in ${repository.address}`
    : 'not on this server, and no repository is set (R.Repository)';
  throw errors.internal({
    message: `Package ${name}${wanted === null ? '' : ` (${wanted})`} is not available: ${found.join(', ') || where}${origin ? ` (its publisher installed it from ${origin})` : ''}`,
    payload: { package: name, wanted, found: current ?? installed?.version ?? null },
  });
}
