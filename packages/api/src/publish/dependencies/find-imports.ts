// Finds imports in Python and R files by parsing: nothing is executed.
import { isObject } from '../../contract/is-object.ts';
import { readPythonImports } from '../detect/python-imports.ts';
import { blankStringsAndComments } from '../detect/python-source.ts';

export interface Import {
  /** Module or package, without submodules. */
  name: string;
  /** From 1. */
  line: number;
}

/** External top-level modules imported by Python source; relative imports are the project's own. */
export function findPythonImports(source: string): Import[] {
  return readPythonImports(blankStringsAndComments(source)).map(({ module, line }) => ({
    name: module.split('.')[0]!,
    line,
  }));
}

/** Like `findPythonImports`, for the code cells of a notebook; the line is always 1. */
export function findNotebookImports(text: string): Import[] {
  let notebook: unknown;
  try {
    notebook = JSON.parse(text);
  } catch {
    return [];
  }
  if (!isObject(notebook) || !Array.isArray(notebook.cells)) return [];
  return notebook.cells.flatMap((cell: unknown) => {
    if (!isObject(cell) || cell.cell_type !== 'code') return [];
    const lines = Array.isArray(cell.source) ? cell.source.join('') : cell.source;
    if (typeof lines !== 'string') return [];
    return findPythonImports(withoutMagics(lines)).map(({ name }) => ({ name, line: 1 }));
  });
}

/** Magics such as %matplotlib are not Python. */
function withoutMagics(code: string): string {
  return code.replace(/^[ \t]*[%!].*$/gm, '');
}

/** Like `findPythonImports`, for the Python chunks of a Quarto or R Markdown document. */
export function findChunkImports(text: string): Import[] {
  return findPythonImports(withoutMagics(chunksOf(text, 'python')));
}

/** The code chunks of a document in a language; the other lines are empty. */
function chunksOf(text: string, language: 'r' | 'python'): string {
  const begins = new RegExp(`^\\s*\`\`\`+\\s*\\{\\s*${language}\\b`, 'i');
  let inChunk = false;
  const lines = text.split('\n').map((line) => {
    const isFence = /^\s*```/.test(line);
    if (isFence) inChunk = begins.test(line);
    return inChunk && !isFence ? line : '';
  });
  return lines.join('\n');
}

/** Packages that R source attaches or uses with `::`; in R Markdown and Quarto, only code chunks count. */
export function findRImports(source: string, isMarkdown: boolean): Import[] {
  const found: Import[] = [];
  const code = isMarkdown ? chunksOf(source, 'r') : source;
  for (const [index, raw] of code.split('\n').entries()) {
    const line = raw.replace(/^\s*#.*$/, '');
    const calls = line.matchAll(
      /\b(?:library|require|requireNamespace|loadNamespace)\s*\(\s*["']?([A-Za-z][\w.]*)["']?\s*[,)]/g,
    );
    // From the beginning of a name only: the time would be quadratic in a line without one.
    const scoped = line.matchAll(/(?<![\w.])([A-Za-z][\w.]*):::?[A-Za-z_.]/g);
    for (const [, name = ''] of [...calls, ...scoped]) found.push({ name, line: index + 1 });
  }
  return found;
}
