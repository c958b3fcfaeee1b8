// manifest.json of a bundle: parsed, checked, and flattened to what the server uses (contract, section 4.3).
import { isUtf8 } from 'node:buffer';
import { wireAppMode } from './app-mode.ts';
import { PARSED_AT_ONCE, reduceManifest } from './manifest-worker.ts';
import { badManifest, quoteName } from './refusals.ts';

/** An R package as its publisher had it. */
export interface ManifestPackage {
  /** Where it came from: "CRAN", "Bioconductor", "github" …; null when not told. */
  Source: string | null;
  Repository: string | null;
  /** Of the fields of its DESCRIPTION file, those that the server reads. */
  description: { Version?: unknown };
}

/** The Python a bundle was made with. */
export interface ManifestPython {
  version: string;
  package_manager: { name: string | null; version: string | null; package_file: string | null };
}

/** The parts of manifest.json (version 1) that the server uses; keys it does not know are ignored. */
export interface Manifest {
  version: 1;
  /** As written; `wireAppMode` gives the contract's app_mode. */
  appmode: string;
  /** Top-level file names, without "./"; null when not given. */
  primary_rmd: string | null;
  primary_html: string | null;
  /** "module:object" for Python APIs, a file for notebooks; null when not given. */
  entrypoint: string | null;
  /** Empty when not given. */
  content_category: string;
  has_parameters: boolean;
  /** R version the bundle was made with; null when R is not used. */
  platform: string | null;
  locale: string | null;
  packages: Record<string, ManifestPackage> | null;
  python: ManifestPython | null;
  /** Path → checksum record. May list files that the archive lacks. */
  files: Record<string, unknown> | null;
}

type Json = Record<string, unknown>;

/** Characters of a text that the manifest gives: a name, a version, a path. */
const MAX_TEXT = 1024;
/** Packages that are listed; twice as many as are restored. */
const MAX_PACKAGES = 4000;

/** The same for a manifest of any size, off the event loop where it is large. @throws ApiError 38 */
export async function readManifest(bytes: Uint8Array): Promise<Manifest> {
  if (bytes.length <= PARSED_AT_ONCE) return parseManifest(bytes);
  if (!isUtf8(bytes)) throw badManifest('manifest.json is not UTF-8 text');
  return parseManifest(Buffer.from(await reduceManifest(bytes)));
}

/**
 * Reads manifest.json.
 * @param bytes the file as it is in the archive; a UTF-8 byte order mark is skipped.
 * @throws ApiError 38 saying what is wrong.
 */
export function parseManifest(bytes: Uint8Array): Manifest {
  const root = parseObject(bytes);
  if (root.version !== 1) {
    throw badManifest(root.version === undefined ? 'it has no version' : `its version is not 1`);
  }
  const metadata = root.metadata;
  if (!isObject(metadata)) throw badManifest('it has no metadata object');
  const appmode = metadata.appmode;
  if (appmode === undefined || appmode === null) throw badManifest('it has no metadata.appmode');
  if (typeof appmode !== 'string') throw badManifest('metadata.appmode is not a string');
  wireAppMode(appmode);
  const entrypoint = optionalString(metadata, 'entrypoint', 'metadata.');
  return {
    version: 1,
    appmode,
    primary_rmd: topLevelFile(metadata, 'primary_rmd'),
    primary_html: topLevelFile(metadata, 'primary_html'),
    // A notebook is the file to run; a Python API's entry point is a module, which may be in a package.
    entrypoint: appmode === 'jupyter-static' ? topLevelFile(metadata, 'entrypoint') : entrypoint,
    content_category: optionalString(metadata, 'content_category', 'metadata.') ?? '',
    has_parameters: optionalBoolean(metadata, 'has_parameters'),
    platform: optionalString(root, 'platform', ''),
    locale: optionalString(root, 'locale', ''),
    packages: packagesOf(root),
    python: pythonOf(root),
    files: filesOf(root),
  };
}

/** The R Markdown document that opens where the manifest names none (contract, section 4.3, upload rule 2). */
export const INDEX_RMD = 'index.Rmd';

/**
 * The file that the content opens with, as far as it is known: it must be at the archive's top level
 * (contract, section 4.3, upload rule 3).
 */
