// Events and options of deploy().
import type { Client } from '../../client/client.ts';
import type { ClientClock } from '../../client/clock.ts';
import type { ContentItem } from '../../client/methods.ts';
import type { Canary, TaskStageName } from '../../contract/index.ts';
import type { BundleFile } from '../collect/bundle-file.ts';
import type { ExcludedPath } from '../collect/collect-files.ts';
import type { Rendering } from '../rendering/rendering.ts';
import type { KnownCommit } from './commit.ts';
import type { DeployedDraft } from './draft.ts';
import type { CanaryOptions } from './start-canary.ts';

export type DeployPhase = 'collect' | 'create' | 'upload' | 'deploy' | 'watch';

/** The contents of the bundle, before anything is sent. Sizes in bytes. */
export interface CollectEvent {
  type: 'collect';
  count: number;
  bytes: number;
  largest: { path: string; size: number }[];
  excluded: ExcludedPath[];
  excludedCount: number;
  warnings: string[];
  app_mode: string;
  entrypoint: string | null;
  /** Which rendering of a document visitors see; absent for the server's. */
  rendering?: Exclude<Rendering, 'server'>;
  /** All paths in the bundle, sorted. */
  files: string[];
}

/** Progress of reading every file once for its checksum before anything is sent. Sizes in bytes. */
export interface ReadEvent {
  type: 'read';
  files: number;
  totalFiles: number;
  bytes: number;
  totalBytes: number;
}

/** The content item to publish to. */
export interface TargetEvent {
  type: 'target';
  guid: string;
  name: string;
  /** Whether this deploy created it. */
  created: boolean;
}

/** Progress of reading and compressing while the archive is sent. Sizes in bytes. */
export interface PackEvent {
  type: 'pack';
  files: number;
  totalFiles: number;
  bytes: number;
  totalBytes: number;
  /** Bytes of the archive produced so far. */
  packed: number;
}

export interface UploadEvent {
  type: 'upload';
  /** Bytes of the archive passed to the connection. */
  bytes: number;
  /** Bytes of the whole archive, once known. */
  total?: number;
}

export interface StartedEvent {
  type: 'deploy';
  task_id: string;
  guid: string;
  bundle_id: string;
}

export interface LogEvent {
  type: 'log';
  line: string;
  /** From 0. */
  index: number;
}

/** A line of output, whole where R breaks it, and the place in the bundle that it is about. */
export interface Cause extends LogEvent {
  /** Path in the bundle. */
  file?: string;
  /** Line of the file, from 1. */
  at?: number | undefined;
  /** Of a notebook, in the order of execution, from 1. */
  cell?: number;
}

/** The stage that starts with the next line of output. */
export interface StageEvent {
  type: 'stage';
  stage: TaskStageName;
}

/** A problem that does not stop the deploy, such as a record that could not be written. */
export interface WarningEvent {
  type: 'warning';
  message: string;
  /** The record that names the content was not written. */
  isAboutRecord?: true;
}

export interface DoneEvent {
  type: 'done';
  content: ContentItem;
  /** Address for visitors. */
  url: string;
  /** Address in the dashboard, if the server reports it. */
  dashboard_url: string | null;
  bundle_id: string;
  /** The record file, or null if none is kept. */
  record: string | null;
  /** The draft that was created instead of a live deploy; `url` is its address. */
  draft?: DeployedDraft;
  /** The bundle takes a share of new sessions; the live bundle is unchanged, and no record names the new one. */
  canary?: Canary;
}

export interface FailedEvent {
  type: 'failed';
  phase: DeployPhase;
  /** The code of the table, or of the task; null if the failure has none. */
  code: number | null;
  error: string;
  /** A remedy. */
  hint: string;
  /** First line of the server's output that looks like the cause. */
  cause: Cause | null;
  guid: string | null;
  task_id: string | null;
  /** The recorded content no longer exists on the server; `publishAsNew` creates a new item. */
  gone: boolean;
  /** What could not be cleaned up, in sentences. */
  left: string[];
  /** The failure itself, unless the task on the server failed. */
  failure: unknown;
}

/** The server accepted the deploy, but its outcome is unknown. */
export interface UnknownEvent {
  type: 'unknown';
  task_id: string;
  guid: string;
  /** Lines already seen: continue with watchTask(client, task_id, { first }). */
  first: number;
  error: string;
  /** The key was rejected: checking again requires another key. */
  refused: boolean;
  /** The account may not see the deploy any more: checking again helps only with other rights. */
  forbidden?: true;
  /** The deploy has succeeded; only its result could not be read. */
  ended?: true;
  /** A remedy. */
  hint: string;
}

export interface CancelledEvent {
  type: 'cancelled';
  phase: DeployPhase;
  guid: string | null;
  /** A task that continues on the server. */
  task_id: string | null;
  /** What could not be cleaned up, in sentences. */
  left: string[];
}

/** One of `done`, `failed`, `unknown` and `cancelled` comes last; after `preview` (dry run) nothing follows. */
export type DeployEvent =
  | ReadEvent
  | CollectEvent
  | TargetEvent
  | PackEvent
  | UploadEvent
  | StartedEvent
  | LogEvent
  | StageEvent
  | WarningEvent
  | { type: 'preview' }
  | DoneEvent
  | FailedEvent
  | UnknownEvent
  | CancelledEvent;

/** The files of a bundle that was uploaded. */
export interface SentBundle {
  bundle_id: string;
  guid: string;
  files: readonly BundleFile[];
  /** Hex MD5 by path, for files that were read. */
  checksums: ReadonlyMap<string, string>;
}

export interface DeployOptions {
  client: Client;
  dir: string;
  /** Name of new content; by default derived from the title or the directory. */
  name?: string | undefined;
  title?: string | undefined;
  description?: string | undefined;
  access_type?: 'all' | 'logged_in' | 'acl' | undefined;
  /** Publishes to this item, whatever the record says. */
  guid?: string | undefined;
  /** Publishes as new content although there is a record. */
  publishAsNew?: boolean | undefined;
  /** Application mode, overriding detection. */
  type?: string | undefined;
  /** Primary file, or `module:object`. */
  entrypoint?: string | undefined;
  /** Which rendering of a document visitors see; by default that of the record, else the server's. */
  rendering?: Rendering | undefined;
  /** gitignore patterns; see collectFiles. */
  include?: readonly string[] | undefined;
  exclude?: readonly string[] | undefined;
  /** Concurrently compressed blocks of the archive; by default enough for all cores. */
  concurrency?: number | undefined;
  /** Creates a draft and leaves the live bundle unchanged; at the address of a preview if it has a name. */
  draft?: { readonly preview: string | null } | undefined;
  /** The bundle takes this share of new sessions first; absent: as the content's rule says. Not with `draft`. */
  canary?: CanaryOptions | undefined;
  /** The version of Python to use where no file names one, such as 3.12.1; by default that of this machine. */
  python?: (() => Promise<string | undefined>) | undefined;
  /** What the files were made of; kept with the bundle by servers that can. */
  commit?: KnownCommit;
  /** Ends after `collect` and `preview`; nothing is sent. */
  dryRun?: boolean | undefined;
  /** Whether a record is read and kept in the directory; true by default. */
  record?: boolean | undefined;
  /** Cancels: what this deploy created is removed as far as the server permits, then `cancelled` follows. */
  signal?: AbortSignal | undefined;
  clock?: ClientClock | undefined;
  /** Called once, before the bundle is deployed. */
  onUploaded?: ((bundle: SentBundle) => void) | undefined;
}
