// Background clean-up: once after the start, then daily.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Audit } from '../audit/record.ts';
import { removeOldAuditEntries } from '../audit/retention.ts';
import { isDeleted } from '../audit/store.ts';
import { MISSING_REMEDY, missingArchives } from '../bundles/missing-archives.ts';
import { allBundleArchives } from '../bundles/store.ts';
import { writeMissingTexts } from '../content/search/texts-store.ts';
import { servedSites } from '../content/store.ts';
import { keptSites } from '../deploys/sites/kept-sites.ts';
import { dropEvents } from '../events/store.ts';
import { listedLogs, removeLeftLogs } from '../jobs/left-logs.ts';
import { cutPortions } from '../people/portions-store.ts';
import type { BlobStore } from '../platform/blobs/blob-store.ts';
import type { Clock, Ids } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import { failureOf } from '../platform/database/unreachable.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import { evictUnused, lastUse } from '../runtime/restore/index.ts';
import { openTasks } from '../tasks/store.ts';
import { rollUpVisits } from '../usage/roll-up-store.ts';
import { removeUsageBefore } from '../usage/store.ts';
import { SERVER } from './remove-left.ts';

export interface Housekeeping extends AsyncDisposable {
  /** Never rejects: failures are logged, and retried the next day. */
  run(): Promise<void>;
}

export interface HousekeepingOptions {
  readonly blobs: BlobStore;
  /** Directory of restored packages. */
  readonly environments: string;
  /** Parents of temporary working directories. */
  readonly workDirectories: readonly string[];
  /** Parents of directories by content item: deployed files, and logs of processes. */
  readonly contents: string;
  readonly logs: string;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  readonly removeEndedDrafts: () => Promise<number>;
  /** Asks owners about unused content; returns the number of items. */
  readonly announceUnused: () => Promise<number>;
  /** Seconds that restored packages are kept after their last use; 0 for ever. */
  readonly retention: number;
  /** Seconds that visits and sessions, and audit entries, are kept; 0 for ever. */
  readonly usageRetention: number;
  readonly auditRetention: number;
  /** Names of the receivers of audit entries. */
  readonly auditReceivers: readonly string[];
  readonly audit: Audit;
  readonly secrets: Secrets;
  /** Removes files that may be owned by the account of content. */
  readonly removeTree: (path: string) => Promise<void>;
}

const DAY_MS = 86_400_000;
/** Bundles named in one line of the log. */
const LISTED = 20;
/** Prefix of names that belong to one content item. */
const GUID = /^[0-9a-f]{8}-[0-9a-f-]{27}/;

export function startHousekeeping(options: HousekeepingOptions): Housekeeping {
  const { blobs, environments, workDirectories, storage, clock, log, removeTree } = options;
  const stopping = new AbortController();
  let running: Promise<void> | null = null;

  async function tryRemove(path: string): Promise<boolean> {
    try {
      await removeTree(path);
      return true;
    } catch (error) {
      log.warn(error, 'removing %s', path);
      return false;
    }
  }

  /** A single server finds these at its start; while others run, age distinguishes them from work in progress. */
  async function sweepLeftovers(): Promise<string[]> {
    const [oldest] = await openTasks(storage.db);
    const now = clock.now();
    const before = Math.min(now - DAY_MS * 1000, oldest?.created_time ?? now);
    const removed = await blobs.sweepUploads(before);
    // A directory is swept by a single server at its start; for a bucket, nobody knows whether others run.
    if (blobs.sites !== null) {
      removed.push(...(await blobs.sweep(await allBundleArchives(storage.db))));
      const kept = [...(await keptSites(storage.db))];
      const named = kept.flatMap(([guid, sites]) => sites.map((site) => [guid, site] as const));
      removed.push(...(await blobs.sites.sweep([...named, ...(await servedSites(storage.db))])));
    }
    const logs = await listedLogs(storage.db);
    removed.push(...(await removeLeftLogs(options.logs, logs, before)));
    if (blobs.logs !== null) removed.push(...(await blobs.logs.sweep(logs)));
    for (const directory of workDirectories) {
      for (const name of await readdir(directory).catch(() => [])) {
        const path = join(directory, name);
        if (name.startsWith(SERVER)) continue;
        if (((await lastUse(path)) ?? now) >= before) continue;
        if (await tryRemove(path)) removed.push(name);
      }
    }
    return removed;
  }

  /**
   * Removes files of content whose deletion was interrupted. Without an audit entry of the deletion, they may belong to
   * another database.
   */
  async function sweepDeleted(): Promise<string[]> {
    const removed: string[] = [];
    const known = await servedSites(storage.db);
    for (const directory of [options.contents, options.logs]) {
      for (const name of await readdir(directory).catch(() => [])) {
        const [guid] = GUID.exec(name) ?? [];
        if (guid === undefined || known.has(guid) || !(await isDeleted(storage.db, guid))) continue;
        if (await tryRemove(join(directory, name))) removed.push(name);
      }
    }
    return removed;
  }

  async function work(): Promise<void> {
    const failed = failureOf('housekeeping', log);
    const leftovers = await sweepLeftovers().catch(failed);
    if (leftovers?.length) log.warn({ leftovers }, 'removed leftovers of a stopped server');
    const bundles = await missingArchives(storage.db, blobs).catch(failed);
    if (bundles?.length)
      log.error(
        { bundles: bundles.slice(0, LISTED) },
        '%d bundles of the database are not in its store: content cannot be deployed from them, or is not found. %s',
        bundles.length,
        MISSING_REMEDY,
      );
    const deleted = await sweepDeleted().catch(failed);
    if (deleted?.length) log.warn({ deleted }, 'removed what was left of deleted content');
    const { signal } = stopping;
    const drafts = await options.removeEndedDrafts().catch(failed);
    if (drafts) log.info('removed %d drafts that had ended', drafts);
    const evicted = await evictUnused({ ...options, directory: environments, signal }).catch(failed);
    if (evicted?.length) log.info({ evicted }, 'removed unused packages');
    await storage.write(cutPortions).catch(failed);
    await writeMissingTexts(storage).catch(failed);
    const { usageRetention, auditRetention, auditReceivers } = options;
    const dropped = await dropEvents(storage, clock.now()).catch(failed);
    if (dropped) log.warn('dropped %d events that no receiver of Events.Webhooks accepted in time', dropped);
    const since = (seconds: number) => clock.now() - seconds * 1_000_000;
    if (usageRetention > 0 && !signal.aborted) {
      const removed = await removeUsageBefore(storage, since(usageRetention), signal).catch(failed);
      if (removed) log.info('removed %d old visits and sessions', removed);
    }
    const days = await rollUpVisits(storage, clock.now(), signal).catch(failed);
    if (days) log.info('counted the visits of %d days', days);
    const unused = await options.announceUnused().catch(failed);
    if (unused) log.info('asked the owners of %d content items that nobody uses', unused);
    if (auditRetention > 0 && !signal.aborted) {
      const until = since(auditRetention);
      const removed = await removeOldAuditEntries(options, until, auditReceivers, signal).catch(failed);
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
