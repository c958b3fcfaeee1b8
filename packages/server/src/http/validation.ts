// Validates params, query and body of a request against the contract; violations return the field's own code.
import { ApiError, type Endpoint, type ErrorCode, errors, isErrorCode } from '@pressroom/api/contract';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { isPlainText } from '../platform/text.ts';
import { allowedBy, type Field, found } from './allowed.ts';

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, Field>>;
}
type Values = Record<string, unknown>;

export interface Validator {
  params(raw: unknown): Values;
  /** @param raw all values by name, in order. */
  query(raw: Readonly<Record<string, readonly string[]>>): Values;
  body(text: string): unknown;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const BOOLEANS: Readonly<Record<string, boolean>> = {
  1: true,
  t: true,
  true: true,
  0: false,
  f: false,
  false: false,
};
const MAX_DEPTH = 32;

// Unknown fields are dropped: handlers never see them.
const options = { useDefaults: true, removeAdditional: 'all', strict: false } as const;
const ajv = new Ajv({ ...options, verbose: true, allErrors: false });
addFormats.default(ajv);
ajv.addFormat('uuid', UUID);
const rfc3339 = addFormats.default.get('date-time') as { readonly validate: (text: string) => boolean };
ajv.addFormat('date-time', (text) => rfc3339.validate(text) && Date.parse(withoutLeap(text)) > -Infinity);
ajv.addKeyword('x-error');
ajv.addKeyword('x-form');

/** The checks of an operation. Each is compiled when it is first used: for all of them it is half of a server's start. */
export function createValidator(operation: Endpoint): Validator {
  const params = compile(operation.params, 3);
  const query = compile(operation.query, 25);
  const body = compile(typeof operation.body === 'object' ? operation.body : undefined, 121);
  const querySchema = (operation.query ?? {}) as ObjectSchema;
  return {
    params: (raw) => params({ ...(raw as Values) }) as Values,
    query: (raw) => query(readQuery(raw, querySchema)) as Values,
    body: (text) => body(parseJson(text, operation.bodyOptional === true)),
  };
}

function compile(schema: object | undefined, fallback: ErrorCode): (value: unknown) => unknown {
  if (!schema) return () => ({});
  let validate: ValidateFunction | null = null;
  return (value) => {
    validate ??= ajv.compile(schema);
    if (!validate(value)) throw violation(validate.errors!.at(-1)!, fallback);
    return settled(value, schema as ObjectSchema);
  };
}

function violation(error: ErrorObject, fallback: ErrorCode): ApiError {
  const field = nameOf(error.instancePath);
  if (error.keyword === 'required') {
    const missing = [field, String(error.params.missingProperty)].filter((part) => part !== '').join('.');
    return errors.parameterMissing({ message: `${missing} is missing`, field: missing });
  }
  const schema = error.parentSchema as Field;
  const declared = schema['x-error'];
  const code = declared !== undefined && isErrorCode(declared) ? declared : fallback;
  const message = `${field || 'The request body'} must be ${allowedBy(schema)}${found(error)}`;
  return new ApiError(code, { message, field });
}

/** `/sources/0/address` as `sources[0].address`. */
function nameOf(path: string): string {
  const parts = path.split('/').slice(1);
  return parts
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((name, part) => {
      if (/^\d+$/.test(part)) return `${name || 'body'}[${part}]`;
      return name === '' ? part : `${name}.${part}`;
    }, '');
}

/** In the form that is stored: UUIDs, which are case-insensitive, in lower case; times that `Date` knows. */
function settled(value: unknown, schema: ObjectSchema): unknown {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const values = value as Values;
    const text = values[name];
    if (typeof text !== 'string') continue;
    if (field.format === 'uuid') values[name] = text.toLowerCase();
    if (field.format === 'date-time') values[name] = withoutLeap(text);
  }
  return value;
}

/** `Date` does not know leap seconds: the second after. */
function withoutLeap(text: string): string {
  const before = text.replace(/:60(?=[.Z+-])/i, ':59');
  const time = before === text ? NaN : Date.parse(before);
  return Number.isNaN(time) ? text : new Date(time + 1000).toISOString();
}

function readQuery(raw: Readonly<Record<string, readonly string[]>>, schema: ObjectSchema): Values {
  const values: Values = {};
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const given = raw[name];
    if (!given) continue;
    if (given.some((text) => !isPlainText(text)))
      throw errors.invalidParameter({ message: `${name} contains characters that are not allowed` });
    // Only the first value of a repeated parameter counts, unless it is a list.
    values[name] = field.type === 'array' ? [...given] : fromText(name, given[0]!, field);
  }
  return values;
}

function fromText(name: string, text: string, field: Field): unknown {
  if (field.type === 'boolean') {
    const value = BOOLEANS[text.toLowerCase()];
    if (value === undefined)
      throw errors.invalidParameter({ message: `${name} must be ${allowedBy(field)}` });
    return value;
  }
  if (field.type === 'integer') {
    if (!/^[+-]?\d+$/.test(text))
      throw errors.invalidParameter({ message: `${name} must be ${allowedBy(field)}` });
    return Number(text);
  }
  // An unescaped + of a time offset arrives as a space.
  return field.format === 'date-time' ? text.replace(/ (?=\d\d:\d\d$)/, '+') : text;
}

/** @throws ApiError 87 for invalid JSON, 121 for text that no database column can hold. */
export function parseJson(text: string, optional = false): unknown {
  if (optional && text.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw errors.unreadableBody({ cause });
  }
  if (optional && value === null) return {};
  requirePlain(value, 0);
  return value;
}

function requirePlain(value: unknown, depth: number): void {
  if (depth > MAX_DEPTH) throw errors.invalidJson({ message: 'the JSON is nested too deeply' });
  if (typeof value === 'string' && !isPlainText(value)) {
    throw errors.invalidJson({ message: 'the JSON contains characters that are not allowed' });
  }
  if (typeof value !== 'object' || value === null) return;
  for (const item of Object.values(value)) requirePlain(item, depth + 1);
}
