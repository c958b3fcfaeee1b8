// The contract in the packed extension: JSON that is parsed when the extension is loaded, instead of code that builds
// the schemas, and without what only servers and documentation use.
import type { Endpoint } from '@pressroom/api/contract';
import type { Plugin } from 'esbuild';

interface Schema {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

/** Replaces the declarations of the operations. */
export const plainContract: Plugin = {
  name: 'plain-contract',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]contract[/\\]operations[/\\]index\.ts$/ }, async ({ path }) => {
      const { operations, pairs, ...constants } = (await import(path)) as Record<string, object>;
      const all = JSON.stringify(plainOperations(operations as Record<string, Endpoint>));
      const lines = [
        `export const operations = JSON.parse(${JSON.stringify(all)});`,
        `const pairOf = (id) => [id, { experimental: operations[id], stable: operations[id + 'Ga'] }];`,
        `export const pairs = Object.fromEntries(${JSON.stringify(Object.keys(pairs!))}.map(pairOf));`,
        ...Object.entries(constants).map(
          ([name, value]) => `export const ${name} = ${JSON.stringify(value)};`,
        ),
      ];
      return { contents: lines.join('\n') };
    });
  },
};

/** What a client reads: requests, and the form of responses. */
export function plainOperations(operations: Readonly<Record<string, Endpoint>>) {
  return Object.fromEntries(
    Object.entries(operations).map(
      ([id, { operationId, method, path, paging, params, query, body, response }]) => [
        id,
        {
          operationId,
          method,
          path,
          paging,
          params: params && { properties: named(params) },
          query: query && { properties: named(query) },
          body: typeof body === 'object' ? { type: (body as Schema).type } : body,
          response: typeof response === 'object' ? form(response) : response,
        },
      ],
    ),
  );
}

/** Only names of arguments: the server validates them. */
const named = ({ properties = {} }: Schema) =>
  Object.fromEntries(Object.keys(properties).map((name) => [name, {}]));

function form({ type, properties, required, items }: Schema): Schema {
  return {
    type,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, own]) => [name, form(own)])),
    }),
    ...(required && { required }),
    ...(items && { items: form(items) }),
  };
}
