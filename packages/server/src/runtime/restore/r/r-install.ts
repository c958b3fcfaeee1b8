// Installs one R package from source, confined: it can write only its target directory.
import { createReadStream } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { errors } from '@pressroom/api/contract';
import { CompressedAgainError, diagnose, unpackedTar } from '@pressroom/api/publish';
import * as tar from 'tar';
import { errnoOf } from '../../../platform/errors.ts';
import type { RInstallation } from '../../installations.ts';
import type { Launcher } from '../../sandbox/launcher.ts';
import type { Waiter } from '../share.ts';
import { alone, type Workspace } from '../workspace.ts';
import { linkPackages, type CachedPackage } from './r-cache.ts';
import { MAX_DESCRIPTION_BYTES, readDescription, readInstalled, type Description } from './r-library.ts';

/** Bytes read of an unpacked package in search of its DESCRIPTION, which is among its first files. */
const MAX_UNPACKED_BYTES = 8 * 2 ** 30;
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
    errors.internal({
      message: `Package ${name} is not available: the repository has another file under its name`,
      cause,
    });
  let isOver = false;
  parser.on('eof', () => (isOver = true));
  let unpacked = 0;
  try {
    for await (const chunk of unpackedTar(createReadStream(file))) {
      signal.throwIfAborted();
      unpacked += chunk.length;
      parser.write(chunk);
      if (isFound || isOver || bytes > MAX_DESCRIPTION_BYTES || unpacked > MAX_UNPACKED_BYTES) break;
    }
  } catch (cause) {
    signal.throwIfAborted();
    const isWrong = cause instanceof CompressedAgainError || errnoOf(cause)?.startsWith('Z_');
    throw isWrong ? wrong(cause) : cause;
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
