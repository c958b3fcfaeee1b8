// Numbers that moved between two renderings of a page, by table cell. Documents are untrusted: only the tables are
// parsed, up to a limit.
import { defaultTreeAdapter as tree, parseFragment, type DefaultTreeAdapterMap } from 'parse5';
import { boundedTree, HtmlTooLarge } from '../../platform/bounded-html.ts';

export interface MovedNumber {
  /** Caption of the table, or its position on the page, such as "Table 2". */
  readonly table: string;
  /** Text of the row's first cell, or its position, such as "Row 3". */
  readonly row: string;
  /** Text of the header cell, or its position, such as "Column 2". */
  readonly column: string;
  /** As shown on the pages. */
  readonly before: string;
  readonly after: string;
  readonly difference: number;
  /** Change relative to the number before; null if that was 0. */
  readonly percent: number | null;
}

interface Table {
  readonly name: string;
  /** Cells by row name and column name. */
  readonly rows: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

type Node = DefaultTreeAdapterMap['node'];
type Element = DefaultTreeAdapterMap['element'];

/** Limits: characters of the tables on a page, cells of a page, and characters of a cell. */
export const MAX_CHARACTERS = 2 ** 17;
const MAX_CELLS = 5000;
/** More than the tags of that many characters make, if they are closed. */
const MAX_ELEMENTS = 50_000;
const MAX_CELL_LENGTH = 200;
const MAX_NAME_LENGTH = 80;

/** Sorted by relative change, largest first; numbers that were 0 before come first of all. */
export function movedNumbers(before: string, after: string): MovedNumber[] {
  const old = new Map(tablesOf(before).map((table) => [table.name, table]));
  const moved: MovedNumber[] = [];
  for (const { name, rows } of tablesOf(after))
    for (const [row, cells] of rows)
      for (const [column, text] of cells) {
        const was = old.get(name)?.rows.get(row)?.get(column);
        const found = was === undefined ? null : compare(was, text);
        if (found !== null) moved.push({ table: name, row, column, before: was!, after: text, ...found });
      }
  const share = ({ percent }: MovedNumber) => (percent === null ? Infinity : Math.abs(percent));
  return moved.toSorted((a, b) => (share(a) === share(b) ? 0 : share(b) - share(a)));
}

function compare(before: string, after: string): Pick<MovedNumber, 'difference' | 'percent'> | null {
  const [was, is] = [numberIn(before), numberIn(after)];
  if (was === null || is === null || was === is) return null;
  const difference = Number((is - was).toPrecision(12));
  if (!Number.isFinite(difference)) return null;
  return { difference, percent: was === 0 ? null : Number(((100 * difference) / Math.abs(was)).toFixed(2)) };
}

/** Accepts a sign, a currency or unit before or after the number, and thousands separators; null for other text. */
export function numberIn(text: string): number | null {
  const match = /^[^\d.,+−-]{0,4}([+−-]?)(\d[\d.,'’\s]*|\.\d+)(e[+-]?\d{1,3})?[^\d]{0,8}$/iu.exec(text);
  if (!match) return null;
  const [, sign, digits = '', exponent = ''] = match;
  let plain = digits.replaceAll(/['’\s]/g, '').replace(/[.,]$/, '');
  const isThousands = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(plain);
  plain = isThousands ? plain.replaceAll(',', '') : plain.replace(/^(\d+),(\d+)$/, '$1.$2');
  const value = Number(plain + exponent);
  if (!Number.isFinite(value)) return null;
  return sign === '' || sign === '+' ? value : -value;
}

export function tablesOf(html: string): Table[] {
  const tables: Table[] = [];
  const names = new Map<string, number>();
  let left = { characters: MAX_CHARACTERS, cells: MAX_CELLS };
  const elements = { elements: MAX_ELEMENTS };
  for (const source of sourcesOf(html)) {
    left = { ...left, characters: left.characters - source.length };
    if (left.characters < 0) break;
    const table = readTable(source, elements);
    if (!table) continue;
    const caption = table.childNodes.find(isNamed('caption'));
    const name = caption ? textOf(caption).slice(0, MAX_NAME_LENGTH) : '';
    const cells = rowsOf(table, left.cells);
    left = { ...left, cells: left.cells - cells.reduce((sum, row) => sum + row.length, 0) };
    tables.push({ name: once(names, name || `Table ${tables.length + 1}`), rows: byName(cells) });
  }
  return tables;
}

/** Undefined for no table, or for one beyond the limit. */
function readTable(source: string, left: { elements: number }): Element | undefined {
  try {
    return tree
      .getChildNodes(parseFragment(source, { treeAdapter: boundedTree(left) }))
      .find(isNamed('table'));
  } catch (error) {
    if (error instanceof HtmlTooLarge) return undefined;
    throw error;
  }
}

/** The text between `<table` and the next `</table>`, in page order. */
function* sourcesOf(html: string): Generator<string> {
  const tags = /<table[\s>]|<\/table\s*>/gi;
  let from: number | null = null;
  for (let tag = tags.exec(html); tag !== null; tag = tags.exec(html)) {
    if (!tag[0].startsWith('</')) from = tag.index;
    else if (from !== null) {
      yield html.slice(from, tags.lastIndex);
      from = null;
    }
  }
}

function rowsOf(table: Element, limit: number): { readonly isHeader: boolean; readonly text: string }[][] {
  const rows: { readonly isHeader: boolean; readonly text: string }[][] = [];
  let count = 0;
  for (const row of below(table, 'tr')) {
    const cells = row.childNodes.filter((node) => isNamed('td')(node) || isNamed('th')(node));
    if ((count += cells.length) > limit) break;
    rows.push(
      cells.map((cell) => ({ isHeader: isNamed('th')(cell), text: textOf(cell).slice(0, MAX_CELL_LENGTH) })),
    );
  }
  return rows;
}

/** The first row names the columns if it is a header; the first cell of each row names the row. */
function byName(rows: ReturnType<typeof rowsOf>): Table['rows'] {
  const [first = []] = rows;
  const hasHeader = first.length > 0 && first.every(({ isHeader, text }) => isHeader || text === '');
  const columns = new Map<string, number>();
  const called = first.map(({ text }, i) =>
    once(columns, (hasHeader && text.slice(0, MAX_NAME_LENGTH)) || `Column ${i + 1}`),
  );
  const names = new Map<string, number>();
  return new Map(
    rows.slice(hasHeader ? 1 : 0).map((cells, i) => {
      const [label] = cells;
      const isLabel = label !== undefined && label.text !== '' && numberIn(label.text) === null;
      const name = once(
        names,
        isLabel || label?.isHeader ? label!.text.slice(0, MAX_NAME_LENGTH) : `Row ${i + 1}`,
      );
      return [name, new Map(cells.map(({ text }, at) => [called[at] ?? `Column ${at + 1}`, text]))];
    }),
  );
}

/** Makes repeated names unique: "North", "North (2)". */
function once(known: Map<string, number>, name: string): string {
  const count = (known.get(name) ?? 0) + 1;
  known.set(name, count);
  return count === 1 ? name : `${name} (${count})`;
}

function isNamed(name: string) {
  return (node: Node): node is Element => tree.isElementNode(node) && node.tagName === name;
}

function* below(node: Element, name: string): Generator<Element> {
  const open: Node[] = node.childNodes.toReversed();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (!tree.isElementNode(next)) continue;
    if (next.tagName === name) yield next;
    else open.push(...next.childNodes.toReversed());
  }
}

function textOf(node: Element): string {
  const open: Node[] = node.childNodes.toReversed();
  let text = '';
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (tree.isTextNode(next)) text += next.value;
    else if (tree.isElementNode(next)) open.push(...next.childNodes.toReversed());
  }
  return text.replaceAll(/\s+/g, ' ').trim();
}
