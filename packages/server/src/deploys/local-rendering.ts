// What the publisher rendered, from the bundle to where it is served: until the server's own rendering is done.
import { copyFile, lstat, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Manifest } from '@pressroom/api/contract';
import { collectOutput } from '../runtime/collect-output.ts';

/**
 * @param source where the bundle was extracted; nothing has run there
 * @param work is made, and must not exist
 * @param target is made, and must not exist. False where the page is not in the bundle: then nothing is there.
 */
export async function takeLocalRendering(
  source: string,
  { page, files }: NonNullable<Manifest['rendered']>,
  work: string,
  target: string,
): Promise<boolean> {
  if (!(await isFile(join(source, page)))) return false;
  await mkdir(work, { mode: 0o711 });
  await copyFile(join(source, page), join(work, 'index.html'));
  for (const name of files) {
    if (name === 'index.html' || !(await isFile(join(source, name)))) continue;
    await mkdir(dirname(join(work, name)), { recursive: true });
    await copyFile(join(source, name), join(work, name));
  }
  await collectOutput(work, target);
  return true;
}

async function isFile(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null))?.isFile() === true;
}
