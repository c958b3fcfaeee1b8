// The text of a file that an argument names.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { CommandContext } from '../command.ts';
import { UsageError } from '../exit-codes.ts';

export async function readTextFile({ cwd }: CommandContext, file: string): Promise<string> {
  try {
    return await readFile(path.resolve(cwd, file), 'utf8');
  } catch (error) {
    throw new UsageError(`Cannot read ${file} (${(error as NodeJS.ErrnoException).code}).`);
  }
}
