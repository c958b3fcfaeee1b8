// Parameters in the front matter of a document: `params:` of R Markdown and Quarto. Parsed without R: computed values
// (`!r`) are known as text only.
import type { Parameter, ParameterValue } from '@pressroom/api/contract';
import { parseDocument, type ScalarTag, type Tags } from 'yaml';
import { isObject } from '../../../platform/is-object.ts';

/** Maximum characters of the parsed block: a malicious one takes a tenth of a second (docs/adr/0020-variants.md). */
const MAX_BLOCK_LENGTH = 16_384;
const MAX_PARAMETERS = 100;
const MAX_CHOICES = 1000;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** A value that the document computes when rendered. */
class Expression {
  readonly code: string;
  constructor(code: string) {
    this.code = code;
  }
}

const computed = (tag: string): ScalarTag => ({
  tag,
  resolve: (code) => new Expression(code),
  identify: (value) => value instanceof Expression,
});

const tags = (known: Tags): Tags => [...known, computed('!r'), computed('!expr')];

/** Empty without parameters, and for invalid YAML: rendering reports the error. */
export function frontMatterParameters(text: string): Parameter[] {
  const block = paramsBlock(text);
  if (block === null || block.length > MAX_BLOCK_LENGTH) return [];
  const read = parsed(block);
  if (!isMapping(read)) return [];
  return Object.entries(read)
    .filter(([name]) => name !== '')
    .slice(0, MAX_PARAMETERS)
    .map(([name, declaration]) => readParameter(name, declaration));
}

function parsed(block: string): unknown {
  try {
    const document = parseDocument(block, { schema: 'core', customTags: tags, logLevel: 'silent' });
    if (document.errors.length > 0) return null;
    const read: unknown = document.toJS({ maxAliasCount: 20 });
    return isMapping(read) ? read['params'] : null;
  } catch {
    // Too deep, or too many aliases.
    return null;
  }
}

/** The lines of `params:` in the front matter. */
function paramsBlock(text: string): string | null {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const start = lines.findIndex((line) => line.trim() !== '');
  if (start < 0 || !/^---\s*$/.test(lines[start] ?? '')) return null;
  const length = lines.slice(start + 1).findIndex((line) => /^(---|\.\.\.)\s*$/.test(line));
  const matter = length < 0 ? [] : lines.slice(start + 1, start + 1 + length);
  const from = matter.findIndex((line) => /^params\s*:/.test(line));
  if (from < 0) return null;
  const rest = matter.slice(from + 1);
  const end = rest.findIndex((line) => /^[^\s#]/.test(line));
  return [matter[from], ...(end < 0 ? rest : rest.slice(0, end))].join('\n');
}

/** @param declaration a value, or a mapping with `value` and its description */
export function readParameter(name: string, declaration: unknown): Parameter {
  const isDescribed = isMapping(declaration) && 'value' in declaration;
  const described = isDescribed ? declaration : {};
  const given = isDescribed ? declaration['value'] : declaration;
  const expression = given instanceof Expression ? given.code.trim() : null;
  const value = valueOf(given);
  const choices = choicesOf(described['choices']);
  const [min, max] = [limitOf(described['min']), limitOf(described['max'])];
  const input = inputOf({ declared: textOf(described['input']), value, expression, choices, min, max });
  return {
    name,
    label: textOf(described['label']) ?? name,
    help: textOf(described['help'] ?? described['description']),
    input,
    // Values of password fields are not shown.
    value: input === 'password' ? null : value,
    expression: input === 'password' ? null : expression,
    choices,
    multiple: described['multiple'] === true || (Array.isArray(value) && described['multiple'] !== false),
    min,
    max,
    step: typeof described['step'] === 'number' && described['step'] > 0 ? described['step'] : null,
  };
}

interface Described extends Pick<Parameter, 'value' | 'expression' | 'choices' | 'min' | 'max'> {
  readonly declared: string | null;
}

function inputOf({ declared, value, expression, choices, min, max }: Described): Parameter['input'] {
  if (declared === 'file' || declared === 'password') return declared;
  if (choices !== null) return declared === 'radio' ? 'radio' : 'select';
  if (declared === 'checkbox' || declared === 'text' || declared === 'date' || declared === 'datetime')
    return declared;
  const hasLimits = typeof min === 'number' && typeof max === 'number';
  if (declared === 'slider') return hasLimits ? 'slider' : 'number';
  if (declared === 'numeric' || declared === 'number') return 'number';
  if (typeof value === 'boolean') return 'checkbox';
  if (typeof value === 'number') return hasLimits ? 'slider' : 'number';
  if (expression !== null) return ofExpression(expression);
  return typeof value === 'string' && DATE.test(value) && (min !== null || max !== null) ? 'date' : 'text';
}

/** The type suggested by a function's name. */
function ofExpression(code: string): Parameter['input'] {
  if (/^(Sys\.Date|as\.Date|lubridate::today|today)\b/.test(code)) return 'date';
  if (/^(Sys\.time|as\.POSIXct|lubridate::now|now)\b/.test(code)) return 'datetime';
  return 'text';
}

function choicesOf(given: unknown): Parameter['choices'] {
  const pairs = Array.isArray(given)
    ? given.map((value) => [value, value])
    : isMapping(given)
      ? Object.entries(given)
      : [];
  const choices = pairs
    .slice(0, MAX_CHOICES)
    .flatMap(([label, value]) => (isAtom(value) ? [{ label: String(label), value: atom(value) }] : []));
  // One of them is computed: only the document knows them all.
  return choices.length === 0 || choices.length < pairs.length ? null : choices;
}

function valueOf(given: unknown): ParameterValue {
  if (isAtom(given)) return typeof given === 'boolean' ? given : atom(given);
  return Array.isArray(given) && given.every(isAtom) ? given.map(atom) : null;
}

function limitOf(given: unknown): string | number | null {
  if (typeof given === 'number') return given;
  return typeof given === 'string' && DATE.test(given) ? given : null;
}

function textOf(given: unknown): string | null {
  return typeof given === 'string' || typeof given === 'number' ? String(given) : null;
}

function isAtom(value: unknown): value is string | number | boolean | bigint {
  return ['string', 'boolean', 'bigint'].includes(typeof value) || Number.isFinite(value);
}

function atom(value: string | number | boolean | bigint): string | number {
  if (typeof value === 'string') return value;
  return typeof value === 'boolean' ? String(value) : Number(value);
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !(value instanceof Expression);
}
