// The language whose packages the content of a directory needs.
import path from 'node:path';
import { findKind } from '../../contract/find-kind.ts';
import { isObject } from '../../contract/is-object.ts';
import type { Language } from '../../contract/kind-row.ts';
import type { BundleFile } from '../collect/bundle-file.ts';
import { quartoEngines } from '../manifest/quarto-engines.ts';
import { readSmall } from '../manifest/read-small.ts';

/**
 * That of its kind; of Quarto documents, that of their engine, Python first. Null for content without packages, and for
 * notebooks that all have another kernel than Python.
 */
export async function languageOf(
  root: string,
  files: readonly BundleFile[],
  appmode: string,
): Promise<Language | null> {
  if (appmode === 'quarto-static') {
    const engines = await quartoEngines(root, files);
    return engines.includes('jupyter') ? 'Python' : engines.includes('knitr') ? 'R' : null;
  }
  const { language = null, startsFrom } = findKind(appmode) ?? {};
  if (language === null || startsFrom?.test('.ipynb') !== true) return language;
  const notebooks = files.filter(({ path: name }) => /^[^/]+\.ipynb$/i.test(name));
  // One after the other: mostly, the first decides.
  for (const { path: name } of notebooks) if ((await otherKernel(root, name)) === undefined) return language;
  return notebooks.length > 0 ? null : language;
}

/** The language of a notebook that is not Python, as it names it; undefined if it names none, or cannot be read. */
export async function otherKernel(root: string, file: string): Promise<string | undefined> {
  try {
    const notebook: unknown = JSON.parse(await readSmall(path.join(root, file)));
    const metadata = isObject(notebook) && isObject(notebook.metadata) ? notebook.metadata : {};
    const { language_info: info, kernelspec } = metadata;
    const language = (isObject(info) && info.name) || (isObject(kernelspec) && kernelspec.language);
    return typeof language === 'string' && !/python/i.test(language) ? language : undefined;
  } catch {
    return undefined;
  }
}
