// Converts an operation and its flat arguments to a call: path, query and body.
import type { Endpoint } from '../contract/endpoint.ts';
import type { Sending } from './caller.ts';
import type { Timeouts } from './transport.ts';

export type Arguments = Readonly<Record<string, unknown>>;

/** Prefix of every path of the API, below the address of the server. */
const API_PREFIX = '/__api__';
/** Parameters with the seconds that a long poll waits. */
const WAITS = ['wait', 'output_wait'] as const;

/**
 * A call with its JSON body, if it has one. A long poll may take as long as it waits plus the time of any other call.
 * Throws TypeError.
 */
export function sendingOf(name: string, endpoint: Endpoint, args: Arguments, timeouts: Timeouts): Sending {
  const body = bodyOf(endpoint, args);
  const wait = Math.max(...WAITS.map((one) => Number(args[one] ?? 0) * 1000 || 0));
  return {
    name,
    endpoint,
    method: endpoint.method,
    path: pathOf(endpoint, args),
    exchange: {
      ...(body !== undefined && { body, headers: { 'content-type': 'application/json' } }),
      ...(wait > 0 && timeouts.headers > 0 && { headersTimeout: timeouts.headers + wait }),
    },
  };
}

/** Throws TypeError for a path parameter that is missing or invalid in a path. */
export function pathOf(operation: Endpoint, args: Arguments): string {
  const path = operation.path.replace(/\{([^}]+)\}/g, (_match, name: string) => {
    const value = args[name];
    const text = typeof value === 'number' ? String(value) : value;
    // "." and ".." would be normalised away and reach another endpoint.
    if (typeof text !== 'string' || text === '' || text === '.' || text === '..') {
      throw new TypeError(`${operation.operationId} needs ${name}.`);
    }
    return encodeURIComponent(text);
  });
  const query = queryOf(operation, args);
  return `${API_PREFIX}${path}${query === '' ? '' : `?${query}`}`;
}

/** The JSON body, or undefined for an operation without one. */
function bodyOf(operation: Endpoint, args: Arguments): string | undefined {
  const { body } = operation;
  if (typeof body !== 'object') return undefined;
  if ((body as { type?: unknown }).type === 'array') return JSON.stringify(args['body'] ?? []);
  const elsewhere = new Set([...keysOf(operation.params), ...keysOf(operation.query)]);
  return JSON.stringify(Object.fromEntries(Object.entries(args).filter(([name]) => !elsewhere.has(name))));
}

function queryOf(operation: Endpoint, args: Arguments): string {
  const query = new URLSearchParams();
  for (const name of keysOf(operation.query)) {
    for (const value of [args[name]].flat()) {
      if (value !== undefined && value !== null) query.append(name, String(value));
    }
  }
  return query.toString();
}

function keysOf(schema: Endpoint['params']): string[] {
  return Object.keys(schema?.properties ?? {});
}
