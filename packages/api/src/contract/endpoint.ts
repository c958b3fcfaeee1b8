// Declares operations as data. Routes, client methods, OpenAPI and contract tests derive from it.
import type { ErrorCode } from './errors/table.ts';
import type { Static, TObject, TSchema } from './schema.ts';

export type ServerRole = 'administrator' | 'publisher' | 'viewer';
export type Provider = 'password' | 'pam' | 'ldap' | 'oauth2' | 'saml' | 'proxied';
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Who may call: anyone, any account, at least a role, or `first-user`: an administrator, or anyone while no account
 * exists yet (password authentication).
 */
export type Access = 'anyone' | 'user' | 'publisher' | 'administrator' | 'first-user';

/**
 * `archive` is a gzip-compressed tar archive, always streamed, never JSON; `file` is a small file of another type, such
 * as an image; `tar` is an uncompressed tar archive.
 */
export type Body = TSchema | 'archive' | 'file';
export type ResponseBody = TSchema | 'archive' | 'tar' | 'file' | 'empty';

export interface Endpoint {
  readonly operationId: string;
  readonly group: string;
  readonly summary: string;
  readonly method: HttpMethod;
  /** Relative to `/__api__`, parameters in braces. */
  readonly path: string;
  readonly params?: TObject;
  readonly query?: TObject;
  readonly headers?: TObject;
  readonly body?: Body;
  /** The body may also be a form (`application/x-www-form-urlencoded`), as OAuth clients send it. */
  readonly form?: true;
  /** The body is optional; `{}` is the default. */
  readonly bodyOptional?: true;
  readonly status: 200 | 204;
  readonly response: ResponseBody;
  /** For `file`: status 204 if there is none. */
  readonly mayBeEmpty?: true;
  /** Error statuses that the contract lists for the operation; 500 and `default` are implied. */
  readonly errors: readonly number[];
  readonly access: Access;
  /**
   * Which content keys may call it, whoever owns the item: the one in the item's own environment, that of a CI pipeline
   * that deploys it, or both. With a GUID in the path, for that item only; otherwise for data that belongs to nobody in
   * particular. Never for addresses, rights, or deletion of the item itself.
   */
  readonly contentKey?: 'own' | 'pipeline' | 'both';
  /** False: not with a visitor API key, as it is about credentials, accounts, rights or approvals, which outlast it. */
  readonly visitorKey?: false;
  /** For reading a content item: everybody who may view the item may call it, not only editors. */
  readonly forViewers?: true;
  /** An API key sent to an `anyone` operation must be valid. */
  readonly checksKey?: true;
  /** The authentication providers with the operation, and the error code of the others. */
  readonly providers?: { readonly only: readonly Provider[]; readonly otherwise: ErrorCode };
  /** False: a GET response is not cached for a second, because it depends on time or is a long poll. */
  readonly kept?: false;
  readonly paging?: 'keyset' | 'offset';
  /** `contract`: one of the 31 operations; `ga`: the stable form of one of them; `addition`: not in the contract. */
  readonly origin: 'contract' | 'ga' | 'addition';
  readonly experimental?: true;
  /** Path of the operation that replaces an experimental one (contract, section 9). */
  readonly replacement?: string;
}

/** Keeps the literal types of an operation while checking its shape. */
export function endpoint<const E extends Endpoint>(operation: E): E {
  return operation;
}

type Shared = Omit<Endpoint, 'path' | 'response' | 'errors' | 'origin' | 'experimental' | 'replacement'>;
/** Properties of one form only. */
type Form = { readonly path: string } & Partial<Omit<Endpoint, 'operationId' | 'origin' | 'experimental'>>;

/** An operation in two forms: shared properties, and those of each form, which take precedence. */
interface Declaration extends Shared, Partial<Pick<Endpoint, 'response' | 'errors'>> {
  /** The contract's own form, below `/v1/experimental`. */
  readonly experimental: Form;
  /** The GA form of current servers. Its id has the suffix `Ga`. */
  readonly stable: Form;
}

type Merged<D extends Declaration, F extends Form, Marks> = Flat<
  Omit<D, 'experimental' | 'stable' | keyof F | keyof Marks> & Omit<F, keyof Marks> & Marks
>;
type Flat<T> = { [K in keyof T]: T[K] };

/** Both complete forms of an operation. */
export interface Pair {
  readonly experimental: Endpoint;
  readonly stable: Endpoint;
}

export interface TwoForms<D extends Declaration> {
  readonly experimental: Merged<
    D,
    D['experimental'],
    { origin: 'contract'; experimental: true; replacement: D['stable']['path'] }
  >;
  readonly stable: Merged<D, D['stable'], { operationId: `${D['operationId']}Ga`; origin: 'ga' }>;
}

/** Creates both forms of an operation from one declaration. */
export function twoForms<const D extends Declaration>(declaration: D): TwoForms<D> {
  const { experimental, stable, ...shared } = declaration;
  const forms = {
    experimental: {
      ...shared,
      ...experimental,
      origin: 'contract',
      experimental: true,
      replacement: stable.path,
    },
    stable: { ...shared, ...stable, operationId: `${shared.operationId}Ga`, origin: 'ga' },
  };
  return forms as unknown as TwoForms<D>;
}

type Part<S> = S extends TSchema ? Static<S> : unknown;
type DefaultedKeys<S> =
  S extends TObject<infer P>
    ? { [K in keyof P]: P[K] extends { default: unknown } ? K : never }[keyof P]
    : never;
/** A parsed query on the server: fields with a default are always present. */
type Filled<S> = S extends TObject
  ? Static<S> & Required<Pick<Static<S>, DefaultedKeys<S> & keyof Static<S>>>
  : object;

export type ParamsOf<E extends Endpoint> = E extends { params: infer S } ? Part<S> : object;
export type QueryOf<E extends Endpoint> = E extends { query: infer S } ? Filled<S> : object;
export type BodyOf<E extends Endpoint> = E extends { body: infer S } ? Part<S> : undefined;
export type ResponseOf<E extends Endpoint> = E['response'] extends TSchema
  ? Static<E['response']>
  : undefined;

/** An object schema as plain JSON Schema. */
export interface TObjectLike {
  readonly required?: readonly string[];
  readonly properties: Readonly<Record<string, object>>;
}
