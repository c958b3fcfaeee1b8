// Applications: the process pools of deployed content, one per deploy in use.
import type { ContentRow } from '../content/store.ts';
import { orAborted } from '../platform/or-aborted.ts';
import { createDeploysInUse, type DeployInUse } from './deploys-in-use.ts';
import { findApplication } from './kinds/index.ts';
import { deployedOf, type Deployed } from './launch-record.ts';
import type { Places } from './pool/places.ts';
import { createPool, type Pool } from './pool/pool.ts';
import { schedulingOf, type Scheduling } from './pool/scheduling.ts';
import { leavePlaces, startInPlace } from './pool/start-in-place.ts';
import { createProcessStarter, type ProcessStarterOptions } from './start-process.ts';
import { ClosedForStarts, TooBusy, clientDisconnected } from './unavailable.ts';

export interface Applications extends AsyncDisposable {
  /** The pool of the active deploy. */
  poolOf(content: ContentRow): Pool;
  /**
   * Starts the first process of a deploy that is about to become active, which will use it.
   * @throws Unavailable if it does not start.
   */
  tryOut(deployed: Deployed, print: (line: string) => void): Promise<void>;
  /** Like `tryOut`, for a draft that is about to become active: uses its running process, if any. */
  tryDraft(deployed: Deployed, print: (line: string) => void): Promise<void>;
  /** Continues what `tryOut` or `tryDraft` started as a draft, beside the active deploy. */
  keepAsDraft(contentGuid: string, site: string): void;
  /** The pool of a draft. */
  poolOfDraft(deployed: Deployed): Pool;
  /** Ends what `tryOut` started, or the processes of a draft: the deploy failed, or the draft ended. */
  abandon(contentGuid: string, site: string): Promise<void>;
  /**
   * Applies changes of a content item: inactive deploys drain, settings take effect, what failed to start is tried again.
   * @param drafts deploys that are its drafts: others end
   */
  changed(content: ContentRow, drafts: readonly string[]): void;
  /**
   * Applies changes made by other servers of the same database.
   * @param all every application
   * @param drafts deploys that are drafts, by content item
   */
  follow(all: readonly ContentRow[], drafts: ReadonlyMap<string, readonly string[]>): void;
  /**
   * Ends the processes of a content item; the next visitor starts new ones, and waits for the end. A deploy in progress
   * continues.
   */
  stop(contentGuid: string): Promise<void>;
  /** Ends one process of any kind; false if it is not here. @param key of its job */
  stopOne(key: string): Promise<boolean>;
  /**
   * Like `stop`, and starts a first process of the active deploy once no other server runs one. Visitors wait for it.
   * @param gone aborted when nobody waits for the result
   * @throws Unavailable if it does not start.
   */
  restart(
    content: ContentRow,
    stoppedElsewhere: Promise<void>,
    print: (line: string) => void,
    gone?: AbortSignal,
  ): Promise<void>;
  /** Drains the processes of a content item: they take no new visitors, and end after their last one. */
  drain(contentGuid: string): void;
  /** Preloads the packages of the active deploy in the background, if no process of it runs. */
  prepare(content: ContentRow): Promise<void>;
  /** Whether the active deploy may have another process, counting those of other servers. */
  mayStart(content: ContentRow): Promise<boolean>;
  /** While true, no process starts: set by `cluster/drain.ts`. */
  isClosed: boolean;
  /** Ends all processes of a deleted content item. */
  end(contentGuid: string): Promise<void>;
  /** Deploys of a content item with running processes. */
  sitesInUse(contentGuid: string): string[];
}

export interface ApplicationsOptions extends ProcessStarterOptions {
  /** Limits across all servers; null for a single server. */
  readonly places: Places | null;
}

