// Installs one R package from its source, confined: it can write nothing but the directory it is installed to.
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { errors } from '@pressroom/api/contract';
import { diagnose } from '@pressroom/api/publish';
import * as tar from 'tar';
import type { RInstallation } from '../installations.ts';
import type { Launcher } from '../sandbox/launcher.ts';
import { linkPackages, type CachedPackage } from './r-cache.ts';
import { readDescription, readInstalled, type Description } from './r-library.ts';
import type { Waiter } from './share.ts';
import type { Workspace } from './workspace.ts';

const MAX_DESCRIPTION_BYTES = 2 ** 20;
/** Lines of a failed installation that are shown. */
const MAX_LINES = 200;

/** What a source package says of itself. @throws ApiError 1 when it is not the package it should be. */
export async function readSource(file: string, name: string): Promise<Description> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  await tar.list({
    file,
    filter: (path) => path === `${name}/DESCRIPTION`,
    onReadEntry: (entry) => {
      entry.on('data', (piece: Buffer) => {
        bytes += piece.length;
        if (bytes <= MAX_DESCRIPTION_BYTES) pieces.push(piece);
      });
    },
  });
  const description = readDescription(Buffer.concat(pieces).toString('utf8'));
  if (description?.name === name) return description;
  throw errors.internal({ message: `Package ${name} cannot be had: what the repository has is not it` });
}

/**
 * Installs a source package and gives what was installed to `take`, which must copy it.
 * @throws ApiError 1 with the first line of what went wrong.
 */
export async function installSource<T>(
  source: { readonly file: string; readonly description: Description },
  needs: readonly CachedPackage[],
  options: {
    readonly r: RInstallation;
    readonly launcher: Launcher;
    readonly workspace: Workspace;
    /** Where the packages that it needs are. */
    readonly packages: string;
    readonly waiter: Waiter;
    readonly take: (installed: string) => Promise<T>;
  },
): Promise<T> {
  const { r, launcher, workspace, packages, waiter, take } = options;
  const { name, version } = source.description;
  await using work = await workspace.open();
  const library = join(work.path, 'needs');
  const target = join(work.path, 'installed');
  await linkPackages(library, needs);
  await workspace.openTo(target);
  await chmod(source.file, 0o644);
  waiter.print(`Installing ${name} (${version}) ...`);
  const lines: string[] = [];
  const ending = await launcher.run({
    runAs: null,
    signal: waiter.signal,
    onLine: (line) => {
      lines.push(line.replaceAll(`${work.path}/`, ''));
      if (lines.length > MAX_LINES) lines.shift();
    },
    command: () => ({
      file: r.program,
      args: ['CMD', 'INSTALL', '--no-lock', '--no-docs', `--library=${target}`, source.file],
      cwd: target,
      ...(r.image !== undefined && { image: r.image }),
      env: { R_LIBS: library, R_LIBS_USER: library },
      readable: [library, source.file, packages, ...r.readable],
      writable: [target],
    }),
  });
  await launcher.takeBack(target);
  const installed = join(target, name);
  const found = ending.code === 0 ? await readInstalled(installed) : null;
  if (found?.name === name && found.version === version) return await take(installed);
  lines.forEach(waiter.print);
  const cause = ending.code === 0 ? 'nothing was installed' : (diagnose(lines)?.line ?? ending.message);
  throw errors.internal({
    message: `Package ${name} (${version}) does not install: ${ending.outOfMemory ? ending.message : cause}`,
    payload: { package: name, wanted: version },
  });
}
