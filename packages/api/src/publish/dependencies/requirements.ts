// Names and versions in requirements.txt, and generating one from other files of a project.
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'smol-toml';
import { isObject } from '../../contract/is-object.ts';
import { readSmall } from '../manifest/read-small.ts';
import { linesOfUvLock } from './uv-lock.ts';

export interface Requirement {
  /** Normalised as by PyPI: lower case, with dashes. */
  name: string;
  /** From 1. */
  line: number;
  /** Whether it has an exact version. */
  pinned: boolean;
}

export interface Requirements {
  packages: Requirement[];
  /** Whether it includes other files, whose packages are not listed here. */
  includes: boolean;
}

/** The source of a generated requirements.txt. */
export type RequirementsSource = 'uv.lock' | 'pyproject.toml' | 'imports';

export interface ProposedRequirements {
  from: RequirementsSource;
  /** One requirement each. */
  lines: string[];
}

/** Normalised as by PyPI. */
export function packageName(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-');
}

export function parseRequirements(text: string): Requirements {
  const packages: Requirement[] = [];
  let includes = false;
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.replace(/(^|\s)#.*/s, '').trim();
    if (/^(-r|-c|-e|--requirement|--constraint|--editable)\b/.test(line)) includes = true;
    const [, name] = /^([A-Za-z0-9][A-Za-z0-9._-]*)(?:\s*\[[^\]]*\])?\s*(?:$|[=<>!~@;(])/.exec(line) ?? [];
    if (name !== undefined)
      packages.push({ name: packageName(name), line: index + 1, pinned: /===?|\s@\s/.test(line) });
  }
  return { packages, includes };
}

/**
 * Requirements for a project without a requirements.txt: the versions locked by uv, else the dependencies in
 * pyproject.toml, else the imports of its files, in the versions of its virtual environment if there is one, else of
 * the given one.
 * @param imported names of packages
 * @param environment directory of a Python environment
 */
export async function proposeRequirements(
  root: string,
  imported: readonly string[],
  environment?: string,
): Promise<ProposedRequirements> {
  const locked = lockedByUv(await tomlOf(root, 'uv.lock'));
  if (locked !== undefined) return { from: 'uv.lock', lines: locked };
  const stated = statedInProject(await tomlOf(root, 'pyproject.toml'));
  if (stated !== undefined) return { from: 'pyproject.toml', lines: stated };
  const installed = await installedVersions(root, environment);
  const lines = [...new Set(imported)].toSorted().map((name) => {
    const version = installed.get(packageName(name));
    return version === undefined ? name : `${name}==${version}`;
  });
  return { from: 'imports', lines };
}

/** Undefined if the file does not exist or is unreadable: then the next source is used. */
async function tomlOf(root: string, name: string): Promise<Record<string, unknown> | undefined> {
  try {
    return parse(await readSmall(path.join(root, name)));
  } catch {
    return undefined;
  }
}

/** Undefined for a lock without a project, or with endless dependencies. */
function lockedByUv(lock: Record<string, unknown> | undefined): string[] | undefined {
  if (lock === undefined) return undefined;
  try {
    return linesOfUvLock(lock, 'leave out');
  } catch {
    return undefined;
  }
}

function statedInProject(file: Record<string, unknown> | undefined): string[] | undefined {
  const project = file?.project;
  if (!isObject(project) || !Array.isArray(project.dependencies)) return undefined;
  return project.dependencies.filter((item: unknown) => typeof item === 'string');
}

/** Versions in the project's virtual environment, by name; those in another one count where it lacks a package. */
async function installedVersions(
  root: string,
  environment: string | undefined,
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const homes = ['.venv', 'venv'].map((name) => path.join(root, name));
  for (const home of [...(environment === undefined ? [] : [environment]), ...homes]) {
    const lib = path.join(home, 'lib');
    const versions = await readdir(lib).catch(() => []);
    const folders = [
      ...versions.map((version) => path.join(lib, version, 'site-packages')),
      path.join(home, 'Lib', 'site-packages'),
    ];
    for (const folder of folders) {
      for (const entry of await readdir(folder).catch(() => [])) {
        const [, name, version] = /^(.+?)-([^-]+)\.dist-info$/.exec(entry) ?? [];
        if (name !== undefined && version !== undefined) found.set(packageName(name), version);
      }
    }
  }
  return found;
}

/**
 * The text of a requirements.txt with missing packages added, or generated as by proposeRequirements.
 * @param before undefined if there is none
 * @param missing packages by their names on PyPI
 * @param environment as in proposeRequirements
 */
export async function completeRequirements(
  dir: string,
  before: string | undefined,
  missing: readonly string[],
  environment?: string,
): Promise<ProposedRequirements & { text: string }> {
  const { from, lines } =
    before === undefined
      ? await proposeRequirements(dir, missing, environment)
      : { from: 'imports' as const, lines: missing.toSorted() };
  const kept = before === undefined || before === '' ? [] : [before.trimEnd()];
  return { from, lines, text: [...kept, ...lines].map((line) => `${line}\n`).join('') };
}
