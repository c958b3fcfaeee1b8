// The schema vocabulary of the contract: nullable and enumerated fields, defaults, and error codes of violations.
import * as Type from 'typebox';

export { Type };
export type { Static, TObject, TSchema } from 'typebox';

export interface FieldOptions {
  readonly description?: string;
  /** The error code (contract, section 7) for a violation of this field. */
  readonly 'x-error'?: number;
  /** What is allowed, after "must be", where the schema says it with `pattern` or `anyOf`. */
  readonly 'x-form'?: string;
  readonly [keyword: string]: unknown;
}

/** A value or null, as a two-element `type`, which every JSON Schema tool understands. */
export function Nullable<S extends Type.TSchema>(schema: S) {
  const { type, enum: values, ...rest } = schema as { type?: string; enum?: string[] };
  return Type.Unsafe<Type.Static<S> | null>({
    ...rest,
    type: [type ?? 'string', 'null'],
    ...(values && { enum: [...values, null] }),
  });
}

/** One of the listed strings. */
export function OneOf<const V extends readonly string[]>(values: V, options: FieldOptions = {}) {
  return Type.Unsafe<V[number]>({ ...options, type: 'string', enum: [...values] });
}

/** A closed object: responses have only these fields. */
export function Closed<P extends Type.TProperties>(properties: P, options: FieldOptions = {}) {
  return Type.Object(properties, { ...options, additionalProperties: false });
}

/** An optional field with the default `value`. */
export function Defaulted<S extends Type.TSchema>(schema: S, value: Type.Static<S>) {
  return Type.Optional({ ...schema, default: value }) as Type.TOptional<S> & { default: unknown };
}

export const Uuid = Type.String({ format: 'uuid' });
export const DateTime = Type.String({ format: 'date-time', description: 'RFC 3339, UTC' });

/** A time to be stored: the microseconds of times after 2255 are no exact numbers. */
export const StoredTime = (description: string) =>
  Type.String({
    format: 'date-time',
    pattern: '^([01]\\d|2[01])\\d\\d-',
    'x-form': 'an RFC 3339 time such as 2030-01-31T12:00:00Z, before the year 2200',
    'x-error': 136,
    description,
  });

/** A uuid or id in a path: invalid ones are error 3. */
export const PathUuid = Type.String({ format: 'uuid', 'x-error': 3 });
export const TaskId = Type.String({
  pattern: '^[A-Za-z0-9]{1,64}$',
  'x-form': '1 to 64 letters and digits',
  'x-error': 3,
});
export const NumericId = Type.String({
  pattern: '^[0-9]{1,15}$',
  'x-form': 'a number of 1 to 15 digits',
  'x-error': 3,
});

/** Optional headers of an upload. */
export const ArchiveHeaders = Type.Object({
  'x-content-checksum': Type.Optional(
    Type.String({ description: 'MD5 of the archive, hex or base64', 'x-error': 104 }),
  ),
});

const MAX_INT32 = 2 ** 31 - 1;

export const Int32 = (options: FieldOptions = {}) =>
  Type.Integer({ minimum: -MAX_INT32 - 1, maximum: MAX_INT32, ...options });
/** `limit` of keyset operations and remote searches: 1 to 500, 20 by default (section 8). */
export const Limit = Defaulted(Type.Integer({ minimum: 1, maximum: 500, 'x-error': 13 }), 20);
/** `page_number` and `page_size` of the offset operations (section 1, "Offset rules"). */
export const OffsetQuery = {
  page_number: Defaulted(Type.Integer({ minimum: 1, maximum: MAX_INT32, 'x-error': 13 }), 1),
  page_size: Defaulted(Type.Integer({ minimum: 1, maximum: 500, 'x-error': 13 }), 20),
};

/** For lists that the contract does not page: everything on one page, unless a client requests pages. */
export const OptionalPaging = {
  page_number: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_INT32, 'x-error': 13 })),
  page_size: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 500, 'x-error': 13, description: 'Default: all on one page' }),
  ),
};

/** The `paging` object of the keyset operations (section 2, "Pager objects"). */
export const Pager = Closed({
  cursors: Closed({ next: Nullable(Type.String()), previous: Nullable(Type.String()) }),
  first: Nullable(Type.String()),
  last: Nullable(Type.String()),
  next: Nullable(Type.String()),
  previous: Nullable(Type.String()),
});
export type Pager = Type.Static<typeof Pager>;

/** A page of an offset operation. */
export const PageOf = <S extends Type.TSchema>(item: S) =>
  Closed({ current_page: Type.Integer(), results: Type.Array(item), total: Type.Integer() });
/** A page of a keyset operation. */
export const KeysetPageOf = <S extends Type.TSchema>(item: S) =>
  Closed({ paging: Pager, results: Type.Array(item) });
