// Parses manifest.json, on the client and on the server, where it is untrusted.
import { isUtf8 } from 'node:buffer';
import { findKind } from '../find-kind.ts';
import { isObject } from '../is-object.ts';
import type {
  Manifest,
  ManifestJupyter,
  ManifestPackage,
  ManifestPython,
  ManifestQuarto,
  ManifestRendered,
  ManifestRequires,
  ManifestUnmanaged,
} from './manifest.ts';
import { quoteName } from './quote-name.ts';
import { parseVersionRequirement } from './version-requirement.ts';

/** An invalid manifest. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError';
  /** Completes a sentence such as "manifest.json cannot be used: …". Shows values in escaped form only. */
  readonly problem: string;

  constructor(problem: string, cause?: unknown) {
    super(`manifest.json cannot be used: ${problem}.`, cause === undefined ? {} : { cause });
    this.problem = problem;
  }
}

type Json = Record<string, unknown>;

/** A relative path without "." and "..", also behind a line end. */
const BELOW = /^(?!\/)(?!(?:.*\/)?\.{0,2}(?:\/|$))[^\\\0]+$/s;

/** Maximum characters of a text in a manifest: a name, a version, a path. */
const MAX_TEXT = 1024;
/** Maximum listed packages; twice as many as are restored. */
const MAX_PACKAGES = 4000;
const MAX_ENGINES = 10;
/** Maximum files of an included rendering. */
const MAX_RENDERED = 5000;

/**
 * Parses manifest.json. An unknown appmode is accepted.
 * @param input the file in the archive; a UTF-8 byte order mark is skipped.
 * @throws ManifestError
 */
export function parseManifest(input: Uint8Array): Manifest {
  if (!isUtf8(input)) throw new ManifestError('it is not UTF-8 text');
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(input));
  } catch (cause) {
    throw new ManifestError('it is not valid JSON', cause);
  }
  return manifestOf(value);
}

/** Parses JSON that was decoded already. @throws ManifestError */
export function manifestOf(root: unknown): Manifest {
  if (!isObject(root)) throw new ManifestError('it is not a JSON object');
  if (root.version === undefined) throw new ManifestError('it has no version');
  if (root.version !== 1) throw new ManifestError('its version is not the number 1');
  const { metadata } = root;
  if (!isObject(metadata)) throw new ManifestError('it has no metadata object');
  const { appmode } = metadata;
  if (appmode === undefined || appmode === null || appmode === '')
    throw new ManifestError('it has no metadata.appmode, such as "static" or "shiny"');
  if (typeof appmode !== 'string') throw new ManifestError('metadata.appmode is not a string');
  const entrypoint = optionalString(metadata, 'entrypoint', 'metadata.');
  const requires = requiresOf(root);
  const unmanaged = unmanagedOf(root);
  const quarto = quartoOf(root);
  const rendered = renderedOf(root);
  // A notebook's entry point is a file; a Python API's is a module, which may be in a package.
  const entryIsFile = findKind(appmode)?.primary === 'entrypoint';
  return {
    version: 1,
    appmode,
    primary_rmd: topLevelFile(metadata, 'primary_rmd'),
    primary_html: topLevelFile(metadata, 'primary_html'),
    entrypoint: entryIsFile ? topLevelFile(metadata, 'entrypoint') : entrypoint,
    content_category: optionalString(metadata, 'content_category', 'metadata.') ?? '',
    has_parameters: optionalBoolean(metadata, 'has_parameters', 'metadata.'),
    platform: optionalString(root, 'platform', ''),
    locale: optionalString(root, 'locale', ''),
    packages: packagesOf(root),
    python: pythonOf(root),
    files: filesOf(root),
    jupyter: jupyterOf(root),
    ...(requires !== null && { requires }),
    ...(unmanaged !== null && { unmanaged }),
    ...(quarto !== null && { quarto }),
    ...(rendered !== null && { rendered }),
  };
}

function optionalString(from: Json, key: string, where: string): string | null {
  const value = from[key];
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') throw new ManifestError(`${where}${key} is not a string`);
  if (value.length > MAX_TEXT) throw new ManifestError(`${where}${key} has more than ${MAX_TEXT} characters`);
  return value;
}

function optionalBoolean(from: Json, key: string, where: string): boolean {
  const value = from[key];
  if (value === undefined || value === null) return false;
  if (typeof value !== 'boolean') throw new ManifestError(`${where}${key} is not a boolean`);
  return value;
}

function topLevelFile(from: Json, key: string, where = 'metadata.'): string | null {
  const value = optionalString(from, key, where)?.replace(/^(?:\.\/)+/, '');
  if (value === undefined || value === '') return null;
  if (/[/\\\0]/.test(value) || value === '.' || value === '..') {
    // rsconnect picks the first document of all directories if no main file is given.
    const otherwise = key === 'primary_rmd' ? ': name the main file, as with appPrimaryDoc of rsconnect' : '';
    throw new ManifestError(
      `${where}${key} ${quoteName(value)} is not at the top level of the bundle${otherwise}`,
    );
  }
  return value;
}

