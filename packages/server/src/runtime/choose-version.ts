// Which of several installations of a language a bundle gets: by the version that its manifest names, and a policy.
import { errors, meetsRequirement, parseVersionRequirement, type Manifest } from '@pressroom/api/contract';
import type { Installation } from './installations.ts';
import type { Language } from './kinds/engine.ts';
import { compareVersions } from './restore/versions.ts';

/** What will do for a version that is not there: the nearest one, one with the same two first numbers, or none. */
export type VersionMatching = 'nearest' | 'major-minor' | 'exact';

export interface VersionRequest {
  readonly language: Language;
  /** As the manifest names it; null for any. */
  readonly version: string | null;
  /** Such as ">=3.10"; it goes over the policy, because the project says itself what will do. */
  readonly requires: string | null;
}

export function requestOf({ platform, python, requires }: Manifest, language: Language): VersionRequest {
  return language === 'R'
    ? { language, version: platform, requires: requires?.r ?? null }
    : { language, version: python?.version ?? null, requires: requires?.python ?? null };
}

/**
 * @param installed the first one is for bundles that name no version; not empty.
 * @throws ApiError 39 where none will do: which is asked, which there are, and what to do.
 */
export function chooseInstallation<T extends Installation>(
  installed: readonly T[],
  asked: VersionRequest,
  policy: VersionMatching,
): T {
  const wanted = numbersOf(asked.version);
  const requirement = asked.requires === null ? null : parseVersionRequirement(asked.requires);
  if (requirement === null) {
    const found = wanted === null ? installed[0] : nearest(installed, wanted, policy);
    return found ?? refuse(installed, `${asked.language} ${wanted}`, asked.language, policy);
  }
  const fitting = installed.filter(({ version }) => meetsRequirement(version, requirement));
  const found = wanted === null ? fitting[0] : nearest(fitting, wanted, 'nearest');
  return found ?? refuse(installed, `${asked.language} ${asked.requires}`, asked.language, null);
}

/** The same version; the next newer one, then the newest, with the same two first numbers; the next newer one; the newest. */
function nearest<T extends Installation>(
  installed: readonly T[],
  wanted: string,
  policy: VersionMatching,
): T | undefined {
  const isNewer = ({ version }: T) => compareVersions(version, wanted) >= 0;
  const parts = wanted.split('.').length;
  const from = installed.toSorted((a, b) => compareVersions(a.version, b.version));
  const isSame = ({ version }: T) => beginning(version, parts) === wanted;
  // "3.11" alone is every 3.11, of which the newest is taken; "3" says nothing.
  const same = parts === 1 ? installed.find(isSame) : from.findLast(isSame);
  if (same !== undefined || policy === 'exact') return same;
  const alike = from.filter(({ version }) => beginning(version, 2) === beginning(wanted, 2));
  const minor = alike.find(isNewer) ?? alike.at(-1);
  if (minor !== undefined || policy === 'major-minor') return minor;
  return from.find(isNewer) ?? from.at(-1);
}

const beginning = (version: string, parts: number) => version.split('.').slice(0, parts).join('.');

/** Null where a text names no version: publishing tools write what they like. */
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
