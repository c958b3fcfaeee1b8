// R packages and version for a manifest: from renv.lock, or from DESCRIPTION and the installed packages.
import path from 'node:path';
import { wording } from '../../client/failure-texts.ts';
import { isObject } from '../../contract/is-object.ts';
import type { FilePackage } from '../../contract/manifest/manifest-file.ts';
import { BundleError, systemCode } from '../collect/bundle-error.ts';
import { BUNDLE_TEXTS } from '../problem-texts.ts';
import { parseJson } from './json-position.ts';
import { BASE_PACKAGES, dependencyNames, parseDescription } from './r-description.ts';
import { readSmall } from './read-small.ts';

export interface REnvironment {
  /** R version, if a file names it. */
  version: string | undefined;
  packages: Record<string, FilePackage>;
  warnings: string[];
}

const RECORD = 'Run renv::snapshot() to record versions.';
const CRAN = 'https://cloud.r-project.org';

/**
 * Packages of a project: from renv.lock if there is one, else the dependencies in DESCRIPTION, in the versions found in
 * `libraries` (directories of installed packages). Throws BundleError `lockfile-invalid`.
 */
export async function readREnvironment(
  root: string,
  libraries: readonly string[] | (() => Promise<readonly string[]>),
): Promise<REnvironment> {
  const lock = await readIfThere(path.join(root, 'renv.lock'));
  if (lock !== undefined) return fromLock(lock);
  const description = await readIfThere(path.join(root, 'DESCRIPTION'));
  if (description !== undefined) {
    const directories = typeof libraries === 'function' ? await libraries() : libraries;
    return fromDescription(parseDescription(description), directories);
  }
  return {
    version: undefined,
    packages: {},
    warnings: [
      'There is neither renv.lock nor DESCRIPTION: the server will use the R packages it has. Run renv::snapshot() to record yours.',
    ],
  };
}

function fromLock(text: string): REnvironment {
  const parsed = parseJson(text);
  if (!parsed.ok) {
    throw lockfile(`it is not valid JSON; look at line ${parsed.line}, column ${parsed.column}`);
  }
  if (!isObject(parsed.value)) throw lockfile('it must be a JSON object');
  const { R: r, Packages: records } = parsed.value;
  if (records !== undefined && !isObject(records)) throw lockfile('"Packages" must be an object');
  const repositories = repositoriesOf(isObject(r) ? r.Repositories : undefined);
  const warnings: string[] = [];
  const packages: Record<string, FilePackage> = {};
  for (const [name, record] of Object.entries(records ?? {}).toSorted(byName)) {
    if (!isObject(record) || typeof record.Version !== 'string')
      throw lockfile(`the entry of ${name} has no "Version"`);
    if (BASE_PACKAGES.has(name)) continue;
    const entry = lockedPackage(name, record, repositories);
    if (entry === undefined) {
      warnings.push(
        `${name} comes from ${String(record.Source)} in renv.lock, where the server cannot get it.`,
      );
    } else packages[name] = entry;
  }
  return {
    version: isObject(r) && typeof r.Version === 'string' ? r.Version : undefined,
    packages,
    warnings,
  };
}

