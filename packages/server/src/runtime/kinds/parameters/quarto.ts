// Parameters of a Quarto document: its front matter, or the Python cell tagged `parameters`.
import type { Parameter } from '@pressroom/api/contract';
import { frontMatterParameters } from './front-matter.ts';
import { cellParameters } from './notebook.ts';

const OPENING = /^(`{3,})\{python\b[^}]*\}\s*$/;
const OPTION = /^#\|/;

export function quartoParameters(text: string): Parameter[] {
  const cell = pythonCells(text).find(isTagged);
  return cell === undefined ? frontMatterParameters(text) : cellParameters(cell.join('\n'), text);
}

/** The lines of each, without fences. */
function pythonCells(text: string): string[][] {
  const cells: string[][] = [];
  let fence: string | null = null;
  for (const line of text.split(/\r?\n/)) {
    if (fence === null) {
      fence = OPENING.exec(line)?.[1] ?? null;
      if (fence !== null) cells.push([]);
    } else if (line.startsWith(fence)) fence = null;
    else cells.at(-1)!.push(line);
  }
  return cells;
}

/** `#| tags: [parameters]`, or as a list below it. */
function isTagged(lines: readonly string[]): boolean {
  const end = lines.findIndex((line) => !OPTION.test(line));
  const options = lines.slice(0, end < 0 ? lines.length : end).map((line) => line.replace(OPTION, ''));
  const tags = /^ *tags *:(.*(?:\n *-.*)*)/m.exec(options.join('\n'))?.[1] ?? '';
  return tags.split(/[\s,[\]"']+/).includes('parameters');
}
