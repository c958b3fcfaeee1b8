// Reads libraries of installed R packages.
import { constants } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { dependencyNames, parseDescription } from '@pressroom/api/publish';
import { isVersion } from '../versions.ts';

export interface Description {
  readonly name: string;
  readonly version: string;
  /** Part of R itself. */
  readonly base: boolean;
  /** Dependencies for installation, except R itself. */
  readonly needs: readonly string[];
  /** Packages whose headers it is compiled with. */
  readonly linkingTo: readonly string[];
}

/** Packages are untrusted and may have any size. */
export const MAX_DESCRIPTION_BYTES = 2 ** 20;

/** Null if the text is no DESCRIPTION of a package. */
export function readDescription(text: string): Description | null {
  const { Package: name, Version: version, Priority, Depends, Imports, LinkingTo } = parseDescription(text);
  if (!name || !isPackageName(name) || !version || !isVersion(version)) return null;
  const linkingTo = dependencyNames(LinkingTo);
  const needs = new Set([...dependencyNames(Depends), ...dependencyNames(Imports), ...linkingTo]);
  return { name, version, base: Priority === 'base', needs: [...needs], linkingTo };
}

export function isPackageName(name: string): boolean {
  return name.length <= 128 && /^[A-Za-z][A-Za-z0-9.]*$/.test(name);
}

/** The description of an installed package; null if it is missing or incomplete. */
export async function readInstalled(directory: string): Promise<Description | null> {
  // An installation may have left a pipe, which would block one of the few threads for file access.
  const handle = await open(join(directory, 'DESCRIPTION'), constants.O_RDONLY | constants.O_NONBLOCK).catch(
    () => null,
  );
  if (!handle) return null;
  await using file = handle;
  const found = await file.stat();
  if (!found.isFile() || found.size > MAX_DESCRIPTION_BYTES) return null;
  const text = await file.readFile('utf8').catch(() => null);
  return text === null ? null : readDescription(text);
}

/** Packages by name; of duplicates, the one that R would find. */
export async function readLibraries(libraries: readonly string[]): Promise<Map<string, Description>> {
  const found = new Map<string, Description>();
  for (const library of libraries) {
    for (const name of await readdir(library).catch(() => [])) {
      if (found.has(name) || !isPackageName(name)) continue;
      const description = await readInstalled(join(library, name));
      if (description?.name === name) found.set(name, description);
    }
  }
  return found;
}