/** R writes an empty named list as `[]`: an empty array counts as an empty object. */
function optionalRecord(root: Json, key: string): Json | null {
  const value = root[key];
  if (value === undefined || value === null) return null;
  if (Array.isArray(value) && value.length === 0) return {};
  if (!isObject(value)) throw new ManifestError(`${key} is not an object`);
  return value;
}

/** Some clients list only names. */
function filesOf(root: Json): Json | null {
  const { files } = root;
  if (!Array.isArray(files)) return optionalRecord(root, 'files');
  if (!files.every((name) => typeof name === 'string'))
    throw new ManifestError('files is a list of something other than names');
  return Object.fromEntries(files.map((name) => [name, {}]));
}

function jupyterOf(root: Json): ManifestJupyter {
  const jupyter = optionalRecord(root, 'jupyter') ?? {};
  return {
    hide_all_input: optionalBoolean(jupyter, 'hide_all_input', 'jupyter.'),
    hide_tagged_input: optionalBoolean(jupyter, 'hide_tagged_input', 'jupyter.'),
  };
}

/** Null if not given. */
function requiresOf(root: Json): ManifestRequires | null {
  const environment = optionalRecord(root, 'environment') ?? {};
  const of = (language: string): string | null => {
    const value = environment[language] ?? {};
    if (!isObject(value)) throw new ManifestError(`environment.${language} is not an object`);
    const requires = optionalString(value, 'requires', `environment.${language}.`);
    if (requires === null || requires.trim() === '') return null;
    if (parseVersionRequirement(requires) !== null) return requires.trim();
    throw new ManifestError(
      `environment.${language}.requires ${quoteName(requires)} is no requirement of versions such as ">=3.10"`,
    );
  };
  const [python, r] = [of('python'), of('r')];
  return python === null && r === null ? null : { python, r };
}

/** Null if there is none. rsconnect writes it for `envManagement = FALSE`, or `--disable-env-management`. */
function unmanagedOf(root: Json): ManifestUnmanaged | null {
  const management = optionalRecord(root, 'environment')?.environment_management;
  if (!isObject(management)) return null;
  const [python, r] = [management.python === false, management.r === false];
  return python || r ? { python, r } : null;
}

/** Null if not given. Unknown engines are kept: rendering reports them. */
function quartoOf(root: Json): ManifestQuarto | null {
  const engines = optionalRecord(root, 'quarto')?.engines ?? null;
  if (engines === null) return null;
  if (!Array.isArray(engines) || engines.length > MAX_ENGINES)
    throw new ManifestError('quarto.engines is not a short list');
  return {
    engines: engines.map(
      (_, i) => optionalString(engines as unknown as Json, String(i), 'quarto.engines.') ?? '',
    ),
  };
}

/** Null if there is none. */
function renderedOf(root: Json): ManifestRendered | null {
  const rendered = optionalRecord(root, 'rendered') ?? {};
  const page = optionalString(rendered, 'page', 'rendered.');
  if (page === null) return null;
  if (page.length > MAX_TEXT || !BELOW.test(page))
    throw new ManifestError(`rendered.page ${quoteName(page)} is no path below the bundle`);
  if (!/\.html?$/i.test(page)) throw new ManifestError(`rendered.page ${quoteName(page)} is no HTML page`);
  const files = rendered.files ?? [];
  if (!Array.isArray(files) || files.length > MAX_RENDERED)
    throw new ManifestError(`rendered.files is not a list of up to ${MAX_RENDERED} paths`);
  for (const name of files)
    if (typeof name !== 'string' || name.length > MAX_TEXT || !BELOW.test(name))
      throw new ManifestError('rendered.files has something other than paths below the bundle');
  return { page, files };
}

function packagesOf(root: Json): Record<string, ManifestPackage> | null {
  const listed = optionalRecord(root, 'packages');
  if (listed === null) return null;
  const entries = Object.entries(listed);
  if (entries.length > MAX_PACKAGES) throw new ManifestError(`it lists more than ${MAX_PACKAGES} packages`);
  const packages: [string, ManifestPackage][] = entries.map(([name, value]) => {
    const where = `packages[${quoteName(name)}]`;
    if (!isObject(value)) throw new ManifestError(`${where} is not an object`);
    const description = value.description ?? {};
    if (!isObject(description)) throw new ManifestError(`${where}.description is not an object`);
    const Source = optionalString(value, 'Source', `${where}.`);
    const Repository = optionalString(value, 'Repository', `${where}.`);
    const { Version } = description;
    // Invalid versions are reported at installation; they need not be kept completely.
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
  if (version === null) throw new ManifestError('python has no version');
  const manager = python.package_manager ?? {};
  if (!isObject(manager)) throw new ManifestError('python.package_manager is not an object');
  const where = 'python.package_manager.';
  const package_manager = {
    name: optionalString(manager, 'name', where),
    version: optionalString(manager, 'version', where),
    package_file: optionalString(manager, 'package_file', where),
  };
  return { version, package_manager };
}
