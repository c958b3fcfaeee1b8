// Types of the client: each operation of the contract as a method with one object of arguments.
import type { Readable } from 'node:stream';
import type {
  Content,
  ContentVisit,
  Endpoint,
  OperationId,
  Operations,
  ParamsOf,
  Task,
  TaskEndReason,
  TaskStage,
} from '../contract/index.ts';
import type { Pager, Static, TSchema } from '../contract/schema.ts';

export type Dialect = 'ga' | 'experimental';

export interface CallOptions {
  /** Stops the call, which then throws NoResponseError of kind `aborted`. */
  signal?: AbortSignal | undefined;
  /** Further attempts after a harmless failure; the client's `retries` when absent. */
  retries?: number;
}

/** A content item in one form for all servers; `dashboard_url` is present on current ones, `vanity_url` if included. */
export type ContentItem = Content & { dashboard_url?: string; vanity_url?: string | null };

/** A task in one form for all servers; `stages` and `end_reason` are present if the server reports them. */
export type TaskState = Task & { stages?: TaskStage[]; end_reason?: TaskEndReason | null };

/** A visit; servers differ in how they write the ids. */
export type Visit = Omit<ContentVisit, 'bundle_id' | 'rendering_id'> & {
  bundle_id: string | number | null;
  rendering_id: string | number | null;
};

export interface UploadArguments {
  guid: string;
  /** tar.gz; a stream is sent as it arrives and never held completely. Destroyed if the upload fails. */
  archive: Readable | Uint8Array;
  /** Bytes, if known; otherwise sent in chunks. */
  size?: number;
  /** MD5 of the archive, hex or base64; the server refuses a mismatch (104). */
  checksum?: string;
  /** Kept with the bundle, such as `source_commit`; servers with the older form do not get it. */
  metadata?: Readonly<Record<string, string>> | undefined;
}

export interface UploadOptions extends CallOptions {
  /** Called with the bytes passed to the connection so far. */
  onProgress?: (bytes: number) => void;
}

export interface UploadReceipt {
  bundle_id: string;
  /** Bytes received by the server; null if it does not report them. */
  size: number | null;
  /** MD5 (hex, lower case) of what the server received, if it reports it. */
  checksum: string | null;
}

/** A downloaded bundle or backup. */
export interface BundleDownload {
  /** The archive, byte for byte; read it to its end or destroy it. */
  stream: Readable;
  /** Bytes, if the server reports them. */
  size: number | null;
}

export interface ContentPage<Item> {
  current_page: number;
  results: Item[];
  total: number;
}

type WithFile = {
  [K in OperationId]: Operations[K] extends { body: 'file' } | { response: 'file' } ? K : never;
}[OperationId];
/**
 * Operations that are methods under their own name; a `…Ga` form is used by the method of the plain name. Operations on
 * files other than archives have no method.
 */
export type MethodName = Exclude<OperationId, `${string}Ga` | WithFile>;

type Plain<S> = S extends string ? object : S extends TSchema ? Static<S> : object;
type QueryIn<E> = E extends { query: infer S } ? Plain<S> : object;
type BodyIn<E> = E extends { body: infer S }
  ? Plain<S> extends readonly unknown[]
    ? { body: Plain<S> }
    : Plain<S>
  : object;
type Flat<T> = { [K in keyof T]: T[K] };

/** Arguments of a method: path parameters, query and body fields together; a list body as `body`. */
export type ArgumentsOf<E extends Endpoint> = Flat<ParamsOf<E> & QueryIn<E> & BodyIn<E>>;

/** Result of a method. */
export type ResultOf<E extends Endpoint> = E['response'] extends infer A
  ? A extends string
    ? void
    : A extends TSchema
      ? Static<A> extends Content
        ? ContentItem
        : Static<A>
      : never
  : never;

type Method<Arguments, Result> = object extends Arguments
  ? (args?: Arguments, options?: CallOptions) => Promise<Result>
  : (args: Arguments, options?: CallOptions) => Promise<Result>;

/** With the content GUID, current servers are asked in the GA form; without it in the older one. */
type WithOwner = { id: string; guid?: string };

interface Special {
  uploadContentBundle(args: UploadArguments, options?: UploadOptions): Promise<UploadReceipt>;
  downloadBundle(args: WithOwner, options?: CallOptions): Promise<BundleDownload>;
  downloadBackup(
    args: ArgumentsOf<Operations['downloadBackup']>,
    options?: CallOptions,
  ): Promise<BundleDownload>;
  getBundle(args: WithOwner, options?: CallOptions): Promise<ResultOf<Operations['getBundle']>>;
  deleteBundle(args: WithOwner, options?: CallOptions): Promise<void>;
  getTask(args: ArgumentsOf<Operations['getTask']>, options?: CallOptions): Promise<TaskState>;
  getContentVisits(
    args?: ArgumentsOf<Operations['getContentVisits']>,
    options?: CallOptions,
  ): Promise<{ paging: Pager; results: Visit[] }>;
  /** `GET /v1/content`; servers with only the older forms refuse it with code 2. */
  listContent(
    args?: { name?: string; owner_guid?: string; include?: 'vanity_url' },
    options?: CallOptions,
  ): Promise<ContentItem[]>;
}

/** One method per operation, under its contract name. */
export type Methods = {
  [K in Exclude<MethodName, keyof Special>]: Method<ArgumentsOf<Operations[K]>, ResultOf<Operations[K]>>;
} & Special;

type Paged = { [K in MethodName]: Operations[K] extends { paging: string } ? K : never }[MethodName];
type ItemOf<K extends Paged> = K extends 'getContentVisits'
  ? Visit
  : ResultOf<Operations[K]> extends { results: (infer Item)[] }
    ? Item
    : never;
type Iterator<Arguments, Item> = object extends Arguments
  ? (args?: Arguments, options?: CallOptions) => AsyncGenerator<Item, void, undefined>
  : (args: Arguments, options?: CallOptions) => AsyncGenerator<Item, void, undefined>;

/** One iterator per paged operation: every record of every page, fetched on demand. */
export type Iterators = {
  [K in Paged]: Iterator<ArgumentsOf<Operations[K]>, ItemOf<K>>;
};
