import { ApiError, type Endpoint, isErrorCode, operations } from '@pressroom/api/contract';
import { expect, test } from 'vitest';
import { createValidator, type Validator } from './validation.ts';

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly 'x-form'?: string;
  readonly examples?: readonly string[];
}

const SECRET = 'hunter2!hunter2!';
const WRONG = [1e12, -1, 1.5, '', SECRET, SECRET.repeat(5000), true, null, [], [SECRET], [7], { key: 7 }];
const WRONG_TEXTS = ['', '-1', '1.5', '999999999999', SECRET, SECRET.repeat(5000)];
const all = Object.values<Endpoint>(operations);

/** A valid value. */
function valid(schema: Schema): unknown {
  if (schema.enum) return schema.enum[0];
  if (schema.examples) return schema.examples[0];
  if (schema.anyOf) return valid(schema.anyOf[0]!);
  const [type] = [schema.type].flat();
  if (type === 'object')
    return Object.fromEntries(
      (schema.required ?? []).map((name) => [name, valid(schema.properties![name]!)]),
    );
  if (type === 'array') return [];
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1;
  if (type === 'boolean') return true;
  if (schema.format === 'uuid') return '00000000-0000-4000-8000-000000000000';
  return schema.format === 'date-time' ? '2030-01-31T12:00:00Z' : 'a'.repeat(schema.minLength ?? 3);
}

/** Values of a field, each wrong at one place, and the name of that place. */
function* wrong(schema: Schema, name: string): Generator<[name: string, value: unknown]> {
  for (const value of WRONG) yield [name, value];
  const base = valid(schema);
  for (const [key, field] of Object.entries(schema.properties ?? {})) {
    const inner = name === '' ? key : `${name}.${key}`;
    for (const [at, value] of wrong(field, inner)) yield [at, { ...(base as object), [key]: value }];
    if (schema.required?.includes(key)) {
      const { [key]: _, ...rest } = base as Record<string, unknown>;
      yield [inner, rest];
    }
  }
  if (schema.items)
    for (const [at, value] of wrong(schema.items, `${name || 'body'}[0]`)) yield [at, [value]];
}

function refusalsOf(operation: Endpoint): { field: string; code: number; message: string }[] {
  const validator: Validator = createValidator(operation);
  const { params, query, body } = operation;
  const tries: [string, () => unknown][] = [];
  for (const field of Object.keys(params?.properties ?? {}))
    for (const text of WRONG_TEXTS)
      tries.push([field, () => validator.params({ ...(valid(params as Schema) as object), [field]: text })]);
  for (const field of Object.keys(query?.properties ?? {}))
    for (const text of WRONG_TEXTS) tries.push([field, () => validator.query({ [field]: [text] })]);
  if (typeof body === 'object')
    for (const [field, value] of wrong(body as Schema, ''))
      tries.push([field, () => validator.body(JSON.stringify(value))]);
  return tries.flatMap(([field, attempt]) => {
    try {
      attempt();
      return [];
    } catch (error) {
      const { code, message } = error as ApiError;
      return [{ field, code, message }];
    }
  });
}

const refusals = all.flatMap((operation) =>
  refusalsOf(operation).map((refusal) => ({ operation, ...refusal })),
);

/** Fields whose schema has a pattern or alternatives, but no words for them. */
function unexplained(schema: Schema, name: string): string[] {
  const { properties = {}, items, pattern, anyOf } = schema;
  const allowsAll = anyOf?.some((form) => Object.keys(form).length === 0);
  return [
    ...((pattern ?? (allowsAll ? undefined : anyOf)) && !schema['x-form'] ? [name] : []),
    ...Object.entries(properties).flatMap(([key, field]) => unexplained(field, `${name}.${key}`)),
    ...(items ? unexplained(items, `${name}[]`) : []),
  ];
}

test('a field with a pattern or alternatives says in words what is allowed (x-form)', () => {
  const fields = all.flatMap(({ operationId, params, query, body }) =>
    [params, query, body].flatMap((schema) =>
      typeof schema === 'object' ? unexplained(schema as Schema, operationId) : [],
    ),
  );
  expect(fields).toEqual([]);
});

test('refused input of every operation is explained in one sentence that names the field', () => {
  expect(refusals.length).toBeGreaterThan(5000);
  const sentence = /^(The request body|[a-zA-Z_]+\S*) (must be [^{}^$]+|is missing)$/;
  const odd = refusals.filter(({ message }) => !sentence.test(message));
  expect(odd.map(({ operation, message }) => `${operation.operationId}: ${message}`)).toEqual([]);
});

test('the explanation names the field that is wrong, or an item of it', () => {
  const other = refusals.filter(({ field, message }) => {
    const named = field || (message.startsWith('body[0] ') ? 'body[0]' : 'The request body');
    const names = [named, `${named}[0]`, `${named}.key`];
    return !message.endsWith(' is missing') && !names.some((name) => message.startsWith(`${name} must be `));
  });
  expect(other.map(({ field, message }) => `${field}: ${message}`)).toEqual([]);
});

test('a refused value is shown only for a field with a list of values', () => {
  const shown = refusals.filter(({ message }) => message.includes('hunter2'));
  expect(shown.length).toBeGreaterThan(20);
  const lists = /^(.*(role|_type|type|order|sort|by|language|decision|keep|visibility|image_name)) must be /;
  expect(shown.map(({ message }) => message).filter((message) => !lists.test(message))).toEqual([]);
});

test('an identifier of digits that came as a number is to be text, not a number', () => {
  const { body } = createValidator(operations.deployContentBundle);
  expect(() => body('{"bundle_id": 42}')).toThrow(
    'bundle_id must be a number of 1 to 15 digits, as text in quotes',
  );
  expect(refusals.filter(({ message }) => /must be a number.*, not a number/.test(message))).toEqual([]);
});

test('no explanation repeats the default message of its code', () => {
  const repeated = refusals.filter(
    ({ code, message }) => isErrorCode(code) && message.includes(new ApiError(code).message),
  );
  expect(repeated).toEqual([]);
});

test('every check of the contract compiles', () => {
  for (const [id, operation] of Object.entries<Endpoint>(operations)) {
    const { params, query, body } = createValidator(operation);
    for (const check of [() => params({}), () => query({}), () => body('{}')]) {
      try {
        check();
      } catch (error) {
        expect(error, id).toBeInstanceOf(ApiError);
      }
    }
  }
});