/** The source of a locked package decides `Source`; undefined for a source that exists only on this machine. */
function lockedPackage(
  name: string,
  record: Record<string, unknown>,
  repositories: ReadonlyMap<string, string>,
): FilePackage | undefined {
  const description: Record<string, string> = { Package: name };
  for (const [key, value] of Object.entries(record)) {
    if (key === 'Hash' || key === 'Requirements' || key === 'Source') continue;
    // Newer lock files have whole DESCRIPTION fields, some of them as lists.
    if (typeof value === 'string') description[key] = value;
    else if (Array.isArray(value)) description[key] = value.map(String).join(', ');
  }
  const text = (key: string): string => (typeof record[key] === 'string' ? record[key] : '');
  const source = text('Source');
  const remote = text('RemoteType').toLowerCase() || source.toLowerCase();
  if (remote === 'github' || remote === 'gitlab' || remote === 'bitbucket') {
    const host = { github: 'github.com', gitlab: 'gitlab.com', bitbucket: 'bitbucket.org' }[remote];
    const prefix = { github: 'Github', gitlab: 'Gitlab', bitbucket: 'Bitbucket' }[remote];
    return {
      Source: remote,
      Repository: `https://${host}/${text('RemoteUsername')}/${text('RemoteRepo')}`,
      [`${prefix}Username`]: text('RemoteUsername'),
      [`${prefix}Repo`]: text('RemoteRepo'),
      [`${prefix}Ref`]: text('RemoteRef'),
      ...(prefix === 'Github' ? { GithubSHA1: text('RemoteSha') } : {}),
      description,
    };
  }
  if (source === 'Bioconductor') {
    return { Source: 'Bioconductor', Repository: 'https://bioconductor.org/packages', description };
  }
  // Old lock files have "CRAN" as Source; "standard" remotes come from a repository as well.
  if (source !== 'Repository' && source !== 'CRAN') return undefined;
  const named = text('Repository');
  const url = /^https?:\/\//.test(named)
    ? named
    : (repositories.get(named) ?? repositories.values().next().value);
  return { Source: named === '' || url === named ? 'CRAN' : named, Repository: url ?? CRAN, description };
}

async function fromDescription(
  project: Record<string, string>,
  libraries: readonly string[],
): Promise<REnvironment> {
  const wanted = new Set(
    ['Depends', 'Imports', 'LinkingTo'].flatMap((field) => dependencyNames(project[field])),
  );
  const packages: Record<string, FilePackage> = {};
  const missing: string[] = [];
  // The set grows during iteration: dependencies of installed packages are needed, too.
  for (const name of wanted) {
    if (BASE_PACKAGES.has(name)) continue;
    const description = await installedDescription(name, libraries);
    if (description === undefined) {
      missing.push(name);
      continue;
    }
    const repository = description.Repository;
    const remote = description.RemoteType === 'github';
    packages[name] = {
      Source: remote ? 'github' : repository === undefined || repository === '' ? 'CRAN' : repository,
      Repository: remote
        ? `https://github.com/${description.RemoteUsername ?? ''}/${description.RemoteRepo ?? ''}`
        : CRAN,
      description,
    };
    for (const field of ['Depends', 'Imports', 'LinkingTo']) {
      for (const dependency of dependencyNames(description[field])) wanted.add(dependency);
    }
  }
  const warnings =
    missing.length === 0
      ? []
      : [
          libraries.length === 0
            ? `R was not found here, so the versions of what DESCRIPTION needs are not recorded: the server will use its own. ${RECORD}`
            : `DESCRIPTION needs ${missing.toSorted().join(', ')}, not installed here: the server will use its own version, if it has one. ${RECORD}`,
        ];
  return {
    version: undefined,
    packages: Object.fromEntries(Object.entries(packages).toSorted(byName)),
    warnings,
  };
}

async function installedDescription(
  name: string,
  libraries: readonly string[],
): Promise<Record<string, string> | undefined> {
  for (const library of libraries) {
    const text = await readIfThere(path.join(library, name, 'DESCRIPTION'));
    if (text === undefined) continue;
    const fields = parseDescription(text);
    if (fields.Package === name && fields.Version !== undefined) return fields;
  }
  return undefined;
}

function repositoriesOf(value: unknown): Map<string, string> {
  const found = new Map<string, string>();
  for (const entry of Array.isArray(value) ? value : []) {
    if (isObject(entry) && typeof entry.Name === 'string' && typeof entry.URL === 'string') {
      found.set(entry.Name, entry.URL);
    }
  }
  return found;
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readSmall(file);
  } catch (error) {
    if (error instanceof BundleError) throw error;
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new BundleError('unreadable', wording(BUNDLE_TEXTS.unreadablePackage, file, code ?? 'error'), {
      paths: [file],
      cause: error,
    });
  }
}

function byName(a: [string, unknown], b: [string, unknown]): number {
  return a[0] < b[0] ? -1 : 1;
}

function lockfile(what: string): BundleError {
  return new BundleError('lockfile-invalid', wording(BUNDLE_TEXTS.lockfile, what), { paths: ['renv.lock'] });
}
