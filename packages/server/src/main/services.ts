// The parts a running server is made of; each handler and command takes the few it needs.
import type { Logger } from 'pino';
import type { Audit } from '../audit/record.ts';
import type { SecurityEvents } from '../audit/security-events.ts';
import type { Drain } from '../cluster/drain.ts';
import type { ContentRow } from '../content/store.ts';
import type { DeployService } from '../deploys/deploy-service.ts';
import type { OldVersions } from '../deploys/old-versions.ts';
import type { Git } from '../git/git.ts';
import type { Polling } from '../git/poll.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Processes } from '../jobs/processes.ts';
import type { Lifecycle } from '../monitoring/health-route.ts';
import type { Directory } from '../people/directory.ts';
import type { BlobStore } from '../platform/blobs/blob-store.ts';
import type { Clock, Ids } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { DiskWatch } from '../platform/disk-watch.ts';
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
import type { BackupNow } from '../platform/backup.ts';
import type { Examine } from '../platform/examine.ts';
import type { Config } from './config/settings.ts';

export interface Services {
  readonly config: Config;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  readonly audit: Audit;
  /** Of sign-ins, refusals and keys. */
  readonly events: SecurityEvents;
  readonly authenticator: Authenticator;
  readonly passwords: Passwords;
  readonly secrets: Secrets;
  readonly provider: SignInProvider;
  readonly throttle: Throttle;
  /** What tokens of CIs say, where they are genuine. */
  readonly ciTokens: CiTokens;
  readonly directory: Directory | null;
  readonly mailer: Mailer | null;
  readonly blobs: BlobStore;
  readonly tasks: TaskService;
  readonly deploys: DeployService;
  readonly oldVersions: OldVersions;
  readonly git: Git;
  /** Looks for new commits. */
  readonly polling: Pick<Polling, 'pollSoon'>;
  readonly jobs: Jobs;
  /** Directory of all restored packages. */
  readonly environments: string;
  readonly installations: Installations;
  readonly isolation: Isolation;
  /** How much room the disk of the data directory has. */
  readonly disk: DiskWatch;
  /** What keeps pages of content from each other and from the dashboard, and what does not. */
  readonly origins: readonly OriginFinding[];
  /** Told that what is served of a content item changed. */
  readonly contentChanged: (guid: string) => void;
  readonly lifecycle: Lifecycle;
  readonly processes: Processes;
  /** How the processes of this server start and end. */
  readonly applications: Pick<Applications, 'isClosed'>;
  /** Which servers of the database start processes. */
  readonly drain: Drain;
  /** Checks what this server needs. */
  readonly examine: Examine;
  /** A PNG of a page below the content's address. @throws ApiError 39 where this server takes none */
  readonly takePicture: (content: ContentRow, page: string) => Promise<Buffer>;
  /** Makes a backup of this server to be downloaded. */
  readonly backup: BackupNow;
  /** Ends the processes of an application on all servers and starts one here. @throws ApiError 1 where it does not start. */
  readonly restart: (
    content: ContentRow,
    print: (line: string) => void,
    signal: AbortSignal,
  ) => Promise<void>;
  /** What no output of a content item may show. */
  readonly secretsOf: (content: ContentRow) => Promise<string[]>;
  /** Told that people may have lost rights: whoever is connected is asked again. */
  readonly rightsChanged: () => void;
}
