// Downloads to a new file, which is there when it is complete.
import { existsSync } from 'node:fs';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type BundleDownload, NoResponseError } from '@pressroom/api/client';
import type { CommandContext } from './command.ts';
import { UsageError } from './exit-codes.ts';

interface NewFile<T> {
  readonly file: string;
  readonly mode: number;
  /** Reads what came, before it gets its name. */
  check(partial: string, bytes: number): Promise<T>;
}

const partialOf = (file: string) => `${file}.tmp`;

/** To call before anything is asked of the server. @throws UsageError if the file cannot be created */
export function requireNew(file: string): void {
  // Scripts mean standard output, where the result is.
  if (basename(file) === '-') throw new UsageError('A download goes to a file.', 'Name a new file.');
  for (const one of [file, partialOf(file)])
    if (existsSync(one)) throw new UsageError(`${one} exists.`, 'Name a new file, or remove it.');
  if (!existsSync(dirname(file))) throw new UsageError(`There is no directory ${dirname(file)}.`);
}

/** Returns what `check` does. @throws UsageError if the file was created meanwhile; NoResponseError */
export async function saveDownload<T>(
  { signal }: Pick<CommandContext, 'signal'>,
  from: { readonly server: string; readonly operation: string },
  { stream }: BundleDownload,
  { file, mode, check }: NewFile<T>,
): Promise<T> {
  const partial = partialOf(file);
  const handle = await create(partial, mode);
  try {
    const target = handle.createWriteStream({ flush: true });
    await pipeline(received(stream, from), target, { signal });
    const checked = await check(partial, target.bytesWritten);
    if (existsSync(file)) throw new UsageError(`${file} exists.`, 'Nothing was written.');
    await rename(partial, file);
    return checked;
  } finally {
    await rm(partial, { force: true });
  }
}

/** @throws UsageError if another download began to write it meanwhile */
async function create(partial: string, mode: number): Promise<FileHandle> {
  try {
    return await open(partial, 'wx', mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new UsageError(`${partial} exists.`, 'Nothing was written.');
  }
}

async function* received(
  stream: Readable,
  { server, operation }: { readonly server: string; readonly operation: string },
): AsyncGenerator<Buffer> {
  try {
    yield* stream;
  } catch (cause) {
    const message = 'The connection ended before the download was complete.';
    throw new NoResponseError({
      operation,
      server,
      kind: 'reset',
      message,
      hint: 'Nothing was kept: try again.',
      cause,
    });
  }
}
