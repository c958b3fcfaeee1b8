// Requests over the whole contract as fast-check arbitraries: valid, nearly valid, and hostile.
import { type Endpoint, operations } from '@pressroom/api/contract';
import { makeArchive } from '@pressroom/testkit';
import fc from 'fast-check';

/** Placeholder for the id of an object that exists when the request is sent. */
export class Ref {
  readonly pool: Pool;
  readonly index: number;
  constructor(pool: Pool, index: number) {
    this.pool = pool;
    this.index = index;
  }
}
export type Pool = 'content' | 'bundle' | 'task' | 'user' | 'group' | 'key' | 'permission';
export const CALLERS = ['nobody', 'viewer', 'publisher', 'stranger', 'administrator', 'nonsense'] as const;
export type CallerName = (typeof CALLERS)[number];

export interface GeneratedRequest {
  readonly operation: Endpoint;
  readonly caller: CallerName;
  /** Encoded path parameters; and encoded query parameters. */
  readonly params: Readonly<Record<string, string | Ref>>;
  readonly query: readonly (readonly [string, string | Ref])[];
  /** Text and bytes are sent unchanged, everything else as JSON. */
  readonly body: unknown;
  readonly transport: 'plain' | 'chunked' | 'cut';
  readonly contentType: string | null;
  readonly checksum: string | null;
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

const TEXTS = [
  '',
  ' ',
  'null',
  'a\0b',
  '\ud800',
  '\u{1f4a9}'.repeat(40),
  'İstanbul ß ﷽ \u202e',
  "'; drop table user_account; --",
  '%s%n{{7*7}}${x}',
  '../../etc/passwd',
  '__proto__',
  '-1',
  '0',
  '9999999999999999999999',
  '1e9',
  'NaN',
  'x'.repeat(5000),
];
/** Parts of URLs; some are invalid percent-encodings or UTF-8. */
const PIECES = [
  '%zz',
  '%',
  '%00',
  '%ff',
  '%c0%af',
  '%ED%A0%80',
  '..%2f..',
  '%2e%2e',
  'x'.repeat(300),
  '%F0%9F%92%A9',
];

const encoded = (text: string) => encodeURIComponent(text.toWellFormed());
const hostileText = fc.oneof(fc.constantFrom(...TEXTS), fc.string({ unit: 'binary', maxLength: 80 }));
const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);
const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom<unknown>(null, true, -1, 0, 1.5, 2 ** 31, 2 ** 53, 1e308, -1e-9, {}, [], [null], deep(50)),
  fc.constant('x'.repeat(70_000)),
  fc.jsonValue({ maxDepth: 3 }),
);

/** A valid value of the schema. @param pool source of UUIDs */
function valid(schema: Schema, pool: Pool): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => valid(one, pool)));
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? ['string']);
  return fc.oneof(...types.map((type) => ofType(type, schema, pool)));
}

function ofType(type: string, schema: Schema, pool: Pool): fc.Arbitrary<unknown> {
  const { minimum = 0, maximum = 1000 } = schema;
  if (type === 'null') return fc.constant(null);
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer') return fc.integer({ min: minimum, max: Math.min(maximum, minimum + 600) });
  if (type === 'number') return fc.double({ min: minimum, max: maximum, noNaN: true });
  if (type === 'array') return fc.array(valid(schema.items!, pool), { maxLength: 4 });
  if (type === 'object') return objectOf(schema, pool);
  if (schema.format === 'uuid') return reference(pool);
  if (schema.format === 'email') return fc.nat(99_999).map((n) => `p${n}@example.com`);
  if (schema.format === 'date-time') {
    const range = { min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true };
    return fc.date(range).map((date) => date.toISOString());
  }
  if (schema.pattern !== undefined) {
    return fc.stringMatching(new RegExp(schema.pattern.replace('{1,15}', '{1,4}').replace(',64}', ',20}')));
  }
  const { minLength = 0, maxLength = 12 } = schema;
  return fc
    .stringMatching(/^[A-Za-z0-9]{6,12}$/)
    .map((text) => text.slice(0, Math.max(minLength, maxLength)));
}

function objectOf(schema: Schema, pool: Pool): fc.Arbitrary<unknown> {
  const fields = Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, field]) => [name, valid(field, poolOf(name, pool))]),
  );
  return fc.record(fields, { requiredKeys: [...(schema.required ?? [])] });
}

function poolOf(name: string, otherwise: Pool): Pool {
  if (/^(owner|user|principal)_guid$/.test(name)) return 'user';
  return name === 'bundle_id' ? 'bundle' : name === 'group_guid' ? 'group' : otherwise;
}

const reference = (pool: Pool) => fc.nat(1000).map((index) => new Ref(pool, index));

/** Objects for `{guid}` and `{id}` in the paths of a group of operations. */
const POOLS: Readonly<Record<string, readonly [guid: Pool, id: Pool]>> = {
  bundles: ['content', 'bundle'],
  content: ['content', 'bundle'],
  groups: ['group', 'user'],
  instrumentation: ['content', 'bundle'],
  permissions: ['content', 'permission'],
  tasks: ['content', 'task'],
  users: ['user', 'key'],
};

const archives = fc.constantFrom<Buffer>(
  makeArchive({ 'index.html': '<p>one</p>' }),
  makeArchive({ 'index.html': '<p>two</p>', 'a/b.txt': 'x' }),
);
const badArchives = fc.oneof(
  fc.uint8Array({ maxLength: 2000 }).map((bytes) => Buffer.from(bytes)),
  fc
    .tuple(archives, fc.nat(100))
    .map(([bytes, n]) => bytes.subarray(0, Math.floor((bytes.length * n) / 101))),
  fc.constantFrom(
    makeArchive({ '../outside': 'x' }),
    makeArchive({ 'index.html': '' }, { appmode: 'cobol' }),
    makeArchive({ 'manifest.json': '{"version":' }),
    makeArchive({ 'manifest.json': '[]' }),
  ),
);

