// Background work of a running server: resumes tasks, renders on schedule, polls repositories, watches canaries, cleans
// up, sends mails, prepares processes and ends what has expired.
import { sinksOf } from '../audit/sinks.ts';
import type { CanaryCounter } from '../canaries/counter.ts';
import { createHealthCheck } from '../canaries/health.ts';
import { watchCanaries } from '../canaries/watch-canaries.ts';
import { endRequests } from '../content/access-requests/expire.ts';
import { endPermissions } from '../content/permissions/end-permissions.ts';
import { findContent } from '../content/store.ts';
import { announceUnused } from '../content/unused/announce.ts';
import { announceStuckReleases } from '../deploys/approvals/stuck-releases.ts';
import { deployMissing } from '../deploys/deploy-missing.ts';
import { removeEndedDrafts } from '../deploys/drafts/drafts.ts';
import { resumeTask } from '../deploys/resume.ts';
import { resumeRepositoryDeploy } from '../git/deploy-commit.ts';
import { createPolling, type Polling } from '../git/poll.ts';
import { retryInterrupted } from '../git/retry-interrupted.ts';
import { resumeRestart } from '../jobs/restart.ts';
import { recentlyRun } from '../jobs/store.ts';
import { startMails } from '../mailing/send-mails.ts';
import type { Claim } from '../platform/claim-data-directory.ts';
import { failureOf } from '../platform/database/unreachable.ts';
import type { Applications } from '../runtime/applications.ts';
import { prepareRecent } from '../runtime/prepared/prepare-recent.ts';
import { workIn } from '../runtime/restore/index.ts';
import type { Launcher } from '../runtime/sandbox/launcher.ts';
import { retryInterruptedRenders } from '../schedules/retry-interrupted.ts';
import { createSchedules } from '../schedules/schedules.ts';
import type { Guesses } from '../sign-in/shared-guesses.ts';
import { endVariants } from '../variants/end-variants.ts';
import { renderOutdatedVariants } from '../variants/render.ts';
import type { Changes } from './follow-changes.ts';
import { startHousekeeping } from './housekeeping.ts';
import type { Paths } from './open-state.ts';
import { removeLeft } from './remove-left.ts';
import type { Services } from './services.ts';
import { startSetUpReminder } from './set-up-reminder.ts';

export interface BackgroundParts {
  readonly claim: Claim;
  readonly paths: Paths;
  readonly applications: Applications;
  readonly launcher: Launcher;
  readonly changes: Changes;
  readonly counter: CanaryCounter;
  /** Null for a single server. */
  readonly guesses: Guesses | null;
  /** Whether other servers reach this one. */
  readonly hasOthers: boolean;
  /** Address of this server, without a trailing slash. */
  readonly address: string;
  /** Address of a content item. */
  readonly contentUrl: (guid: string) => string;
  /** Where the first administrator is created; null once there is an account. */
  readonly setUpLink: () => Promise<string | null>;
}

/** Milliseconds between rounds that remove expired tasks, and end those of lost servers. */
const SWEEP_MS = 60_000;
/** Microseconds: content that ran within this time gets prepared processes at a start. */
const RECENTLY = 7 * 86_400_000_000;

/** @param stack stops it. */
export async function workInBackground(
  services: Services,
  parts: BackgroundParts,
  stack: AsyncDisposableStack,
): Promise<Polling> {
  const { config, storage, clock, tasks, deploys, mailer, drain, log } = services;
  const { claim, paths, applications, launcher, changes, counter, address, contentUrl } = parts;
  await changes.followAll();
  stack.use(changes.listen(drain));
  const missing = claim.isAlone ? await deployMissing(services) : [];
  if (missing.length > 0) log.warn({ contents: missing }, 'redeploying content with missing files');
  tasks.takeOver(
    async (task) =>
      resumeRestart(services, task) ||
      (await resumeTask(services, task)) ||
      resumeRepositoryDeploy(services, task),
  );
  renderOutdatedVariants(services).catch((error: unknown) => log.error(error, 'variants'));
  if (!storage.isShared) {
    await retryInterrupted(services).catch((error: unknown) => log.error(error, 'repositories'));
    await retryInterruptedRenders(services).catch((error: unknown) => log.error(error, 'schedules'));
  }
  stack.use(createSchedules({ ...services, log }));
  const polling = stack.use(createPolling({ ...services, log }));
  const { db } = storage;
  stack.use(
    watchCanaries({
      ...services,
      counter,
      checkHealth: createHealthCheck({ db, applications, counter, log, hasOthers: parts.hasOthers }),
      deploy: (id, bundle) => void deploys.run(id, bundle, 'deploy'),
    }),
  );
  stack.use(
    startHousekeeping({
      ...services,
      environments: paths.environments,
      workDirectories: [paths.sharedWork, paths.sharedUnpacking, workIn(paths.environments)],
      contents: paths.contents,
      logs: paths.logs,
      removeTree: launcher.remove,
      removeEndedDrafts: () => removeEndedDrafts(services),
      announceUnused: () => announceUnused(services, address),
      retention: config['Applications.EnvironmentRetention'],
      usageRetention: config['Usage.Retention'],
      auditRetention: config['Audit.Retention'],
      auditReceivers: sinksOf(config).map(({ name }) => name),
    }),
  );
  if (mailer) stack.use(startMails({ config, storage, clock, mailer, deploys, contentUrl, log }));
  const starting = new AbortController();
  stack.defer(() => starting.abort());
  prepareRecent({
    recent: () => recentlyRun(db, clock.now() - RECENTLY, config['Applications.PreparedProcesses']),
    async prepare(guid) {
      const content = await findContent(db, guid);
      if (content) await applications.prepare(content);
    },
    signal: starting.signal,
  }).catch((error: unknown) => log.warn(error, 'preparing processes'));
  stack.use(startSetUpReminder({ link: parts.setUpLink, log }));
  removeLeft({ ...services, ...parts }).catch(failureOf('removing what other servers left', log));
  const sweeping = setInterval(() => sweep(services, parts), SWEEP_MS).unref();
  stack.defer(() => clearInterval(sweeping));
  return polling;
}

function sweep(services: Services, parts: BackgroundParts): void {
  const { tasks, storage, log } = services;
  const { guesses, changes, address } = parts;
  const failed = (what: string) => failureOf(what, log);
  tasks.sweep().catch(failed('sweeping tasks'));
  endPermissions(services).catch(failed('ending permissions'));
  endRequests(services, address).catch(failed('ending requests'));
  endVariants(services).catch(failed('ending renderings with own values'));
  announceStuckReleases(services).catch(failed('looking at releases'));
  guesses?.sweep().catch(failed('forgetting failed attempts'));
  if (storage.isShared) changes.followSoon();
  removeLeft({ ...services, ...parts }).catch(failed('removing what other servers left'));
}
