// Copies the publisher's own rendering from the bundle to where it is served, until the server's rendering is done.
import { copyFile, lstat, mkdir } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import type { Manifest } from '@pressroom/api/contract';
import { flushTree } from '../../bundles/archive/flush-tree.ts';
import { collectOutput } from '../../runtime/collect-output.ts';

/**
 * @param source the extracted bundle; nothing has run there
 * @param work is created, and must not exist
 * @param target is created and flushed, and must not exist. False if the bundle has no such page: then nothing is left
 */
export async function takeLocalRendering(
  source: string,
  { page, files }: NonNullable<Manifest['rendered']>,
  work: string,
  target: string,
): Promise<boolean> {
  // Manifests stored by earlier versions may lead outside; the files are below the page's directory.
  if (posix.normalize(page).startsWith('../') || !(await isFile(join(source, page)))) return false;
  await mkdir(work, { mode: 0o711 });
  await copyFile(join(source, page), join(work, 'index.html'));
  // The output directory of a site; everything else belongs to its sources.
  const directory = posix.dirname(page);
  for (const file of files) {
    const name = posix.relative(directory, file);
    if (name === 'index.html' || name.startsWith('../') || !(await isFile(join(source, file)))) continue;
    await mkdir(dirname(join(work, name)), { recursive: true });
    await copyFile(join(source, file), join(work, name));
  }
  const copied = await collectOutput(work, target);
  await flushTree(target, copied.files);
  return true;
}

/** Whether it is a regular file, and no link to one. */
export async function isFile(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null))?.isFile() === true;
}
