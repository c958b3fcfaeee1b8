// Finds a cell of a notebook by its source, and the line of the .ipynb file where a line of the cell stands.

export interface CellPlace {
  /** Among all cells, from 0. */
  index: number;
  /** Line of the file, from 1. */
  fileLine: number;
}

/** @param line of the cell, from 1. Undefined when no cell has that source, or the file is no notebook. */
export function findCell(text: string, source: string, line: number): CellPlace | undefined {
  const cells = cellsOf(text);
  const wanted = normal(source);
  const index = cells.findIndex((cell) => cell.code && normal(cell.lines.join('')) === wanted);
  if (index === -1) return undefined;
  // Sources stand in the file in the order of the cells, each line as a JSON string of its own.
  let position = 0;
  for (const [at, cell] of cells.entries()) {
    for (const [row, part] of cell.lines.entries()) {
      const found = text.indexOf(JSON.stringify(part), position);
      if (found === -1) continue;
      position = found;
      if (at === index && row === Math.min(line, cell.lines.length) - 1) {
        return { index, fileLine: text.slice(0, found).split('\n').length };
      }
      position += part.length;
    }
  }
  return { index, fileLine: 1 };
}

function cellsOf(text: string): { code: boolean; lines: string[] }[] {
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

function normal(source: string): string {
  return source.replace(/\s+$/gm, '').trim();
}
