// Types of createClient: the client, its options and its notices.
import type { ClientClock } from './clock.ts';
import type { CallOptions, Dialect, Iterators, Methods } from './methods.ts';
import type { Timeouts } from './transport.ts';

/** Information for people that is not a failure. Never contains secrets. */
export type Notice =
  | {
      kind: 'deprecated';
      operation: string;
      /** Method and path template of the deprecated endpoint. */
      endpoint: string;
      /** Path of the replacement, or null when there is none. */
      replacement: string | null;
      message: string;
    }
  /** `delay` in milliseconds. */
  | { kind: 'retry'; operation: string; attempt: number; delay: number; message: string }
  | { kind: 'certificates'; message: string };

export interface ClientOptions {
  /** Address of the server, with its sub-path; a trailing `/__api__` is ignored. */
  url: string;
  apiKey?: string | undefined;
  /** `auto` (default) asks the server once. */
  dialect?: Dialect | 'auto';
  /** With `auto`: the previously detected form. The server is not asked then, and a change is still detected. */
  likelyDialect?: Dialect | undefined;
  /** With `auto`: called once the form of the server is known. */
  onDialect?: ((dialect: Dialect) => void) | undefined;
  /** Milliseconds per phase; see Timeouts. */
  timeouts?: Partial<Timeouts>;
  /** Certificate authorities trusted in addition to the usual ones: PEM text or paths of PEM files. */
  ca?: string | readonly string[] | undefined;
  /** Address of a proxy, or false for none; otherwise the environment decides. */
  proxy?: string | false | undefined;
  /** Read for http_proxy, https_proxy, all_proxy, no_proxy (both letter cases) and the certificate variables. */
  env?: Readonly<Record<string, string | undefined>>;
  userAgent?: string;
  onNotice?: (notice: Notice) => void;
  /** Aborts all calls of this client. */
  signal?: AbortSignal | undefined;
  clock?: ClientClock;
  /** Further attempts after a harmless failure; 3 by default. */
  retries?: number;
}

/** One method per operation, iterators in `each`, and methods about the server as a whole. */
export type Client = Methods & {
  /** Address of the server without trailing slash. */
  readonly url: string;
  readonly each: Iterators;
  /** The form the server speaks; detected on first use. */
  dialect(options?: CallOptions): Promise<Dialect>;
  /** `GET /__ping__`: whether a content server answers there at all. */
  ping(options?: CallOptions): Promise<void>;
  /** Signs in with name and password; the session lives in this client's cookies until it is closed. */
  login(credentials: { username: string; password: string }, options?: CallOptions): Promise<void>;
  /** Opens `/content/{guid}/` as a visitor and returns the HTTP status; 500 and above means that it does not run. */
  openContent(args: { guid: string }, options?: CallOptions): Promise<{ status: number }>;
  /** Closes the connections; running calls fail. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};
