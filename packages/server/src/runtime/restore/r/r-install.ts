// Installs one R package from source, confined: it can write only its target directory.
import { createReadStream } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { errors } from '@pressroom/api/contract';
import { diagnose } from '@pressroom/api/publish';
import * as tar from 'tar';
import { errnoOf } from '../../../platform/errors.ts';
import type { RInstallation } from '../../installations.ts';
import type { Launcher } from '../../sandbox/launcher.ts';
import type { Waiter } from '../share.ts';
import { alone, type Workspace } from '../workspace.ts';
import { linkPackages, type CachedPackage } from './r-cache.ts';
import { MAX_DESCRIPTION_BYTES, readDescription, readInstalled, type Description } from './r-library.ts';

const UNPACKED_AT_ONCE = 2 ** 18;
/** Lines of a failed installation that are shown. */
const MAX_LINES = 200;

/**
 * Reads the DESCRIPTION of a source package; anything after it is ignored. The file is untrusted; yields to the event
 * loop.
 * @throws ApiError 1 if it is not the expected package.
 */
export async function readSource(file: string, name: string, signal: AbortSignal): Promise<Description> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  let isFound = false;
  const parser = new tar.Parser({
    filter: (path) => path === `${name}/DESCRIPTION`,
    onReadEntry: (entry) => {
      entry.on('data', (piece: Buffer) => {
        bytes += piece.length;
        if (bytes <= MAX_DESCRIPTION_BYTES) pieces.push(piece);
      });
      entry.on('end', () => (isFound = true));
    },
  });
  const wrong = (cause?: unknown) =>
    errors.internal({ message: `Package ${name} cannot be had: what the repository has is not it`, cause });
  // The library would unpack all of it at once, blocking the event loop.
  const unpacked = createGunzip({ chunkSize: UNPACKED_AT_ONCE });
  const opened = createReadStream(file).on('error', (error) => unpacked.destroy(error));
  opened.pipe(unpacked);
  try {
    for await (const chunk of unpacked as AsyncIterable<Buffer>) {
      signal.throwIfAborted();
      parser.write(chunk);
      if (isFound || bytes > MAX_DESCRIPTION_BYTES) break;
    }
  } catch (cause) {
    signal.throwIfAborted();
    throw errnoOf(cause)?.startsWith('Z_') ? wrong(cause) : cause;
  } finally {
    opened.destroy();
  }
  const description = readDescription(Buffer.concat(pieces).toString('utf8'));
  if (description?.name === name) return description;
  throw wrong();
}

/**
 * Installs a source package and passes the result to `take`, which must copy it.
 * @throws ApiError 1 with the first line of the error.
 */
export async function installSource<T>(
  source: { readonly file: string; readonly description: Description },
  needs: readonly CachedPackage[],
  options: {
    readonly r: RInstallation;
    readonly launcher: Launcher;
    readonly workspace: Workspace;
    /** Library of its dependencies. */
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
  const by = alone(work.path);
  await workspace.openTo(target, by);
  await chmod(source.file, 0o644);
  waiter.print(`Installing ${name} (${version}) ...`);
  const lines: string[] = [];
  const ending = await launcher.run({
    ...by,
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
