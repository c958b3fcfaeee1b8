// What a document takes, read from the source in its bundle, by the kind of the file.
import { lstat, open, readFile } from 'node:fs/promises';
import { join, normalize, sep } from 'node:path';
import { INDEX_RMD, type Manifest, type Parameter } from '@pressroom/api/contract';
import { frontMatterParameters } from './front-matter.ts';
import { notebookParameters } from './notebook.ts';

/** Bytes from the beginning of a document in which its front matter must end. */
const LONGEST_FRONT_MATTER = 65_536;
/** Bytes of a notebook, whose pictures are in it. */
const LARGEST_NOTEBOOK = 20 * 2 ** 20;

/** @param source the extracted bundle. Empty for sites, and for what cannot be read: the rendering says why. */
export async function readParameters(source: string, manifest: Manifest): Promise<Parameter[]> {
  if (manifest.content_category === 'site') return [];
  const name = normalize(manifest.primary_rmd ?? manifest.entrypoint ?? manifest.primary_html ?? INDEX_RMD);
  if (name.startsWith(sep) || name.startsWith('..')) return [];
  const file = join(source, name);
  const found = await lstat(file).catch(() => null);
  if (!found?.isFile()) return [];
  if (!/\.ipynb$/i.test(name)) return frontMatterParameters(await beginningOf(file));
  return found.size > LARGEST_NOTEBOOK ? [] : notebookParameters(await readFile(file, 'utf8'));
}

async function beginningOf(file: string): Promise<string> {
  await using handle = await open(file);
  const { buffer, bytesRead } = await handle.read(
    Buffer.alloc(LONGEST_FRONT_MATTER),
    0,
    LONGEST_FRONT_MATTER,
    0,
  );
  return buffer.toString('utf8', 0, bytesRead);
}
