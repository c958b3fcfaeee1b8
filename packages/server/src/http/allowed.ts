// What a field of a request may be, and what it was, in plain words: keywords and patterns of a schema mean nothing to
// people.
import type { ErrorObject } from 'ajv';

export interface Field {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly 'x-error'?: number;
  readonly 'x-form'?: string;
}

const MAX_SHOWN = 40;
const oneOf = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** What follows "must be". Null is not mentioned: who has nothing to give leaves the field out. */
export function allowedBy(field: Field): string {
  if (field['x-form'] !== undefined) return field['x-form'];
  if (field.enum) return oneOf.format(field.enum.filter((value) => value !== null).map(String));
  const [type] = [field.type ?? 'string'].flat();
  if (type === 'boolean') return 'true or false';
  if (type === 'integer') return `a whole number${range(field.minimum, field.maximum)}`;
  if (type === 'number') return `a number${range(field.minimum, field.maximum)}`;
  if (type === 'array') return `a list${field.maxItems ? ` of at most ${field.maxItems} items` : ''}`;
  if (type === 'object')
    return `an object${field.maxProperties ? ` of at most ${field.maxProperties} fields` : ''}`;
  return textOf(field);
}

function textOf({ format, minLength = 0, maxLength }: Field): string {
  if (format === 'uuid') return 'a UUID';
  if (format === 'date-time') return 'an RFC 3339 time such as 2030-01-31T12:00:00Z';
  if (maxLength === undefined) return 'text';
  return minLength > 0 ? `${minLength} to ${maxLength} characters` : `at most ${maxLength} characters`;
}

function range(low: number | undefined, high: number | undefined): string {
  if (low !== undefined && high !== undefined) return ` from ${low} to ${high}`;
  if (low !== undefined) return ` of at least ${low}`;
  return high === undefined ? '' : ` of at most ${high}`;
}

/** What was found, without the value of a field that could hold a secret. */
export function found({ keyword, data, schema, parentSchema }: ErrorObject): string {
  if (keyword === 'enum' && !(parentSchema as Field)['x-form'])
    return typeof data === 'string'
      ? `, not "${data.length > MAX_SHOWN ? `${data.slice(0, MAX_SHOWN)}…` : data}"`
      : `, not ${kindOf(data)}`;
  if (keyword === 'type') {
    // Identifiers are text, though their digits look like a number.
    if (typeof data === 'number' && [schema].flat().includes('string') && (parentSchema as Field)['x-form'])
      return ', as text in quotes';
    const isFraction = typeof data === 'number' && [schema].flat().includes('integer');
    return `, not ${isFraction ? data : kindOf(data)}`;
  }
  if (keyword === 'minLength' || keyword === 'maxLength') return `; it has ${[...(data as string)].length}`;
  if (keyword === 'maxItems') return `; it has ${(data as unknown[]).length}`;
  if (keyword === 'minimum' || keyword === 'maximum') return `, not ${data as number}`;
  return '';
}

function kindOf(data: unknown): string {
  if (data === null) return 'null';
  if (Array.isArray(data)) return 'a list';
  if (typeof data === 'object') return 'an object';
  return typeof data === 'string' ? 'text' : typeof data === 'number' ? 'a number' : 'true or false';
}
