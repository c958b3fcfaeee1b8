// Reads the parameters of a document from the source in its bundle, by file type.
import { lstat, open, readFile } from 'node:fs/promises';
import { join, normalize, sep } from 'node:path';
import { INDEX_RMD, type Manifest, type Parameter } from '@pressroom/api/contract';
import { PARSED_AT_ONCE, reduceInThread } from '../../../platform/reduce-in-thread.ts';
import { frontMatterParameters } from './front-matter.ts';
import { notebookParameters } from './notebook.ts';
import { quartoParameters } from './quarto.ts';

/** Bytes within which the front matter of a document must end. */
const MAX_FRONT_MATTER_BYTES = 65_536;
/** Maximum bytes of a notebook, including embedded pictures. */
const MAX_NOTEBOOK_BYTES = 20 * 2 ** 20;
/** The first cell and the parameters cell; very long ones are no forms. */
const REDUCE = `
const { parentPort, workerData } = require('node:worker_threads');
let result = null;
try {
  const { cells } = JSON.parse(new TextDecoder().decode(workerData));
  const has = (cell) => cell?.cell_type === 'code' && Array.isArray(cell.metadata?.tags) && cell.metadata.tags.includes('parameters');
  const kept = [cells[0], cells.find(has)].map((cell) => {
    const { cell_type, source } = cell ?? {};
    const text = Array.isArray(source) ? source.join('') : String(source ?? '');
    return { cell_type, source: text.slice(0, ${MAX_FRONT_MATTER_BYTES}), metadata: { tags: has(cell) ? ['parameters'] : [] } };
  });
  result = JSON.stringify({ cells: kept });
} catch {}
parentPort.postMessage(result);
`;

/**
 * @param source the extracted bundle. Empty for sites, and for files that cannot be read: rendering reports the error.
 */
export async function readParameters(source: string, manifest: Manifest): Promise<Parameter[]> {
  if (manifest.content_category === 'site') return [];
  const name = normalize(manifest.primary_rmd ?? manifest.entrypoint ?? manifest.primary_html ?? INDEX_RMD);
  if (name.startsWith(sep) || name.startsWith('..')) return [];
  const file = join(source, name);
  const found = await lstat(file).catch(() => null);
  if (!found?.isFile()) return [];
  if (/\.qmd$/i.test(name)) return quartoParameters(await beginningOf(file));
  if (!/\.ipynb$/i.test(name)) return frontMatterParameters(await beginningOf(file));
  if (found.size > MAX_NOTEBOOK_BYTES) return [];
  const bytes = await readFile(file);
  const text = bytes.length > PARSED_AT_ONCE ? await reduceNotebook(bytes) : bytes.toString();
  return notebookParameters(text);
}

/** A notebook with only the declaring cells. */
async function reduceNotebook(bytes: Uint8Array): Promise<string> {
  return (await reduceInThread(REDUCE, bytes).catch(() => null)) ?? '';
}

async function beginningOf(file: string): Promise<string> {
  await using handle = await open(file);
  const { buffer, bytesRead } = await handle.read(
    Buffer.alloc(MAX_FRONT_MATTER_BYTES),
    0,
    MAX_FRONT_MATTER_BYTES,
    0,
  );
  return buffer.toString('utf8', 0, bytesRead);
}
