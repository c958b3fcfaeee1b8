// What pages are given, and what they answer.
import { type AnswerOf, ApiError, type OperationId, type Operations } from '@pressroom/api/contract';
import type { Audit } from '../audit/record.ts';
import type { Drain } from '../cluster/drain.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Processes } from '../jobs/processes.ts';
import type { BackupNow } from '../platform/backup.ts';
import type { Config } from '../main/config/settings.ts';
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

export interface CallInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  readonly body?: unknown;
}

/** Runs an operation of the contract as the person. @throws ApiError as the API answers it. */
export type Call = <Id extends OperationId>(id: Id, input?: CallInput) => Promise<AnswerOf<Operations[Id]>>;

/** What the pages take from the rest of the server. */
export interface DashboardParts {
  readonly config: Config;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly audit: Audit;
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
  /** Told that what is served of a content item changed. */
  readonly contentChanged: (guid: string) => void;
}

/** What the path of a page names; a page knows which of them its own has. */
export type PathParams = Readonly<Record<'guid' | 'id' | 'key', string>>;

export interface PageRequest {
  readonly parts: DashboardParts;
  readonly caller: Caller;
  readonly call: Call;
  readonly params: PathParams;
  readonly query: URLSearchParams;
  /** What a form sent; empty for a page that is only looked at. */
  readonly form: URLSearchParams;
  /** Why what the form asked for was refused. */
  readonly error: string | null;
  /** Path of the dashboard as the browser sees it, without a slash at the end. */
  readonly root: string;
  /** The address of the server as the browser sees it, without a slash at the end. */
  readonly base: string;
  /** Whose browser it is. */
  readonly visit: Visit;
}

export interface Page {
  readonly title: string;
  /** That of its window or tab; absent: the title. */
  readonly windowTitle?: string;
  readonly body: Html;
  /** The entry of the navigation that it belongs to. */
  readonly section: string;
  /** Asks the browser for a passkey. */
  readonly passkeys?: true;
  /** Takes files to publish. */
  readonly publishes?: true;
  /** Without JavaScript the page is asked for again after so many seconds. */
  readonly refresh?: number;
}

/** Where to go after a form was taken: a path below the dashboard. `note` is shown there once. */
export interface Redirect {
  readonly to: string;
  readonly note?: string;
}

export type Render = (request: PageRequest) => Promise<Page>;
/** Does what a form asks for. */
export type Act = (request: PageRequest) => Promise<Redirect | Page>;

/** Null where the person is refused, or there is none; a failure of the server stays one. */
export async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiError && error.code !== 1) return null;
    throw error;
  }
}
