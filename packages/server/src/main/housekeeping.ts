// What goes by itself, in the background: once the server has started, then once a day.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Audit } from '../audit/record.ts';
import { removeOldAuditEntries } from '../audit/retention.ts';
import { isDeleted } from '../audit/store.ts';
import { allBundleArchives } from '../bundles/store.ts';
import { servedSites } from '../content/store.ts';
import { keptSites } from '../deploys/kept-sites.ts';
import type { BlobStore } from '../platform/blobs/blob-store.ts';
import type { Clock, Ids } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import { evictUnused, lastUse } from '../runtime/restore/index.ts';
import { openTasks } from '../tasks/store.ts';
import { rollUpVisits } from '../usage/roll-up-store.ts';
import { removeUsageBefore } from '../usage/store.ts';

export interface Housekeeping extends AsyncDisposable {
  /** Never rejects: what could not be removed is logged, and tried again the next day. */
  run(): Promise<void>;
}

export interface HousekeepingOptions {
  readonly blobs: BlobStore;
  /** Of restored packages. */
  readonly environments: string;
  /** Directories of work under way, each in one of its own. */
  readonly workDirectories: readonly string[];
  /** Where each content item has a directory of its own. */
  readonly contentDirectories: readonly string[];
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  readonly removeEndedDrafts: () => Promise<number>;
  /** Asks owners about content that nobody uses; answers how much there was. */
  readonly announceUnused: () => Promise<number>;
  /** Seconds that restored packages are kept after their last use; 0: for ever. */
  readonly retention: number;
  /** Seconds that visits and sessions, and audit entries, are kept; 0: for ever. */
  readonly usageRetention: number;
  readonly auditRetention: number;
  /** Names of the receivers of audit entries. */
  readonly auditReceivers: readonly string[];
  readonly audit: Audit;
  readonly secrets: Secrets;
  /** Removes files that may belong to the account of content. */
  readonly removeTree: (path: string) => Promise<void>;
}

const DAY_MS = 86_400_000;
/** Begins the name of what is of one content item. */
const GUID = /^[0-9a-f]{8}-[0-9a-f-]{27}/;

export function startHousekeeping(options: HousekeepingOptions): Housekeeping {
  const { blobs, environments, workDirectories, storage, clock, log, removeTree } = options;
  const stopping = new AbortController();
  let running: Promise<void> | null = null;

  /** A server that starts alone finds these at once; where others always run, age tells them from work under way. */
  async function sweepLeftovers(): Promise<string[]> {
    const [oldest] = await openTasks(storage.db);
    const now = clock.now();
    const before = Math.min(now - DAY_MS * 1000, oldest?.created_time ?? now);
    const removed = await blobs.sweepUploads(before);
    // A directory is swept by a server that starts alone; of a bucket nobody knows who is alone.
    if (blobs.sites !== null) {
      removed.push(...(await blobs.sweep(await allBundleArchives(storage.db))));
      const kept = [...(await keptSites(storage.db))];
      const named = kept.flatMap(([guid, sites]) => sites.map((site) => [guid, site] as const));
      removed.push(...(await blobs.sites.sweep([...named, ...(await servedSites(storage.db))])));
    }
    for (const directory of workDirectories) {
      for (const name of await readdir(directory).catch(() => [])) {
        const path = join(directory, name);
        if (((await lastUse(path)) ?? now) >= before) continue;
        await removeTree(path).then(
          () => removed.push(name),
          (error: unknown) => log.warn(error, 'removing %s', path),
        );
      }
    }
    return removed;
  }

  /** Of content whose deletion broke off. What the audit log has no deletion of may be of another database. */
  async function sweepDeleted(): Promise<string[]> {
    const removed: string[] = [];
    const known = await servedSites(storage.db);
    for (const directory of options.contentDirectories) {
      for (const name of await readdir(directory).catch(() => [])) {
        const [guid] = GUID.exec(name) ?? [];
        if (guid === undefined || known.has(guid) || !(await isDeleted(storage.db, guid))) continue;
        await removeTree(join(directory, name));
        removed.push(name);
      }
    }
    return removed;
  }

  async function work(): Promise<void> {
    const failed = (error: unknown) => log.error(error, 'housekeeping');
    const leftovers = await sweepLeftovers().catch(failed);
    if (leftovers?.length) log.warn({ leftovers }, 'removed leftovers of a stopped server');
    const deleted = await sweepDeleted().catch(failed);
    if (deleted?.length) log.warn({ deleted }, 'removed what was left of deleted content');
    const { signal } = stopping;
    const drafts = await options.removeEndedDrafts().catch(failed);
    if (drafts) log.info('removed %d drafts that had ended', drafts);
    const evicted = await evictUnused({ ...options, directory: environments, signal }).catch(failed);
    if (evicted?.length) log.info({ evicted }, 'removed unused packages');
    const { usageRetention, auditRetention, auditReceivers } = options;
    const since = (seconds: number) => clock.now() - seconds * 1_000_000;
    if (usageRetention > 0 && !signal.aborted) {
      const removed = await removeUsageBefore(storage, since(usageRetention)).catch(failed);
      if (removed) log.info('removed %d old visits and sessions', removed);
    }
    const days = await rollUpVisits(storage, clock.now(), signal).catch(failed);
    if (days) log.info('counted the visits of %d days', days);
    const unused = await options.announceUnused().catch(failed);
    if (unused) log.info('asked the owners of %d content items that nobody uses', unused);
    if (auditRetention > 0 && !signal.aborted) {
      const removed = await removeOldAuditEntries(options, since(auditRetention), auditReceivers).catch(
        failed,
      );
      if (removed) log.info('removed %d old audit entries', removed);
    }
  }

  const run = () => (running ??= work().finally(() => (running = null)));
  const daily = setInterval(() => void run(), DAY_MS).unref();
  void run();
  return {
    run,
    async [Symbol.asyncDispose]() {
      clearInterval(daily);
      stopping.abort();
      await running;
    },
  };
}