export function createApplications(options: ApplicationsOptions): Applications {
  const { config, places, prepared } = options;
  const processes = createProcessStarter(options);
  const inUse = createDeploysInUse();
  /** Ends of stopped processes by content item: new ones wait for them. They never reject. */
  const ends = new Map<string, Promise<void>>();
  let isClosed = false;

  function add(deployed: Deployed): DeployInUse {
    const { content, site, launch } = deployed;
    const engine = findApplication(launch.manifest.appmode);
    const deploy: DeployInUse = {
      content,
      site,
      ending: new AbortController(),
      closings: new Set(),
      print: null,
      onTrial: false,
      isDraft: false,
      isDraining: false,
      hasBegun: false,
      places: new Set(),
      pool: createPool({
        scheduling: () => scheduling(deploy),
        async start() {
          await untilFree(deploy);
          if (isClosed) throw new ClosedForStarts();
          const start = () => processes.start(deploy, deployed, engine);
          if (places === null) return start();
          const deployment = { content_guid: content.guid, site };
          const { maxProcesses } = scheduling(deploy);
          return startInPlace(() => places.take(deployment, maxProcesses), deploy.places, start);
        },
        earlier: () => poolsBefore(deploy),
        onEmpty: () => inUse.forgetIfUnused(deploy),
      }),
    };
    inUse.add(deploy);
    return deploy;
  }

  /** For the active deploy: pools of earlier or draining deploys that still have visitors. */
  function poolsBefore(deploy: DeployInUse): Pool[] {
    if (deploy.isDraft || deploy.onTrial || inUse.isLeaving(deploy)) return [];
    return inUse
      .withReplaced(deploy.content.guid)
      .filter(inUse.isLeaving)
      .map(({ pool }) => pool);
  }

  /** @throws Unavailable if it is ended before that */
  async function untilFree(deploy: DeployInUse): Promise<void> {
    const { signal } = deploy.ending;
    const { guid } = deploy.content;
    while (!deploy.hasBegun && !deploy.onTrial && !signal.aborted && ends.has(guid))
      await orAborted(ends.get(guid)!, signal).catch(() => undefined);
    if (signal.aborted) throw clientDisconnected();
    deploy.hasBegun = true;
  }

  function startAfter(contentGuid: string, gone: Promise<unknown>): void {
    const end = Promise.allSettled([ends.get(contentGuid), gone]).then(() => {
      if (ends.get(contentGuid) === end) ends.delete(contentGuid);
    });
    ends.set(contentGuid, end);
  }

  /** New processes may start in its place. */
  function retire(deploy: DeployInUse): Promise<void> {
    leavePlaces(deploy.places);
    prepared.retire(deploy.content.guid, ({ site }) => site !== deploy.site);
    return deploy.pool.retire();
  }

  /** Drafts keep no idle processes. */
  function scheduling({ content, isDraft }: DeployInUse): Scheduling {
    const own = schedulingOf(content, config);
    return isDraft ? { ...own, minProcesses: 0 } : own;
  }

  function activeDeploy(row: ContentRow): DeployInUse {
    // A request in flight when the next deploy became active goes to that one.
    const content = newest(row);
    const known = inUse.find(content.guid, content.site);
    if (known && !known.isDraining) return known;
    // Active again: it gets a new pool.
    if (known) inUse.replace(known);
    drainOthers(content.guid, content.site);
    return add(deployedOf(content));
  }

  const poolOf = (content: ContentRow): Pool => activeDeploy(content).pool;

  /** Data read before the last deploy may arrive after it. */
  function newest(content: ContentRow): ContentRow {
    const known = inUse.of(content.guid).map((deploy) => deploy.content);
    return known.reduce((last, one) => (deployTime(one) > deployTime(last) ? one : last), content);
  }

  function drainOthers(contentGuid: string, activeSite: string | null): void {
    for (const deploy of inUse.of(contentGuid)) {
      if (deploy.site === activeSite || deploy.onTrial || deploy.isDraft || deploy.isDraining) continue;
      deploy.isDraining = true;
      void retire(deploy).then(() => {
        inUse.ended(deploy);
        inUse.forgetIfUnused(deploy);
      });
    }
  }

  function draftDeploy(deployed: Deployed): DeployInUse {
    const known = inUse.find(deployed.content.guid, deployed.site);
    if (known) return known;
    const deploy = add(deployed);
    deploy.isDraft = true;
    return deploy;
  }

  function changed(content: ContentRow, drafts: readonly string[]): void {
    if (newest(content) !== content) return;
    const { guid } = content;
    // The files change hands: processes of the earlier account could no longer read theirs.
    if (inUse.of(guid).some(({ content: { run_as } }) => run_as !== content.run_as)) void stop(guid);
    for (const deploy of inUse.of(guid)) {
      deploy.content = content;
      if (deploy.site !== content.site) {
        if (deploy.isDraft && !deploy.onTrial && !drafts.includes(deploy.site))
          void close(deploy, 'the draft has ended');
        continue;
      }
      deploy.onTrial = false;
      deploy.isDraft = false;
      deploy.pool.keepMinimum();
    }
    drainOthers(guid, content.site);
    prepared.retire(
      guid,
      ({ site, runAs }) =>
        runAs === content.run_as &&
        (site === content.site || drafts.includes(site) || inUse.find(guid, site)?.onTrial === true),
    );
    const { minProcesses } = schedulingOf(content, config);
    if (content.launch !== null && minProcesses > 0) poolOf(content).keepMinimum();
  }

  async function close(deploy: DeployInUse, why: string): Promise<void> {
    deploy.ending.abort(new Error(why));
    await deploy.pool.close();
    await Promise.all(deploy.closings);
    prepared.retire(deploy.content.guid, ({ site }) => site !== deploy.site);
    deploy.onTrial = false;
    inUse.forgetIfUnused(deploy);
  }

  function drain(contentGuid: string): void {
    for (const deploy of inUse.of(contentGuid)) {
      if (deploy.onTrial || deploy.isDraining) continue;
      leave(deploy, retire(deploy));
    }
  }

  /** Makes room for another deploy. */
  function leave(deploy: DeployInUse, gone: Promise<unknown>): void {
    inUse.forgetIfUnused(deploy);
    inUse.replace(deploy);
    void gone.then(() => inUse.ended(deploy));
  }

  async function end(contentGuid: string): Promise<void> {
    const all = inUse.withReplaced(contentGuid);
    await Promise.all(all.map((deploy) => close(deploy, 'the content is removed')));
    await prepared.end(contentGuid);
  }

  async function stop(contentGuid: string): Promise<void> {
    // Includes entries that have not begun: they wait for their end, too.
    const all = inUse.withReplaced(contentGuid).filter(({ hasBegun, onTrial }) => hasBegun && !onTrial);
    const ended = Promise.all(all.map((deploy) => close(deploy, 'the processes were stopped')));
    for (const deploy of all) leave(deploy, ended);
    const gone = ended.then(() =>
      prepared.retire(contentGuid, ({ site }) => inUse.find(contentGuid, site)?.onTrial === true),
    );
    startAfter(contentGuid, gone);
    await gone;
  }

  /** Starts a process, or uses one that a visitor has started meanwhile, here or on another server. */
  async function startFirst(
    deploy: DeployInUse,
    print: (line: string) => void,
    gone?: AbortSignal,
  ): Promise<void> {
    deploy.print = print;
    try {
      const lease = await deploy.pool.first(gone);
      lease.release();
    } catch (error) {
      if (places === null || !(error instanceof TooBusy) || deploy.pool.processes > 0) throw error;
      print('Other servers run it, in as many processes as it may have');
    } finally {
      deploy.print = null;
    }
  }

  return {
    poolOf,
    async prepare(content) {
      if (isClosed || content.site === null || content.launch === null || inUse.of(content.guid).length > 0)
        return;
      const deployed = deployedOf(content);
      const engine = findApplication(deployed.launch.manifest.appmode);
      await processes.prepare({ content, site: deployed.site }, deployed, engine);
    },
    async mayStart(content) {
      const deployment = { content_guid: content.guid, site: content.site ?? '' };
      const { maxProcesses } = schedulingOf(content, config);
      return places === null || places.isFree(deployment, maxProcesses);
    },
    async tryOut(deployed, print) {
      const deploy = add(deployed);
      deploy.onTrial = true;
      await startFirst(deploy, print);
    },
    async tryDraft(deployed, print) {
      const deploy = draftDeploy(deployed);
      deploy.pool.tryAgain();
      deploy.onTrial = true;
      await startFirst(deploy, print);
    },
    keepAsDraft(contentGuid, site) {
      const deploy = inUse.find(contentGuid, site);
      if (!deploy) return;
      deploy.isDraft = true;
      deploy.onTrial = false;
      if (deploy.pool.processes === 0) inUse.forgetIfUnused(deploy);
    },
    poolOfDraft: (deployed) => draftDeploy(deployed).pool,
    async abandon(contentGuid, site) {
      const deploy = inUse.find(contentGuid, site);
      if (deploy) await close(deploy, 'the deploy has failed');
    },
    changed(content, drafts) {
      changed(content, drafts);
      for (const { pool } of inUse.of(content.guid)) pool.tryAgain();
    },
    follow(all, drafts) {
      const known = new Set(all.map(({ guid }) => guid));
      // A deploy in progress on this server reports its own result.
      const isOnTrial = (guid: string) => inUse.of(guid).some((deploy) => deploy.onTrial);
      for (const content of all)
        if (!isOnTrial(content.guid)) changed(content, drafts.get(content.guid) ?? []);
      for (const guid of inUse.contentGuids())
        if (!known.has(guid) && !drafts.has(guid) && !isOnTrial(guid)) void end(guid);
    },
    stop,
    async restart(content, stoppedElsewhere, print, gone) {
      const stopped = Promise.all([stop(content.guid), stoppedElsewhere]);
      startAfter(content.guid, stopped);
      const next = activeDeploy(content);
      next.print = print;
      try {
        await orAborted(stopped, gone);
        if (next.ending.signal.aborted) throw clientDisconnected();
        // A deploy may have gone live meanwhile.
        await startFirst(activeDeploy(content), print, gone);
      } finally {
        next.print = null;
      }
    },
    end,
    stopOne: processes.stop,
    drain,
    get isClosed() {
      return isClosed;
    },
    set isClosed(wanted) {
      isClosed = wanted;
    },
    sitesInUse: (contentGuid) => [...new Set(inUse.withReplaced(contentGuid).map(({ site }) => site))],
    async [Symbol.asyncDispose]() {
      await Promise.all(inUse.withReplaced().map((deploy) => close(deploy, 'the server is stopping')));
      await prepared[Symbol.asyncDispose]();
    },
  };
}

/** Time of the active deploy, increasing with each deploy on any server (`activate`). */
function deployTime({ last_deployed_time }: ContentRow): number {
  return last_deployed_time ?? 0;
}
