// Ranks the documents of a directory: of several, one is published.
import type { ContentView } from './content-candidate.ts';

/** Lines by which R Markdown and Quarto include another file. */
const INCLUDES = /\bchild\b|\bknit_child\b|\{\{<\s*include\b/;

/**
 * The confidence of each document: `index` before others, parts of others last. Quarto and R Markdown render no file whose
 * name begins with `_`.
 */
export function rankDocuments(view: ContentView, documents: readonly string[]): Map<string, number> {
  const included = new Set(documents.flatMap((name) => namedIn(view.text(name))));
  const isPart = (name: string) => name.startsWith('_') || included.has(name);
  const wholes = documents.filter((name) => !isPart(name));
  const index = wholes.find((name) => /^index\./i.test(name));
  const usual = wholes.length === 1 ? 0.9 : index === undefined ? 0.7 : 0.6;
  return new Map(
    documents.map((name) => [name, name === index ? 0.93 : wholes.includes(name) ? usual : 0.5]),
  );
}

function namedIn(text: string): string[] {
  const lines = text.split('\n').filter((line) => INCLUDES.test(line));
  return lines.flatMap((line) => line.split(/["'`,;()[\]{}\s]+/)).map((name) => name.replace(/^\.\//, ''));
}
