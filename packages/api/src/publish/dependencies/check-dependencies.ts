// Compares the imports of a directory's files with its declared dependencies, before anything is sent.
import path from 'node:path';
import { isObject } from '../../contract/is-object.ts';
import type { Language } from '../../contract/kind-row.ts';
import { textOfBytes } from '../../contract/manifest/text-of-bytes.ts';
import type { BundleFile } from '../collect/bundle-file.ts';
import { BASE_PACKAGES, dependencyNames, parseDescription } from '../manifest/r-description.ts';
import { readSmallBytes } from '../manifest/read-small.ts';
import {
  findChunkImports,
  findNotebookImports,
  findPythonImports,
  findRImports,
  type Import,
} from './find-imports.ts';
import { INCLUDED_IN, PACKAGE_OF, STANDARD_LIBRARY } from './python-modules.ts';
import { packageName, parseRequirements, type Requirement } from './requirements.ts';

export interface NeededPackage extends Import {
  /** Name of the package to install. */
  package: string;
  /** The first file that imports it. */
  file: string;
}

export interface DependencyReport {
  language: Language;
  /** The file that lists packages; null if there is none. */
  listedIn: 'requirements.txt' | 'renv.lock' | 'DESCRIPTION' | null;
  /** All external imports, without duplicates. */
  imported: NeededPackage[];
  /** Imported but not listed. */
  missing: NeededPackage[];
  /** Listed without a version. */
  unpinned: Requirement[];
}

/** Maximum files read; more would delay the publisher. */
const FILES_READ = 300;
const FILE_BYTES = 512 * 1024;
const SOURCE = { Python: /\.(py|ipynb|qmd)$/, R: /\.(r|rmd|qmd)$/i } as const;

/** @param files of the bundle, as collectFiles lists them */
export async function checkDependencies(
  root: string,
  files: readonly BundleFile[],
  language: Language,
): Promise<DependencyReport> {
  const imported = await importedBy(root, files, language);
  if (language === 'R') return checkR(root, imported);
  const text = await textOf(root, 'requirements.txt');
  if (text === undefined) return { language, listedIn: null, imported, missing: imported, unpinned: [] };
  const { packages, includes } = parseRequirements(text);
  const listed = new Set(packages.map(({ name }) => name));
  const has = (item: NeededPackage) =>
    [item.package, item.name, ...(INCLUDED_IN[item.name] ?? [])].some((name) =>
      listed.has(packageName(name)),
    );
  return {
    language,
    listedIn: 'requirements.txt',
    imported,
    missing: includes ? [] : imported.filter((item) => !has(item)),
    unpinned: packages.filter(({ pinned }) => !pinned),
  };
}

async function importedBy(
  root: string,
  files: readonly BundleFile[],
  language: Language,
): Promise<NeededPackage[]> {
  const sources = files.filter(({ path: name, size }) => SOURCE[language].test(name) && size <= FILE_BYTES);
  const own = ownModules(files);
  const found = new Map<string, NeededPackage>();
  for (const { path: file } of sources.slice(0, FILES_READ)) {
    for (const { name, line } of importsOf(file, (await textOf(root, file)) ?? '', language)) {
      const foreign =
        language === 'R' ? !BASE_PACKAGES.has(name) : !STANDARD_LIBRARY.has(name) && !own.has(name);
      if (foreign && !found.has(name))
        found.set(name, { name, package: PACKAGE_OF[name] ?? name, file, line });
    }
  }
  return [...found.values()];
}

function importsOf(file: string, text: string, language: Language): Import[] {
  if (file.endsWith('.py')) return findPythonImports(text);
  if (file.endsWith('.ipynb')) return findNotebookImports(text);
  return language === 'Python' ? findChunkImports(text) : findRImports(text, /\.[rq]md$/i.test(file));
}

/** The bundle's own modules: Python files and folders, at any place. */
function ownModules(files: readonly BundleFile[]): Set<string> {
  const own = new Set<string>();
  for (const { path: file } of files) {
    if (!file.endsWith('.py')) continue;
    for (const part of file.slice(0, -'.py'.length).split('/')) own.add(part);
  }
  return own;
}

async function checkR(root: string, imported: NeededPackage[]): Promise<DependencyReport> {
  const lock = await textOf(root, 'renv.lock');
  const description = lock === undefined ? await textOf(root, 'DESCRIPTION') : undefined;
  const listed = lock === undefined ? describedIn(description) : lockedIn(lock);
  return {
    language: 'R',
    listedIn: lock !== undefined ? 'renv.lock' : description === undefined ? null : 'DESCRIPTION',
    imported,
    missing: imported.filter(({ name }) => !listed.has(name)),
    unpinned: [],
  };
}

function lockedIn(text: string): Set<string> {
  try {
    const parsed: unknown = JSON.parse(text);
    const packages = isObject(parsed) && isObject(parsed.Packages) ? parsed.Packages : {};
    return new Set(Object.keys(packages));
  } catch {
    // Reported when the manifest is written.
    return new Set();
  }
}

function describedIn(text: string | undefined): Set<string> {
  if (text === undefined) return new Set();
  const project = parseDescription(text);
  return new Set(['Depends', 'Imports', 'LinkingTo'].flatMap((field) => dependencyNames(project[field])));
}

async function textOf(root: string, file: string): Promise<string | undefined> {
  const bytes = await readSmallBytes(path.join(root, file)).catch(() => undefined);
  return bytes && textOfBytes(bytes);
}
