// Types of dashboard pages: their input and their result.
import {
  type ResponseOf,
  ApiError,
  errors,
  type OperationId,
  type Operations,
} from '@pressroom/api/contract';
import type { Audit } from '../audit/record.ts';
import type { SecurityEvents } from '../audit/security-events.ts';
import type { Drain } from '../cluster/drain.ts';
import { API_PREFIX, DASHBOARD_PREFIX } from '../http/paths.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Processes } from '../jobs/processes.ts';
import type { Config } from '../main/config/settings.ts';
import type { BackupNow } from '../platform/backup.ts';
import type { Clock, Ids } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { DiskWatch } from '../platform/disk-watch.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import type { Installations } from '../runtime/installations.ts';
import type { Isolation } from '../runtime/sandbox/isolation.ts';
import type { Authenticator, Caller } from '../sign-in/authenticator.ts';
import type { Passwords } from '../sign-in/passwords/passwords.ts';
import type { SignInProvider } from '../sign-in/providers/provider.ts';
import type { Throttle } from '../sign-in/throttle.ts';
import type { Visit } from '../sign-in/visit.ts';
import type { TaskService } from '../tasks/task-service.ts';
import type { OriginFinding } from '../visitors/origin-findings.ts';
import type { Html } from './html.ts';
import type { Refusal } from './refusal.ts';

export interface CallInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  readonly body?: unknown;
}

/** Runs an API operation as the signed-in person. @throws ApiError as the API returns it. */
export type Call = <Id extends OperationId>(id: Id, input?: CallInput) => Promise<ResponseOf<Operations[Id]>>;

/** Dependencies of the pages. */
export interface DashboardParts {
  readonly config: Config;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly audit: Audit;
  readonly events: SecurityEvents;
  readonly authenticator: Authenticator;
  readonly passwords: Passwords;
  readonly secrets: Secrets;
  readonly provider: SignInProvider;
  readonly throttle: Throttle;
  readonly tasks: TaskService;
  readonly jobs: Jobs;
  readonly processes: Pick<Processes, 'drainAll' | 'usageOf'>;
  readonly drain: Drain;
  readonly installations: Installations;
  readonly isolation: Isolation;
  readonly disk: DiskWatch;
  readonly backup: BackupNow;
  readonly origins: readonly OriginFinding[];
  /** Called after a content item changed. */
  readonly contentChanged: (guid: string) => void;
}

/** Path parameters; each page knows which its path has. */
export type PathParams = Readonly<Record<'guid' | 'id' | 'key', string>>;

export interface PageRequest {
  readonly parts: DashboardParts;
  readonly caller: Caller;
  readonly call: Call;
  readonly params: PathParams;
  readonly query: URLSearchParams;
  /** The submitted form; empty for a page that is only viewed. */
  readonly form: URLSearchParams;
  /** Path of the form that was submitted, also before a redirect to this page; empty without one. */
  readonly sentTo: string;
  /** Why the submitted form was refused. */
  readonly refusal: Refusal | null;
  /** Path of the dashboard as the browser sees it, without a trailing slash. */
  readonly root: string;
  /** The address of the server as the browser sees it, without a trailing slash. */
  readonly base: string;
  /** Ports at which the browser's own machine may be this server. */
  readonly ports: ReadonlySet<string>;
  /** The browser's session. */
  readonly visit: Visit;
}

export interface Page {
  readonly title: string;
  /** Title of the window or tab; absent: `title`. */
  readonly windowTitle?: string;
  readonly body: Html;
  /** Its entry in the navigation. */
  readonly section: string;
  /** Loads the passkey script. */
  readonly passkeys?: true;
  /** Loads the publish script. */
  readonly publishes?: true;
  /** Seconds until a browser without JavaScript reloads the page. */
  readonly refresh?: number;
  /** The address outside of the dashboard that the browser goes on to. */
  readonly goesOn?: string;
}

/** Where to go after a successful form: a path below the dashboard, which shows `note` once. */
export interface Redirect {
  readonly to: string;
  readonly note?: string;
}

export type Render = (request: PageRequest) => Promise<Page>;
/** Handles a submitted form. */
export type Act = (request: PageRequest) => Promise<Redirect | Page>;

/** Path of the API as the browser sees it. */
export function apiPath({ root }: Pick<PageRequest, 'root'>, path: string): string {
  return `${root.slice(0, -DASHBOARD_PREFIX.length)}${API_PREFIX}${path}`;
}

/** For what is no operation of the API, which records its refusals. @throws ApiError 22 */
export async function requireAdministrator({ caller, parts, visit }: PageRequest): Promise<void> {
  if (caller.role === 'administrator') return;
  const description = `Refused a page for administrators (code 22), asked from ${visit.address}`;
  await parts.events.record({ actor: caller, action: 'refuse', description, each: 1 });
  throw errors.operationDenied();
}

/** Null if the caller may not see it or it does not exist; other errors are passed on. */
export async function orNull<T>(response: Promise<T>): Promise<T | null> {
  try {
    return await response;
  } catch (error) {
    if (error instanceof ApiError && error.code !== 1) return null;
    throw error;
  }
}

/** Null if it does not exist; other errors are passed on. */
export async function nullIfNone<T>(response: Promise<T>): Promise<T | null> {
  try {
    return await response;
  } catch (error) {
    if (error instanceof ApiError && error.code === 4) return null;
    throw error;
  }
}