export function primaryFileOf(manifest: Manifest): string | null {
  switch (manifest.appmode) {
    case 'static':
      return manifest.primary_html;
    case 'rmd-static':
    case 'rmd-shiny':
      return manifest.primary_rmd ?? INDEX_RMD;
    case 'jupyter-static':
      return manifest.entrypoint;
    default:
      return null;
  }
}

/**
 * Whether Shiny finds an application among the files at the top level (contract, section 4.3, upload rule 2).
 * As Shiny does, letters of either case are taken, and a page in `www` for the user interface.
 */
export function holdsShinyApp(topLevel: ReadonlySet<string>): boolean {
  const names = new Set([...topLevel].map((name) => name.toLowerCase()));
  return names.has('app.r') || (names.has('server.r') && (names.has('ui.r') || names.has('www/index.html')));
}

function parseObject(bytes: Uint8Array): Json {
  if (!isUtf8(bytes)) throw badManifest('manifest.json is not UTF-8 text');
  const text = new TextDecoder().decode(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw badManifest('manifest.json is not valid JSON', cause);
  }
  if (!isObject(value)) throw badManifest('manifest.json is not a JSON object');
  return value;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function optionalString(from: Json, key: string, where: string): string | null {
  const value = from[key];
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') throw badManifest(`${where}${key} is not a string`);
  if (value.length > MAX_TEXT) throw badManifest(`${where}${key} has more than ${MAX_TEXT} characters`);
  return value;
}

function optionalBoolean(from: Json, key: string): boolean {
  const value = from[key];
  if (value === undefined || value === null) return false;
  if (typeof value !== 'boolean') throw badManifest(`metadata.${key} is not a boolean`);
  return value;
}

function topLevelFile(metadata: Json, key: string): string | null {
  const value = optionalString(metadata, key, 'metadata.')?.replace(/^(?:\.\/)+/, '');
  if (value === undefined || value === '') return null;
  if (/[/\\\0]/.test(value) || value === '.' || value === '..') {
    throw badManifest(`metadata.${key} ${quoteName(value)} is not at the top level of the bundle`);
  }
  return value;
}

/** R writes an empty named list as `[]`, so an empty array stands for an empty object. */
function optionalRecord(root: Json, key: string): Json | null {
  const value = root[key];
  if (value === undefined || value === null) return null;
  if (Array.isArray(value) && value.length === 0) return {};
  if (!isObject(value)) throw badManifest(`${key} is not an object`);
  return value;
}

function packagesOf(root: Json): Record<string, ManifestPackage> | null {
  const listed = optionalRecord(root, 'packages');
  if (listed === null) return null;
  const entries = Object.entries(listed);
  if (entries.length > MAX_PACKAGES) throw badManifest(`it lists more than ${MAX_PACKAGES} packages`);
  const packages: [string, ManifestPackage][] = entries.map(([name, value]) => {
    const where = `packages[${quoteName(name)}]`;
    if (!isObject(value)) throw badManifest(`${where} is not an object`);
    const description = value.description ?? {};
    if (!isObject(description)) throw badManifest(`${where}.description is not an object`);
    const Source = optionalString(value, 'Source', `${where}.`);
    const Repository = optionalString(value, 'Repository', `${where}.`);
    const { Version } = description;
    // What is no version is told when the package is to be installed; it need not be kept whole for that.
    const version = typeof Version === 'string' ? Version.slice(0, 100) : Version && typeof Version;
    return [
      name.slice(0, 200),
      { Source, Repository, description: Version === undefined ? {} : { Version: version } },
    ];
  });
  return Object.fromEntries(packages);
}

function pythonOf(root: Json): ManifestPython | null {
  const python = optionalRecord(root, 'python');
  if (python === null || Object.keys(python).length === 0) return null;
  const version = optionalString(python, 'version', 'python.');
  if (version === null) throw badManifest('python has no version');
  const manager = python.package_manager ?? {};
  if (!isObject(manager)) throw badManifest('python.package_manager is not an object');
  const where = 'python.package_manager.';
  const package_manager = {
    name: optionalString(manager, 'name', where),
    version: optionalString(manager, 'version', where),
    package_file: optionalString(manager, 'package_file', where),
  };
  return { version, package_manager };
}

function filesOf(root: Json): Record<string, unknown> | null {
  return optionalRecord(root, 'files');
}
