// JSON serializers for the schemas of the contract, created on first use and cached for the process: creating all of
// them takes longer than the rest of a start.
import fastJson, { type Schema } from 'fast-json-stringify';

type Serialize = (response: unknown) => string;

const kept = new WeakMap<object, Serialize>();

/** For Fastify's `setSerializerCompiler`. */
export function serializerOf({ schema }: { readonly schema: Schema }): Serialize {
  return (response) => {
    let serialize = kept.get(schema);
    if (serialize === undefined) {
      serialize = fastJson(schema) as Serialize;
      kept.set(schema, serialize);
    }
    return serialize(response);
  };
}
