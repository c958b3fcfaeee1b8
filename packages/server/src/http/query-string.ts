// Parses query strings, keeping all values of repeated names in order.

export type QueryValues = Record<string, string[]>;

export function parseQueryString(text: string): QueryValues {
  const values = Object.create(null) as QueryValues;
  if (text === '') return values;
  for (const [name, value] of new URLSearchParams(text)) (values[name] ??= []).push(value);
  return values;
}

/** The first value of a query parameter, as read by `parseQueryString`. */
export function queryValue(query: unknown, name: string): string | undefined {
  return (query as QueryValues)[name]?.[0];
}
