// Checks the fields of a response that the contract guarantees.
import type { Endpoint } from '../contract/endpoint.ts';
import { isObject } from '../contract/is-object.ts';
import { INVALID_RESPONSE, wording } from './failure-texts.ts';
import { InvalidResponseError, type FailureContext } from './failures.ts';

/** Fields that callers rely on. Other missing or additional fields of older or newer servers are accepted. */
const NEEDED = new Set([
  'guid',
  'id',
  'task_id',
  'bundle_id',
  'finished',
  'results',
  'installations',
  'key',
  'device_code',
  'user_code',
]);

interface Schema {
  type?: string | readonly string[];
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
}

/**
 * Checks the fields of a response that callers rely on, and converts numbers to strings where the contract has strings
 * (ids of older servers). What is missing becomes null where the contract permits that, else an empty list or object;
 * unknown fields stay. Throws InvalidResponseError.
 */
export function conform(operation: Endpoint, value: unknown, context: FailureContext): unknown {
  if (typeof operation.response !== 'object') return value;
  const wrong: Refuse = (what) => {
    throw new InvalidResponseError({
      ...context,
      kind: 'wrong-shape',
      status: 200,
      message: wording(INVALID_RESPONSE.wrongShape, context.server, context.operation, what),
    });
  };
  return check(operation.response as Schema, value, '', wrong);
}

type Refuse = (what: string) => never;

/** @param path such as `results[0].guid`; empty for the whole response */
function check(schema: Schema, value: unknown, path: string, wrong: Refuse): unknown {
  if (schema.type === 'array') {
    if (!Array.isArray(value)) return wrong(`${path || 'the response'} is not a list`);
    const { items } = schema;
    return items ? value.map((item, index) => check(items, item, `${path}[${index}]`, wrong)) : value;
  }
  if (schema.type !== 'object') return value;
  if (!isObject(value)) return wrong(`${path || 'the response'} is not an object`);
  const result: Record<string, unknown> = { ...value };
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const at = path === '' ? name : `${path}.${name}`;
    const field = result[name];
    const isNeeded = NEEDED.has(name);
    if (field === undefined || field === null) {
      // Servers that forget old bundles return a null id for visits (an integer in the contract).
      const isOptional = allows(property, 'null') || allows(property, 'integer');
      if (isNeeded && !isOptional && schema.required?.includes(name)) wrong(`${at} is missing`);
      if (schema.required?.includes(name)) fill(result, name, property);
    } else if (allows(property, 'string') && typeof field === 'number') result[name] = String(field);
    else if (isNeeded) result[name] = checkNeeded(property, field, at, wrong);
  }
  return result;
}

/** Unknown is something else than empty. */
const UNKNOWN = new Set(['stages']);

/** Texts, numbers and flags of the response itself stay missing. */
function fill(result: Record<string, unknown>, name: string, property: Schema): void {
  if (allows(property, 'null')) result[name] = null;
  else if ((property.type === 'array' && !UNKNOWN.has(name)) || property.type === 'object')
    result[name] = emptyOf(property);
}

function emptyOf(schema: Schema): unknown {
  if (allows(schema, 'null')) return null;
  if (schema.type === 'array') return [];
  if (schema.type === 'boolean') return false;
  if (schema.type !== 'object') return schema.type === 'string' ? '' : 0;
  const required = Object.entries(schema.properties ?? {}).filter(([name]) =>
    schema.required?.includes(name),
  );
  return Object.fromEntries(required.map(([name, property]) => [name, emptyOf(property)]));
}

function checkNeeded(schema: Schema, field: unknown, at: string, wrong: Refuse): unknown {
  if (schema.type === 'array' || schema.type === 'object') return check(schema, field, at, wrong);
  // Ids of visits are numbers, strings or null; all are accepted.
  const expected = allows(schema, 'boolean') ? ['boolean'] : ['string', 'number', 'boolean'];
  return expected.includes(typeof field) ? field : wrong(`${at} has the wrong type`);
}

function allows(schema: Schema, type: string): boolean {
  return [schema.type ?? []].flat().includes(type);
}