function bodyOf(operation: Endpoint, kind: Kind): fc.Arbitrary<unknown> {
  const { body } = operation;
  if (body === undefined)
    return kind === 'hostile' ? fc.option(hostileText, { nil: undefined }) : fc.constant(undefined);
  if (body === 'archive') return kind === 'valid' ? archives : badArchives;
  if (body === 'file') return fc.constantFrom(Buffer.from('GIF89a'), Buffer.alloc(0), Buffer.from('<svg>'));
  const good = valid(body as Schema, POOLS[operation.group]?.[0] ?? 'user');
  if (kind === 'valid') return good;
  if (kind === 'near') {
    const names = Object.keys((body as Schema).properties ?? {});
    if (names.length === 0)
      return fc.tuple(good, hostileValue).map(([list, value]) => [...(list as unknown[]), value]);
    return fc
      .tuple(good, fc.constantFrom(...names), hostileValue, fc.nat(3))
      .map(([fields, name, value, way]) => {
        const rest = { ...(fields as Record<string, unknown>) };
        delete rest[name];
        return way === 0 ? rest : { ...rest, [name]: value };
      });
  }
  return fc.oneof(
    hostileValue,
    hostileText,
    good.map((value) => JSON.stringify(value).slice(0, -2)),
    good.map((value) => JSON.stringify(value).replace('{', '{"name":7,"__proto__":{"role":1},"name":[],')),
    fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes)),
    fc.nat(200).map((n) => (n === 0 ? `"${'x'.repeat(1_200_000)}"` : '')),
  );
}

function queryOf({ query, group }: Endpoint, kind: Kind): fc.Arbitrary<GeneratedRequest['query']> {
  const fields = Object.entries((query?.properties ?? {}) as Record<string, Schema>);
  if (fields.length === 0) return fc.constant([]);
  const good = fields.map(([name, field]) =>
    valid(field.type === 'array' ? field.items! : field, POOLS[group]?.[0] ?? 'content').map(
      (value) => [name, value instanceof Ref ? value : encoded(String(value))] as const,
    ),
  );
  // A made-up cursor counts as hostile; content may be given as text.
  const usual = good.filter((_, i) => !['next', 'previous', 'content_guid'].includes(fields[i]![0]));
  const filter = fields.some(([name]) => name === 'content_guid')
    ? [reference('content').map((ref) => ['content_guid', ref] as const)]
    : [];
  const required = usual.filter((_, i) => query?.required?.includes(fields[i]![0]));
  const one = fc.oneof(...usual, ...filter);
  if (kind === 'valid') {
    return fc
      .tuple(fc.tuple(...required), fc.array(one, { maxLength: 3 }))
      .map(([must, more]) => [...must, ...more]);
  }
  const bad = fc.tuple(
    fc.constantFrom(...fields.map(([name]) => name)),
    fc.oneof(hostileText.map(encoded), fc.constantFrom(...PIECES)),
  );
  return fc.array(fc.oneof(one, bad, fc.oneof(...good)), { maxLength: 5 });
}

function paramsOf({ path, group }: Endpoint, kind: Kind): fc.Arbitrary<GeneratedRequest['params']> {
  const [guid, id] = POOLS[group] ?? ['user', 'key'];
  const fields = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => {
    const pool = name === 'guid' ? guid : name === 'id' ? id : poolOf(name!, guid);
    const good = reference(pool) as fc.Arbitrary<string | Ref>;
    // An empty path segment would select another operation.
    const bad = fc.oneof(
      hostileText.map((text) => encoded(text) || '%20'),
      fc.constantFrom(...PIECES),
      fc.uuid(),
    );
    const value =
      kind === 'valid' ? good : fc.oneof({ weight: kind === 'near' ? 9 : 2, arbitrary: good }, bad);
    return [name!, value] as const;
  });
  return fc.record(Object.fromEntries(fields));
}

type Kind = 'valid' | 'near' | 'hostile';

/** @param kinds validity of the requests. */
export function requests(kinds: readonly Kind[]): fc.Arbitrary<GeneratedRequest> {
  const one = fc.constantFrom(...(Object.values(operations) as Endpoint[]));
  return fc.tuple(one, fc.constantFrom(...kinds)).chain(([operation, kind]) =>
    fc.record({
      operation: fc.constant(operation),
      caller:
        kind === 'valid'
          ? fc.constantFrom<CallerName>('publisher', 'administrator', 'administrator', 'viewer')
          : fc.constantFrom(...CALLERS),
      params: paramsOf(operation, kind),
      query: queryOf(operation, kind),
      body: bodyOf(operation, kind),
      transport:
        kind === 'hostile'
          ? fc.constantFrom('plain', 'plain', 'plain', 'chunked', 'cut')
          : fc.constantFrom('plain', 'chunked'),
      contentType: fc.constantFrom(null, 'application/json', 'application/x-www-form-urlencoded', 'a/b; c='),
      checksum:
        operation.body === 'archive' && kind !== 'valid'
          ? fc.option(fc.constantFrom('0'.repeat(32), 'zz', '1B2M2Y8AsgTpgAmY7PhCfg=='))
          : fc.constant(null),
    }),
  ) as fc.Arbitrary<GeneratedRequest>;
}
