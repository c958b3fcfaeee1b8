// Where sites of several pages are rendered to on this machine.
import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** By the files that set it, and what it is where nobody does; those of books come first, which have both. */
const SET_IN = ['_bookdown.yml', '_bookdown.yaml', '_quarto.yml', '_quarto.yaml', '_site.yml', '_site.yaml'];
export const USUAL_OUTPUTS = ['_site', '_book', '_manuscript', 'docs', 'public'];
const OUTPUT = /^\s*output[-_]dir\s*:\s*(?:"([^"]+)"|'([^']+)'|([^\s#"']+))/m;

/**
 * The directory, without a slash at the end; null where none has the page that a site opens with.
 * @param paths of all files of the bundle
 */
export async function siteOutput(root: string, paths: ReadonlySet<string>): Promise<string | null> {
  const set: string[] = [];
  for (const name of SET_IN) {
    if (!paths.has(name)) continue;
    const [, double, single, plain] = OUTPUT.exec(await readFile(path.join(root, name), 'utf8')) ?? [];
    const said = double ?? single ?? plain;
    if (said !== undefined) set.push(path.posix.normalize(said).replace(/\/$/, ''));
  }
  return [...set, ...USUAL_OUTPUTS].find((name) => isBelow(name) && paths.has(`${name}/index.html`)) ?? null;
}

const isBelow = (name: string) =>
  name !== '' && name !== '.' && !name.startsWith('..') && !name.startsWith('/');
