// Stands in for typebox in the packed extension: schemas as plain JSON, without the checks that only the server runs. The
// contract is loaded with the extension, and this is a tenth of the code and of the time.

type Schema = Readonly<Record<string, unknown>>;
type Options = Schema | undefined;

/** Fields that may be missing; typebox marks them invisibly, too. */
const optional = new WeakSet<Schema>();

const typed = (type: string) => (options?: Options) => ({ type, ...options });

export const { Boolean, Integer, Null, Number, String } = {
  Boolean: typed('boolean'),
  Integer: typed('integer'),
  Null: typed('null'),
  Number: typed('number'),
  String: typed('string'),
};

export function Array(items: Schema, options?: Options) {
  return { type: 'array', items, ...options };
}

export function Object(properties: Readonly<Record<string, Schema>>, options?: Options) {
  const required = globalThis.Object.keys(properties).filter((name) => !optional.has(properties[name]!));
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options };
}

export function Optional(schema: Schema) {
  const own = { ...schema };
  optional.add(own);
  return own;
}

export function Partial({ properties }: ReturnType<typeof Object>) {
  const all = globalThis.Object.entries(properties).map(([name, schema]) => [name, Optional(schema)]);
  return Object(globalThis.Object.fromEntries(all));
}

/** Of texts only: the contract has no other keys. */
export function Record(_key: Schema, value: Schema, options?: Options) {
  return { type: 'object', patternProperties: { '^.*$': value }, ...options };
}

export function Unsafe(schema: Schema) {
  return schema;
}
