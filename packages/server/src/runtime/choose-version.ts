// Chooses the installation of a language for a bundle: by the version in its manifest, and a policy.
import { errors, meetsRequirement, parseVersionRequirement, type Manifest } from '@pressroom/api/contract';
import type { Installation } from './installations.ts';
import type { Language } from './kinds/engine.ts';
import { compareVersions } from './restore/versions.ts';

/** What substitutes a missing version: the nearest one, one with the same major and minor number, or none. */
export type VersionMatching = 'nearest' | 'major-minor' | 'exact';

export interface VersionRequest {
  readonly language: Language;
  /** From the manifest; null for any. */
  readonly version: string | null;
  /** Such as ">=3.10"; takes precedence over the policy, because the project itself says what it accepts. */
  readonly requires: string | null;
}

export function requestOf({ platform, python, requires }: Manifest, language: Language): VersionRequest {
  return language === 'R'
    ? { language, version: platform, requires: requires?.r ?? null }
    : { language, version: python?.version ?? null, requires: requires?.python ?? null };
}

/**
 * @param installed the first one is for bundles without a version; not empty.
 * @throws ApiError 39 if none matches: with the requested version, the available ones, and a remedy.
 */
export function chooseInstallation<T extends Installation>(
  installed: readonly T[],
  request: VersionRequest,
  policy: VersionMatching,
): T {
  const wanted = numbersOf(request.version);
  const requirement = request.requires === null ? null : parseVersionRequirement(request.requires);
  if (requirement === null) {
    const found = wanted === null ? installed[0] : nearest(installed, wanted, policy);
    return found ?? refuse(installed, `${request.language} ${wanted}`, request.language, policy);
  }
  const fitting = installed.filter(({ version }) => meetsRequirement(version, requirement));
  const found = wanted === null ? fitting[0] : nearest(fitting, wanted, 'nearest');
  return found ?? refuse(installed, `${request.language} ${request.requires}`, request.language, null);
}

/**
 * The same version; else, with the same major and minor number, the next newer one or the newest; else the next newer
 * one; else the newest.
 */
function nearest<T extends Installation>(
  installed: readonly T[],
  wanted: string,
  policy: VersionMatching,
): T | undefined {
  const isNewer = ({ version }: T) => compareVersions(version, wanted) >= 0;
  const parts = wanted.split('.').length;
  const from = installed.toSorted((a, b) => compareVersions(a.version, b.version));
  const isSame = ({ version }: T) => beginning(version, parts) === wanted;
  // "3.11" alone means any 3.11, and the newest is taken; "3" means any version.
  const same = parts === 1 ? installed.find(isSame) : from.findLast(isSame);
  if (same !== undefined || policy === 'exact') return same;
  const alike = from.filter(({ version }) => beginning(version, 2) === beginning(wanted, 2));
  const minor = alike.find(isNewer) ?? alike.at(-1);
  if (minor !== undefined || policy === 'major-minor') return minor;
  return from.find(isNewer) ?? from.at(-1);
}

const beginning = (version: string, parts: number) => version.split('.').slice(0, parts).join('.');

/** Null for text without a version: publishing tools write anything. */
function numbersOf(version: string | null): string | null {
  return /\d{1,6}(\.\d{1,6}){0,3}/.exec(version ?? '')?.[0] ?? null;
}

function refuse(
  installed: readonly Installation[],
  wanted: string,
  language: Language,
  policy: VersionMatching | null,
): never {
  const versions = installed.map(({ version }) => version).join(', ');
  const setting = `${language}.VersionMatching`;
  const either =
    policy === null ? '' : `, or set ${setting} to ${policy === 'exact' ? 'major-minor or ' : ''}nearest`;
  throw errors.actionNotSupported({
    message:
      `the bundle asks for ${wanted}, and this server has ${versions}: publish it with one of these versions, ` +
      `or ask an administrator to install ${wanted} (${language}.Executable)${either}`,
  });
}
