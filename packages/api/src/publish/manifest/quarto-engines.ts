// Engines of Quarto pages: from their front matter and their chunks, as Quarto itself decides.
import type { BundleFile } from '../collect/bundle-file.ts';
import { readBeginning } from '../collect/open-file.ts';
import { readFrontMatter } from '../detect/front-matter.ts';

const MAX_PAGES = 500;
const ENGINES = ['jupyter', 'knitr', 'markdown'] as const;
const R_CHUNK = /^[ \t]*`{3,}[ \t]*\{[ \t]*r\b/im;
/** Chunks in any other executed language. */
const CHUNK = /^[ \t]*`{3,}[ \t]*\{[ \t]*(?!ojs\b|mermaid\b|dot\b)[a-z]/im;

export type QuartoEngine = (typeof ENGINES)[number];

/** Engines of all pages, without duplicates, sorted. @throws BundleError for files that changed meanwhile */
export async function quartoEngines(root: string, files: readonly BundleFile[]): Promise<QuartoEngine[]> {
  const found = new Set<QuartoEngine>();
  for (const file of files.filter(({ path }) => /\.(qmd|rmd|ipynb)$/i.test(path)).slice(0, MAX_PAGES)) {
    if (/\.ipynb$/i.test(file.path)) found.add('jupyter');
    else if (/\.rmd$/i.test(file.path)) found.add('knitr');
    else found.add(engineOfPage(await readBeginning(root, file)));
  }
  // Pages without code need no engine of their own.
  if (found.size > 1) found.delete('markdown');
  return [...found].toSorted();
}

export function engineOfPage(text: string): QuartoEngine {
  const { engine, hasKernel } = readFrontMatter(text);
  const named = ENGINES.find((name) => name === engine);
  if (named !== undefined) return named;
  if (hasKernel) return 'jupyter';
  if (R_CHUNK.test(text)) return 'knitr';
  return CHUNK.test(text) ? 'jupyter' : 'markdown';
}
