// Query strings with every value of a repeated name kept, in order.

export type QueryValues = Record<string, string[]>;

export function parseQueryString(text: string): QueryValues {
  const values = Object.create(null) as QueryValues;
  if (text === '') return values;
  for (const [name, value] of new URLSearchParams(text)) (values[name] ??= []).push(value);
  return values;
}

/** The first value of a parameter in the query of a request, as `parseQueryString` read it. */
export function queryValue(query: unknown, name: string): string | undefined {
  return (query as QueryValues)[name]?.[0];
}
