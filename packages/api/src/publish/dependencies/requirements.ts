// requirements.txt as far as it concerns names and versions, and one made from what a project has instead.
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'smol-toml';
import { isObject } from '../../contract/manifest/parse-manifest.ts';
import { linesOfUvLock } from './uv-lock.ts';

export interface Requirement {
  /** As PyPI compares names: in lower case, with dashes. */
  name: string;
  /** From 1. */
  line: number;
  /** Whether it names one version. */
  pinned: boolean;
}

export interface Requirements {
  packages: Requirement[];
  /** Whether it includes other files, whose packages are not here. */
  includes: boolean;
}

/** What a requirements.txt was made from. */
export type RequirementsSource = 'uv.lock' | 'pyproject.toml' | 'imports';

export interface ProposedRequirements {
  from: RequirementsSource;
  /** One requirement each. */
  lines: string[];
}

/** As PyPI compares names. */
export function packageName(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-');
}

export function parseRequirements(text: string): Requirements {
  const packages: Requirement[] = [];
  let includes = false;
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.replace(/(^|\s)#.*$/, '').trim();
    if (/^(-r|-c|-e|--requirement|--constraint|--editable)\b/.test(line)) includes = true;
    const [, name] = /^([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*(?:$|[=<>!~@;(])/.exec(line) ?? [];
    if (name !== undefined)
      packages.push({ name: packageName(name), line: index + 1, pinned: /===?|\s@\s/.test(line) });
  }
  return { packages, includes };
}

/**
 * Requirements for a project without a requirements.txt: those that uv has locked, else those of pyproject.toml, else
 * what its files import, in the versions of its virtual environment where there is one.
 * @param imported names of packages
 */
export async function proposeRequirements(
  root: string,
  imported: readonly string[],
): Promise<ProposedRequirements> {
  const locked = lockedByUv(await tomlOf(root, 'uv.lock'));
  if (locked !== undefined) return { from: 'uv.lock', lines: locked };
  const stated = statedInProject(await tomlOf(root, 'pyproject.toml'));
  if (stated !== undefined) return { from: 'pyproject.toml', lines: stated };
  const installed = await installedVersions(root);
  const lines = [...new Set(imported)].toSorted().map((name) => {
    const version = installed.get(packageName(name));
    return version === undefined ? name : `${name}==${version}`;
  });
  return { from: 'imports', lines };
}

/** Undefined where there is no such file, or it cannot be read: then the next source is taken. */
async function tomlOf(root: string, name: string): Promise<Record<string, unknown> | undefined> {
  try {
    return parse(await readFile(path.join(root, name), 'utf8'));
  } catch {
    return undefined;
  }
}

/** Undefined for a lock that names no project, or is followed without end. */
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

/** By name, of the project's own virtual environment. */
async function installedVersions(root: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const home of ['.venv', 'venv']) {
    const lib = path.join(root, home, 'lib');
    const versions = await readdir(lib).catch(() => []);
    const folders = [
      ...versions.map((version) => path.join(lib, version, 'site-packages')),
      path.join(root, home, 'Lib', 'site-packages'),
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
 * The text of a requirements.txt with what is missing: added to what is there, else made as by proposeRequirements.
 * @param before undefined where there is none
 * @param missing packages by their names on PyPI
 */
export async function completeRequirements(
  dir: string,
  before: string | undefined,
  missing: readonly string[],
): Promise<ProposedRequirements & { text: string }> {
  const { from, lines } =
    before === undefined
      ? await proposeRequirements(dir, missing)
      : { from: 'imports' as const, lines: missing.toSorted() };
  const kept = before === undefined || before === '' ? [] : [before.trimEnd()];
  return { from, lines, text: [...kept, ...lines].map((line) => `${line}\n`).join('') };
}
