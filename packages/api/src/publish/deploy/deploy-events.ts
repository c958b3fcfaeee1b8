// Events and options of deploy().
import type { Client } from '../../client/client.ts';
import type { ClientClock } from '../../client/clock.ts';
import type { ContentItem } from '../../client/methods.ts';
import type { Canary, TaskStageName } from '../../contract/index.ts';
import type { BundleFile } from '../collect/bundle-file.ts';
import type { ExcludedPath } from '../collect/collect-files.ts';
import type { Rendering } from '../rendering/rendering.ts';
import type { CanaryWish } from './made-canary.ts';
import type { MadeDraft } from './made-draft.ts';

export type DeployPhase = 'collect' | 'create' | 'upload' | 'deploy' | 'watch';

/** What goes into the bundle, known before anything is sent. Sizes in bytes. */
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
  /** Whose rendering of a document visitors see; absent: the server's. */
  rendering?: Exclude<Rendering, 'server'>;
  /** Every path that goes in, sorted. */
  files: string[];
}

/** Every file is read once for its checksum before anything is sent; several of these come. Sizes in bytes. */
export interface ReadEvent {
  type: 'read';
  files: number;
  totalFiles: number;
  bytes: number;
  totalBytes: number;
}

/** The content item this publishes to. */
export interface TargetEvent {
  type: 'target';
  guid: string;
  name: string;
  /** Made by this deploy. */
  created: boolean;
}

/** Reading and compressing goes on while the archive is sent; several of these come. Sizes in bytes. */
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
  /** Bytes of the archive handed to the connection. */
  bytes: number;
  /** Bytes of the whole archive, once it is known. */
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

/** What the server does from the next line of output on. */
export interface StageEvent {
  type: 'stage';
  stage: TaskStageName;
}

/** Something that does not stop the deploy, such as a record that could not be written. */
export interface WarningEvent {
  type: 'warning';
  message: string;
}

export interface DoneEvent {
  type: 'done';
  content: ContentItem;
  /** Where visitors see it. */
  url: string;
  /** Where its owner manages it, on servers that say. */
  dashboard_url: string | null;
  bundle_id: string;
  /** The record file, or null when none is kept. */
  record: string | null;
  /** What was made instead of a deploy that goes live; `url` is its address. */
  draft?: MadeDraft;
  /** The bundle takes a share of new sessions so far; what was live is live, and no record names the bundle. */
  canary?: Canary;
}

export interface FailedEvent {
  type: 'failed';
  phase: DeployPhase;
  /** The table's code, or that of the task; null when the failure has none. */
  code: number | null;
  error: string;
  /** What to do next. */
  hint: string;
  /** First line of the server's output that looks like the cause. */
  cause: LogEvent | null;
  guid: string | null;
  task_id: string | null;
  /** The content of the record is not on the server any more; `publishAsNew` makes a new one. */
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
  /** Lines already seen: go on with watchTask(client, task_id, { first }). */
  first: number;
  error: string;
  /** The key was rejected: checking again requires another key. */
  refused: boolean;
  /** What to do next. */
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

/** `done`, `failed`, `unknown` and `cancelled` come last, one of them; after `preview` (dry run) nothing comes. */
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

/** What a bundle that is on the server now was made of. */
export interface SentBundle {
  bundle_id: string;
  guid: string;
  files: readonly BundleFile[];
  /** Hex MD5 by path, as far as the files were read. */
  checksums: ReadonlyMap<string, string>;
}

export interface DeployOptions {
  client: Client;
  dir: string;
  /** Name of new content; derived from the title or the directory otherwise. */
  name?: string | undefined;
  title?: string | undefined;
  description?: string | undefined;
  access_type?: 'all' | 'logged_in' | 'acl' | undefined;
  /** Publishes to this item, whatever the record says. */
  guid?: string | undefined;
  /** Publishes as new content although there is a record. */
  publishAsNew?: boolean | undefined;
  /** Application mode, when detection must not decide. */
  type?: string | undefined;
  /** Primary file, or `module:object`. */
  entrypoint?: string | undefined;
  /** Whose rendering of a document visitors see; that of the record by default, else the server's. */
  rendering?: Rendering | undefined;
  /** gitignore patterns; see collectFiles. */
  include?: readonly string[] | undefined;
  exclude?: readonly string[] | undefined;
  /** Blocks of the archive compressed side by side; as many as keep all cores busy by default. */
  concurrency?: number | undefined;
  /** What is live stays: the bundle becomes a draft, at the address of a preview where that has a name. */
  draft?: { readonly preview: string | null } | undefined;
  /** The bundle takes this share of new sessions first; when absent, as the rule of the content says. Not with `draft`. */
  canary?: CanaryWish | undefined;
  /** Ends after `collect` and `preview`; nothing is sent. */
  dryRun?: boolean | undefined;
  /** Whether a record is read and kept in the directory; true by default. */
  record?: boolean | undefined;
  /** Cancels: what this deploy made is removed again as far as the server lets it, then `cancelled` comes. */
  signal?: AbortSignal | undefined;
  clock?: ClientClock | undefined;
  /** Called once, before the bundle is deployed. */
  onUploaded?: ((bundle: SentBundle) => void) | undefined;
}
