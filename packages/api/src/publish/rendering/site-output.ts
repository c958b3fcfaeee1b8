// Local output directories of sites.
import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** Files that set the output directory, and defaults; those of books come first, since books have both. */
const SET_IN = ['_bookdown.yml', '_bookdown.yaml', '_quarto.yml', '_quarto.yaml', '_site.yml', '_site.yaml'];
export const USUAL_OUTPUTS = ['_site', '_book', '_manuscript', 'docs', 'public'];
const OUTPUT = /^[ \t]*output[-_]dir[ \t]*:[ \t]*(?:"([^"]+)"|'([^']+)'|([^\s#"']+))/m;

/**
 * The directory, without a trailing slash; null if none has the site's entry page.
 * @param paths of all files of the bundle
 */
export async function siteOutput(root: string, paths: ReadonlySet<string>): Promise<string | null> {
  const set: string[] = [];
  for (const name of SET_IN) {
    if (!paths.has(name)) continue;
    const [, double, single, plain] = OUTPUT.exec(await readFile(path.join(root, name), 'utf8')) ?? [];
    const output = double ?? single ?? plain;
    if (output !== undefined) set.push(path.posix.normalize(output).replace(/\/$/, ''));
  }
  return [...set, ...USUAL_OUTPUTS].find((name) => isBelow(name) && paths.has(`${name}/index.html`)) ?? null;
}

const isBelow = (name: string) =>
  name !== '' && name !== '.' && !name.startsWith('..') && !name.startsWith('/');
