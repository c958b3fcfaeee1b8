// The two forms of content, bundles and tasks: which operation speaks which, and one model for what they answer.
import { operations, pairs, type Endpoint, type Pair } from '../contract/index.ts';
import { BadAnswerError, RefusedError } from './failures.ts';
import type { Dialect } from './methods.ts';

const all: Readonly<Record<string, Endpoint>> = operations;
const inTwoForms: Readonly<Record<string, Pair>> = pairs;

/** Today's form of an operation, or undefined when it has only one form. */
export function gaFormOf(name: string): Endpoint | undefined {
  return inTwoForms[name]?.stable;
}

/**
 * The operation that carries a call in a dialect. A call that lacks a path parameter of today's form (the content
 * of a bundle) goes out in the older one.
 */
export function formFor(name: string, dialect: Dialect, args: Readonly<Record<string, unknown>>): Endpoint {
  const ga = gaFormOf(name);
  const complete = Object.keys(ga?.params?.properties ?? {}).every((key) => args[key] !== undefined);
  if (ga !== undefined && dialect === 'ga' && complete) return ga;
  return all[name] as Endpoint;
}

/** Whether a failure says that the endpoint itself is missing, as opposed to the object (code 4). */
export function isMissingEndpoint(error: unknown): boolean {
  if (error instanceof RefusedError) return error.status === 404 && (error.code === 2 || error.code === null);
  return error instanceof BadAnswerError && error.status === 404;
}

type Fields = Record<string, unknown>;
const RENAMED = { content_url: 'url', app_role: 'role', parameterized: 'has_parameters' } as const;

/** A content item of either form in the contract's; fields it does not know stay. */
export function toContent(answer: unknown): Fields {
  const result: Fields = { ...(answer as Fields) };
  for (const [theirs, ours] of Object.entries(RENAMED)) {
    if (!(theirs in result)) continue;
    result[ours] ??= result[theirs];
    delete result[theirs];
  }
  result['needs_config'] ??= result['bundle_id'] === null || result['bundle_id'] === undefined;
  return result;
}

/** A task of either form in the contract's. */
export function toTask(answer: unknown): Fields {
  const { result: _result, ...task } = answer as Fields;
  return { ...task, output: task['output'] ?? [], error: task['error'] ?? '', code: task['code'] ?? 0 };
}

/** A list as the page the contract has, cut as the arguments ask; a page stays as it is. */
export function toPage(answer: unknown, args: Readonly<Record<string, unknown>>) {
  if (!Array.isArray(answer)) return answer;
  const number = typeof args['page_number'] === 'number' ? args['page_number'] : 1;
  const size = typeof args['page_size'] === 'number' ? args['page_size'] : 20;
  const results = answer.slice((number - 1) * size, number * size) as unknown[];
  return { current_page: number, results, total: answer.length };
}

/** A user whose address the server hides has an empty one, which servers also write as null or leave out. */
function toUser(answer: unknown): Fields {
  const user = answer as Fields;
  return { ...user, email: user['email'] ?? '' };
}

function toUsers(answer: unknown): Fields {
  const page = answer as Fields;
  return { ...page, results: (page['results'] as unknown[]).map(toUser) };
}

/** What the caller of `name` sees for an answer of either form. */
export function normalize(name: string, answer: unknown, args: Readonly<Record<string, unknown>>): unknown {
  switch (name) {
    case 'createContent':
    case 'getContent':
    case 'updateContent':
      return toContent(answer);
    case 'listContent':
      return (answer as unknown[]).map(toContent);
    case 'getTask':
      return toTask(answer);
    case 'getBundles':
      return toPage(answer, args);
    case 'getCurrentUser':
    case 'getUser':
      return toUser(answer);
    case 'getUsers':
    case 'getGroupMembers':
    case 'searchRemoteUsers':
      return toUsers(answer);
    default:
      return answer;
  }
}
