// Parameters of a Jupyter notebook: assignments in the cell tagged `parameters`. Front matter in a first raw cell may
// describe them, as in Quarto.
import type { Parameter, ParameterValue } from '@pressroom/api/contract';
import { frontMatterParameters, readParameter } from './front-matter.ts';

const MAX_PARAMETERS = 100;
/** `name = literal`, followed by papermill's type or comment. */
const ASSIGNMENT =
  /^([A-Za-z_]\w*)(?:[ \t]*:[ \t]*([\w.[\]][\w.[\], ]{0,59}?))?[ \t]*=[ \t]*((?:[^=\s].*)?)$/;
/** Maximum characters of a line; longer ones are no assignments for a form. */
const MAX_LINE_LENGTH = 10_000;
const TEXT = /^(?:"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)')$/;

interface Cell {
  readonly cell_type?: unknown;
  readonly source?: unknown;
  readonly metadata?: { readonly tags?: unknown };
}

/** Empty without parameters, and for an invalid notebook: rendering reports the error. */
export function notebookParameters(text: string): Parameter[] {
  const cells = cellsOf(text);
  const cell = cells.find(({ cell_type, metadata }) => cell_type === 'code' && hasTag(metadata?.tags));
  if (cell === undefined) return [];
  const first = cells[0];
  return cellParameters(sourceOf(cell), first?.cell_type === 'raw' ? sourceOf(first) : '');
}

/** @param code of the cell that declares them. @param description front matter that may describe them */
export function cellParameters(code: string, description: string): Parameter[] {
  const described = new Map(frontMatterParameters(description).map((one) => [one.name, one]));
  const found = new Map<string, Parameter>();
  for (const line of code.split(/\r?\n/)) {
    const parameter = readAssignment(line);
    if (parameter === null) continue;
    const words = described.get(parameter.name);
    // The cell decides the value, the front matter the form field.
    const { value, expression } = parameter;
    found.set(parameter.name, words ? { ...words, value, expression } : parameter);
  }
  return [...found.values()].slice(0, MAX_PARAMETERS);
}

function cellsOf(text: string): Cell[] {
  try {
    const { cells } = JSON.parse(text) as { cells?: unknown };
    return Array.isArray(cells) ? cells.filter((cell) => typeof cell === 'object' && cell !== null) : [];
  } catch {
    return [];
  }
}

function hasTag(tags: unknown): boolean {
  return Array.isArray(tags) && tags.includes('parameters');
}

function sourceOf({ source }: Cell): string {
  return Array.isArray(source) ? source.join('') : typeof source === 'string' ? source : '';
}

function readAssignment(line: string): Parameter | null {
  const [, name, annotation, rest] = (line.length <= MAX_LINE_LENGTH && ASSIGNMENT.exec(line)) || [];
  if (name === undefined || !rest) return null;
  const { code, comment } = withoutComment(rest);
  const read = literal(code);
  const typed = annotation ?? /^type:\s*([\w.[\]]+)/.exec(comment)?.[1] ?? '';
  const help = comment.replace(/^type:\s*\S+\s*/, '').replace(/^[-:\s]+/, '');
  const parameter = readParameter(name, read === undefined ? null : read);
  const isNumber = /^(int|float)\b/.test(typed) && parameter.input === 'text';
  return {
    ...parameter,
    help: help === '' ? null : help,
    input: /^bool\b/.test(typed) ? 'checkbox' : isNumber ? 'number' : parameter.input,
    expression: read === undefined ? code : null,
  };
}

/** Splits off a comment; `#` may be part of a string. */
function withoutComment(rest: string): { code: string; comment: string } {
  let quote = '';
  for (let i = 0; i < rest.length; i += 1) {
    const at = rest[i] as string;
    if (quote !== '' && at === '\\') i += 1;
    else if (at === quote) quote = '';
    else if (quote === '' && (at === '"' || at === "'")) quote = at;
    else if (quote === '' && at === '#')
      return { code: rest.slice(0, i).trim(), comment: rest.slice(i + 1).trim() };
  }
  return { code: rest.trim(), comment: '' };
}

/** A Python literal; undefined for computed values. */
function literal(code: string): ParameterValue | undefined {
  if (code === 'None') return null;
  if (code === 'True' || code === 'False') return code === 'True';
  if (/^[+-]?(\d[\d_]*)(\.\d*)?([eE][+-]?\d+)?$|^[+-]?\.\d+$/.test(code))
    return Number(code.replaceAll('_', ''));
  const text = TEXT.exec(code);
  if (text) return unescaped(text[1] ?? text[2] ?? '');
  if (!/^\[.*\]$/.test(code)) return undefined;
  const items = code.slice(1, -1).match(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^,\s][^,]*/g) ?? [];
  // No nested lists.
  const values = items.map((item) => (item.startsWith('[') ? undefined : literal(item.trim())));
  return values.every((value) => typeof value === 'string' || typeof value === 'number') ? values : undefined;
}

function unescaped(text: string): string {
  const known: Record<string, string> = { n: '\n', t: '\t' };
  return text.replace(/\\(.)/g, (_, letter: string) => known[letter] ?? letter);
}
