// The Python packages in a restored environment.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

export interface NamedPackage {
  readonly name: string;
  readonly version: string;
}

/**
 * Reads pip's metadata; empty if the environment is gone.
 * @param directory the restored environment, with the virtual environment in `venv`
 */
export async function restoredPythonPackages(directory: string): Promise<NamedPackage[]> {
  const lib = join(directory, 'venv', 'lib');
  const versions = (await namesIn(lib)).filter((name) => name.startsWith('python'));
  const names = await Promise.all(versions.map((name) => namesIn(join(lib, name, 'site-packages'))));
  return names.flat().flatMap((name) => {
    const match = /^(.+)-([^-]+)\.dist-info$/.exec(name);
    return match ? [{ name: normalizedName(match[1]!), version: match[2]! }] : [];
  });
}

/** Normalised as in Python package indexes (PEP 503). */
export function normalizedName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]+/g, '-');
}

function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  });
}
