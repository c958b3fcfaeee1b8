// The two forms of content, bundles and tasks: the operation for each dialect, and one model for their responses.
import { operations, pairs, type Endpoint, type Pair } from '../contract/index.ts';
import { InvalidResponseError, RefusedError } from './failures.ts';
import type { Dialect } from './methods.ts';

const all: Readonly<Record<string, Endpoint>> = operations;
const inTwoForms: Readonly<Record<string, Pair>> = pairs;

/** The GA form of an operation, or undefined if it has only one form. */
export function gaFormOf(name: string): Endpoint | undefined {
  return inTwoForms[name]?.stable;
}

/**
 * The operation for a call in a dialect. A call without a path parameter of the GA form (the content of a bundle) uses
 * the older one.
 */
export function formFor(name: string, dialect: Dialect, args: Readonly<Record<string, unknown>>): Endpoint {
  const ga = gaFormOf(name);
  const complete = Object.keys(ga?.params?.properties ?? {}).every((key) => args[key] !== undefined);
  if (ga !== undefined && dialect === 'ga' && complete) return ga;
  return all[name] as Endpoint;
}

/** Whether a failure means that the endpoint itself is missing, as opposed to the object (code 4). */
export function isMissingEndpoint(error: unknown): boolean {
  if (error instanceof RefusedError) return error.status === 404 && (error.code === 2 || error.code === null);
  return error instanceof InvalidResponseError && error.status === 404;
}

/** Null for what the caller may not see, or the server does not have. Throws other failures. */
export async function nullIfHidden<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (isMissingEndpoint(error)) return null;
    if (error instanceof RefusedError && [403, 404].includes(error.status)) return null;
    throw error;
  }
}

type Fields = Record<string, unknown>;
const RENAMED = { content_url: 'url', app_role: 'role', parameterized: 'has_parameters' } as const;

/** Converts a content item of either form to the contract's; unknown fields stay. */
export function toContent(response: unknown): Fields {
  const result: Fields = { ...(response as Fields) };
  for (const [theirs, ours] of Object.entries(RENAMED)) {
    if (!(theirs in result)) continue;
    result[ours] ??= result[theirs];
    delete result[theirs];
  }
  result['description'] ??= '';
  result['needs_config'] ??= result['bundle_id'] === null || result['bundle_id'] === undefined;
  return result;
}

/** Converts a task of either form to the contract's. */
export function toTask(response: unknown): Fields {
  const { result: _result, ...task } = response as Fields;
  const { output, error, code } = task;
  const lines = Array.isArray(output) ? output.map((line: unknown) => String(line ?? '')) : [];
  return { ...task, output: lines, error: error ?? '', code: code ?? 0 };
}

/** Converts a list to a page of the contract: all of it, unless the arguments name a page; a page stays as it is. */
export function toPage(response: unknown, { page_number, page_size }: Readonly<Record<string, unknown>>) {
  if (!Array.isArray(response)) return response;
  const total = response.length;
  if (page_number === undefined && page_size === undefined)
    return { current_page: 1, results: response as unknown[], total };
  const number = typeof page_number === 'number' ? page_number : 1;
  const size = typeof page_size === 'number' ? page_size : 20;
  return {
    current_page: number,
    results: response.slice((number - 1) * size, number * size) as unknown[],
    total,
  };
}

/** Hidden e-mail addresses are empty; servers also write null or omit them. */
function toUser(response: unknown): Fields {
  const user = response as Fields;
  return { ...user, email: user['email'] ?? '' };
}

function toUsers(response: unknown): Fields {
  const page = response as Fields;
  return { ...page, results: (page['results'] as unknown[]).map(toUser) };
}

/** The result of `name` for a response in either form. */
export function normalize(name: string, response: unknown, args: Readonly<Record<string, unknown>>): unknown {
  switch (name) {
    case 'createContent':
    case 'getContent':
    case 'updateContent':
      return toContent(response);
    case 'listContent':
      return (response as unknown[]).map(toContent);
    case 'getTask':
      return toTask(response);
    case 'getBundles':
      return toPage(response, args);
    case 'getCurrentUser':
    case 'getUser':
      return toUser(response);
    case 'getUsers':
    case 'getGroupMembers':
    case 'searchRemoteUsers':
      return toUsers(response);
    default:
      return response;
  }
}
