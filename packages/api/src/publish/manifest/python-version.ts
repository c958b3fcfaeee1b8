// Finds the Python version of a project in its files.
import path from 'node:path';
import { parse } from 'smol-toml';
import { isObject } from '../../contract/is-object.ts';
import { parseVersionRequirement } from '../../contract/manifest/version-requirement.ts';
import { readSmall } from './read-small.ts';

export interface PythonVersion {
  /** Three numbers, such as 3.11.2. */
  version: string;
  /** The file with the version. */
  from: string;
}

/**
 * The version from `.python-version`, else from the project's virtual environment (`.venv` or `venv`), else the lowest
 * version that pyproject.toml allows; undefined if there is none.
 */
export async function readPythonVersion(root: string): Promise<PythonVersion | undefined> {
  const pinned = normalVersion(firstLine(await text(root, '.python-version')));
  if (pinned !== undefined) return { version: pinned, from: '.python-version' };
  for (const name of ['.venv', 'venv']) {
    const config = await text(root, `${name}/pyvenv.cfg`);
    const version = normalVersion(/^version(?:_info)?\s*=\s*(\S+)/m.exec(config)?.[1] ?? '');
    if (version !== undefined) return { version, from: `${name}/pyvenv.cfg` };
  }
  const version = normalVersion(lowestAllowed(await text(root, 'pyproject.toml')));
  return version === undefined ? undefined : { version, from: 'pyproject.toml' };
}

/** `requires-python` of pyproject.toml, if servers can read it; undefined if there is none. */
export async function readPythonRequirement(root: string): Promise<string | undefined> {
  const wanted = requiresPython(await text(root, 'pyproject.toml'))?.trim();
  if (wanted === undefined || wanted === '' || parseVersionRequirement(wanted) === null) return undefined;
  return wanted;
}

/**
 * Three numbers from texts such as `3.11`, `python-3.11.4`, `cpython-3.11.4-linux`, `3.11.2+`; undefined if there are
 * none.
 */
export function normalVersion(value: string): string | undefined {
  const found = /(?:^|[^\d.])(3)\.(\d+)(?:\.(\d+))?/.exec(value.trim());
  return found === null ? undefined : `${found[1]}.${found[2]}.${found[3] ?? '0'}`;
}

function requiresPython(toml: string): string | undefined {
  let value: unknown;
  try {
    value = parse(toml);
  } catch {
    return undefined; // A broken pyproject.toml is reported by other tools; it is ignored here.
  }
  const project = isObject(value) && isObject(value.project) ? value.project : {};
  const wanted = project['requires-python'];
  return typeof wanted === 'string' ? wanted : undefined;
}

function lowestAllowed(toml: string): string {
  const lower = requiresPython(toml)
    ?.split(',')
    .find((part) => /^\s*(==|>=|~=|===)/.test(part));
  return lower?.replace(/^\s*[=>~]+\s*/, '').replace('.*', '') ?? '';
}

function firstLine(value: string): string {
  return value.split(/\r?\n/).find((line) => line.trim() !== '' && !line.startsWith('#')) ?? '';
}

async function text(root: string, name: string): Promise<string> {
  return readSmall(path.join(root, name)).catch(() => '');
}
