// Finds the notebook cell that a log refers to, and its line in the .ipynb file.
import { findLine, type Lines } from './diagnosis.ts';

export interface FailedCell {
  /** Its source as shown in the log; null if it is not. */
  source: string | null;
  /** Execution count, from 1; null if the log does not say. */
  count: number | null;
  /** Line of the cell, from 1. */
  line: number;
}

export interface CellPlace {
  /** Among all cells, from 0. */
  index: number;
  /** Line of the file, from 1. */
  fileLine: number;
}

const RULE = /^\s*-{10,}\s*$/;

/** Output of nbconvert: the cell between two rules, followed by IPython's traceback with an arrow at its line. */
export function failedCell(lines: Lines, count: number | null): FailedCell | undefined {
  const start = findLine(lines, /executing the following cell/, 0);
  if (start === null) return count === null ? undefined : { source: null, count, line: 1 };
  const begin = findLine(lines, RULE, start.index);
  const end = begin && findLine(lines, RULE, begin.index + 1);
  if (begin === null || end === null) return { source: null, count, line: 1 };
  const frame = findLine(lines, /(?:Cell|Input) In ?\[\d+\], (?:in )?(?:<cell )?line:? ?(\d+)/, end.index);
  const arrow = findLine(lines, /^\s*-+> ?(\d+)/, end.index);
  return {
    source: lines.slice(begin.index + 1, end.index).join('\n'),
    count,
    line: Number(frame?.match[1] ?? arrow?.match[1] ?? 1),
  };
}

/** Undefined if the text is no notebook, or has no such cell. */
export function findCell(text: string, { source, count, line }: FailedCell): CellPlace | undefined {
  const cells = cellsOf(text);
  const index =
    source === null ? -1 : cells.findIndex((cell) => cell.code && same(cell.lines.join(''), source));
  const chosen = index === -1 ? executed(cells, count) : index;
  return chosen === -1 ? undefined : { index: chosen, fileLine: lineInFile(text, cells, chosen, line) };
}

interface Cell {
  readonly code: boolean;
  readonly lines: readonly string[];
}

/** Notebooks are run from the first cell: the count is the number of the code cell, without empty ones. */
function executed(cells: readonly Cell[], count: number | null): number {
  if (count === null) return -1;
  let seen = 0;
  return cells.findIndex((cell) => cell.code && cell.lines.join('').trim() !== '' && (seen += 1) === count);
}

/** Sources are in the file in cell order, each line as a separate JSON string. */
function lineInFile(text: string, cells: readonly Cell[], index: number, line: number): number {
  let position = 0;
  for (const [at, cell] of cells.entries()) {
    for (const [row, part] of cell.lines.entries()) {
      const found = text.indexOf(JSON.stringify(part), position);
      if (found === -1) continue;
      position = found;
      if (at === index && row === Math.min(line, cell.lines.length) - 1) {
        return text.slice(0, found).split('\n').length;
      }
      position += part.length;
    }
  }
  return 1;
}

function cellsOf(text: string): Cell[] {
  try {
    const { cells } = JSON.parse(text) as { cells?: { cell_type?: unknown; source?: unknown }[] };
    if (!Array.isArray(cells)) return [];
    return cells.map(({ cell_type, source }) => ({
      code: cell_type === 'code',
      lines: [source ?? []].flat().filter((part) => typeof part === 'string'),
    }));
  } catch {
    return [];
  }
}

function same(a: string, b: string): boolean {
  const plain = (source: string) => source.replace(/\s+$/gm, '').trim();
  return plain(a) === plain(b);
}
