// Opens the state of a server: data directory, database, store of bundles, logs, and its identity in the cluster.
import { chmodSync, existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import { isSealedBy } from '../audit/chain.ts';
import { createAudit, type Audit } from '../audit/record.ts';
import { createSecurityEvents, type SecurityEvents } from '../audit/security-events.ts';
import { sinksOf, startAuditSinks } from '../audit/sinks.ts';
import { readAuditHead } from '../audit/store.ts';
import { hasAnyBundle } from '../bundles/store.ts';
import { serverName } from '../cluster/drain.ts';
import { startHeartbeat, type Heartbeat } from '../cluster/heartbeat.ts';
import { UNPACKING } from '../deploys/sites/unpacked-sites.ts';
import { createJobs, SESSION_GRACE, type Jobs } from '../jobs/jobs.ts';
import { endLostJobs } from '../jobs/store.ts';
import { countUsers } from '../people/store.ts';
import type { BlobStore } from '../platform/blobs/blob-store.ts';
import { hasArchives } from '../platform/blobs/directory-blob-store.ts';
import { claimDataDirectory, shareDataDirectory, type Claim } from '../platform/claim-data-directory.ts';
import type { Clock, Ids } from '../platform/clock.ts';
import { openStorage, type Storage } from '../platform/database/storage.ts';
import { startDiskWatch, type DiskWatch } from '../platform/disk-watch.ts';
import { makeDataDirectory } from '../platform/make-data-directory.ts';
import { keepSecretKey, newSecretKey, previousKeys, readSecretKey } from '../platform/secrets/secret-key.ts';
import { createSecrets, type Secrets } from '../platform/secrets/secrets.ts';
import { requireRestored } from '../platform/unfinished-restore.ts';
import { removePlacesOf } from '../runtime/pool/place-store.ts';
import { endLeases } from '../tasks/lease-store.ts';
import { createVisitRecorder, type VisitRecorder } from '../usage/visit-recorder.ts';
import { markBucket, requireOwnBucket } from './claim-bucket.ts';
import type { Config } from './config/settings.ts';
import { openBlobs } from './open-blobs.ts';
import { SERVER } from './remove-left.ts';

export interface State {
  readonly paths: Paths;
  readonly claim: Claim;
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly audit: Audit;
  readonly events: SecurityEvents;
  readonly visits: VisitRecorder;
  readonly blobs: BlobStore;
  readonly jobs: Jobs;
  readonly heartbeat: Heartbeat | null;
  readonly disk: DiskWatch;
}

/** Directories below the data directory. */
export interface Paths {
  readonly contents: string;
  /** Logs of processes. */
  readonly logs: string;
  readonly work: string;
  /** Where deployed files are unpacked. */
  readonly unpacking: string;
  /** The parents of both, if other servers may use them; otherwise the same. */
  readonly sharedWork: string;
  readonly sharedUnpacking: string;
  readonly environments: string;
}

const OF_ANOTHER =
  'the database is empty, but there are bundles of another one, which would be removed: copy that database first ' +
  '(npm run move-database, pg_restore), see that Database.URL is right, or start with an empty Server.DataDir or Storage.Prefix';

const KEY_REMEDY =
  'put secret.key back from a backup, or set Secrets.Key to the key of the other servers. If the key is lost, set a new ' +
  'Secrets.Key: variables and authenticator apps have to be set again';

const OTHER_KEY =
  'The database was written with another key: set Secrets.Key to that, or add it to Secrets.PreviousKeys. With this one, ' +
  'variables and authenticator apps cannot be decrypted, and the audit log does not verify';

/**
 * @param stack closes what is opened here.
 * @throws if a setting, the data directory or the database cannot be used.
 */
export async function openState(
  { config, clock, ids, log }: { config: Config; clock: Clock; ids: Ids; log: Logger },
  stack: AsyncDisposableStack,
): Promise<State> {
  const dataDir = resolve(config['Server.DataDir']);
  makeDataDirectory(dataDir);
  requireRestored(dataDir);
  // Accounts of content may traverse it to their own files, but not list it.
  chmodSync(dataDir, 0o711);
  const exclusive = config['Database.URL'] === '';
  const own = exclusive ? '' : `${SERVER}${ids.taskId()}`;
  const sharedWork = join(dataDir, 'work');
  // On the disk of the deployed content, which may be one of its own.
  const sharedUnpacking = join(dataDir, 'content', UNPACKING);
  const paths = {
    contents: join(dataDir, 'content'),
    logs: join(dataDir, 'logs'),
    work: join(sharedWork, own),
    unpacking: join(sharedUnpacking, own),
    sharedWork,
    sharedUnpacking,
    environments: join(dataDir, 'environments'),
  };
  const onWait = (what: string) => log.info('waits %s', what);
  const claim = stack.use(
    exclusive ? claimDataDirectory(dataDir) : await shareDataDirectory(dataDir, paths.work, onWait),
  );
  const where = config['Database.URL'] || join(dataDir, 'pressroom.sqlite');
  const keyFile = join(dataDir, 'secret.key');
  // Saved once the database accepts it: an interrupted start leaves no key for the next one.
  const made = config['Secrets.Key'] === '' && !existsSync(keyFile) ? newSecretKey() : null;
  const secrets = createSecrets(
    config['Secrets.Key'] || (made ?? readSecretKey(dataDir)),
    previousKeys(config['Secrets.PreviousKeys']),
  );
  const { blobs, claim: claimBlobs, bucket } = await openBlobs({ config, secrets, own, log }, stack);
  const storage = stack.use(
    await openStorage(where, log, async (tx) => {
      // The clean-up at start would treat all of them as leftovers, and so what was deployed from them.
      const hasBundles = async () => hasArchives(join(dataDir, 'bundles')) || blobs.hasSome();
      if (claim.isAlone && (await countUsers(tx, 'all')) === 0 && (await hasBundles()))
        throw new Error(OF_ANOTHER);
      await claimBlobs(() => hasAnyBundle(tx));
      const isOther = isSealedBy(secrets, await readAuditHead(tx)) === false;
      if (made === null) return isOther ? log.error(OTHER_KEY) : undefined;
      if (isOther)
        throw new Error(
          `there is no ${keyFile}, and the database was written with another key: ${KEY_REMEDY}`,
        );
      keepSecretKey(dataDir, made);
      if (readSecretKey(dataDir) !== made)
        throw new Error(`another server has made ${keyFile}: start this one again`);
    }),
  );
  const use = bucket && { objects: bucket, secrets, config, db: storage.db };
  if (use) await requireOwnBucket(use);
  let heartbeat: Heartbeat | null = null;
  const isFirst = async () => heartbeat === null || heartbeat.isFirst();
  stack.use(startAuditSinks({ storage, log, isFirst }, sinksOf(config)));
  const audit = createAudit(clock, secrets);
  const events = stack.use(createSecurityEvents({ storage, audit, clock, log }));
  const visits = stack.use(createVisitRecorder(storage, clock, log));
  // Closed after the processes whose ends it records.
  const jobs = stack.use(
    await createJobs({ directory: paths.logs, archives: blobs.logs, storage, clock, ids, log }),
  );
  heartbeat = stack.use(
    await startHeartbeat({
      storage,
      node: jobs.node,
      name: serverName(config),
      log,
      async onLost(tx, node) {
        await endLostJobs(tx, { node }, SESSION_GRACE);
        await removePlacesOf(tx, node);
        await endLeases(tx, node);
      },
    }),
  );
  if (use) stack.use(await markBucket(use, { isFirst, log }));
  const disk = stack.use(
    startDiskWatch({ directory: dataDir, reserve: config['Applications.DiskReserve'], log }),
  );
  await disk.look();
  return { paths, claim, storage, secrets, audit, events, visits, blobs, jobs, heartbeat, disk };
}
