// The services of a running server; each handler and command takes the few it needs.
import type { Logger } from 'pino';
import type { Audit } from '../audit/record.ts';
import type { SecurityEvents } from '../audit/security-events.ts';
import type { Drain } from '../cluster/drain.ts';
import type { ContentRow } from '../content/store.ts';
import type { DeployService } from '../deploys/deploy-service.ts';
import type { OldVersions } from '../deploys/sites/old-versions.ts';
import type { Git } from '../git/git.ts';
import type { Polling } from '../git/poll.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Processes } from '../jobs/processes.ts';
import type { Restart } from '../jobs/restart.ts';
import type { Lifecycle } from '../monitoring/health-route.ts';
import type { Directory } from '../people/directory.ts';
import type { BackupNow } from '../platform/backup.ts';
import type { BlobStore } from '../platform/blobs/blob-store.ts';
import type { Clock, Ids } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { DiskWatch } from '../platform/disk-watch.ts';
import type { Examine } from '../platform/examine.ts';
import type { Mailer } from '../platform/mailer.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import type { Applications } from '../runtime/applications.ts';
import type { Installations } from '../runtime/installations.ts';
import type { Isolation } from '../runtime/sandbox/isolation.ts';
import type { Authenticator } from '../sign-in/authenticator.ts';
import type { Passwords } from '../sign-in/passwords/passwords.ts';
import type { SignInProvider } from '../sign-in/providers/provider.ts';
import type { Throttle } from '../sign-in/throttle.ts';
import type { CiTokens } from '../sign-in/trusted-publishers/verify-token.ts';
import type { TaskService } from '../tasks/task-service.ts';
import type { OriginFinding } from '../visitors/origin-findings.ts';
import type { Config } from './config/settings.ts';

export interface Services {
  readonly config: Config;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  readonly audit: Audit;
  /** Logs sign-ins, refusals and keys. */
  readonly events: SecurityEvents;
  readonly authenticator: Authenticator;
  readonly passwords: Passwords;
  readonly secrets: Secrets;
  readonly provider: SignInProvider;
  readonly throttle: Throttle;
  /** Verifies tokens of CI systems. */
  readonly ciTokens: CiTokens;
  readonly directory: Directory | null;
  readonly mailer: Mailer | null;
  readonly blobs: BlobStore;
  readonly tasks: TaskService;
  readonly deploys: DeployService;
  readonly oldVersions: OldVersions;
  readonly git: Git;
  /** Checks repositories for new commits. */
  readonly polling: Pick<Polling, 'pollSoon'>;
  readonly jobs: Jobs;
  /** Directory of all restored packages. */
  readonly environments: string;
  readonly installations: Installations;
  readonly isolation: Isolation;
  /** Free space of the data directory's disk. */
  readonly disk: DiskWatch;
  /** How well pages of content are isolated from each other and from the dashboard. */
  readonly origins: readonly OriginFinding[];
  /** Called after a content item changed. */
  readonly contentChanged: (guid: string) => void;
  readonly lifecycle: Lifecycle;
  readonly processes: Processes;
  /** Start and end of processes on this server. */
  readonly applications: Pick<Applications, 'isClosed'>;
  /** Which servers of the cluster start processes. */
  readonly drain: Drain;
  /** Checks the environment of this server. */
  readonly examine: Examine;
  /** A PNG of a page of content. @throws ApiError 39 if this server takes none */
  readonly takePicture: (content: ContentRow, page: string) => Promise<Buffer>;
  /** Makes a backup of this server for download. */
  readonly backup: BackupNow;
  readonly restart: Restart;
  /** Secrets that no output of a content item may show. */
  readonly secretsOf: (content: ContentRow) => Promise<string[]>;
  /** Called when people may have lost rights: connected visitors are checked again. */
  readonly rightsChanged: () => void;
}
