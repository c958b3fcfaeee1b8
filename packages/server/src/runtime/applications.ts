// Applications: the pools of processes that run deployed content, one for each deploy that anybody still uses.
import type { ContentRow } from '../content/store.ts';
import { orAborted } from '../platform/or-aborted.ts';
import { findApplication } from './kinds/index.ts';
import { deployedOf, type Deployed } from './launch-record.ts';
import { createPool, type Pool } from './pool/pool.ts';
import type { Places } from './pool/places.ts';
import { schedulingOf, type Scheduling } from './pool/scheduling.ts';
import { leavePlaces, startInPlace } from './pool/start-in-place.ts';
import { createProcessStarter, type ProcessStarterOptions, type StartedFor } from './start-process.ts';
import { ClosedForStarts, TooBusy, wentAway } from './unavailable.ts';

export interface Applications extends AsyncDisposable {
  /** The processes of the active deploy. */
  poolOf(content: ContentRow): Pool;
  /**
   * Starts a first process of a deploy that is about to become the active one, which will use it.
   * @throws Unavailable when it does not start.
   */
  tryOut(deployed: Deployed, print: (line: string) => void): Promise<void>;
  /** As `tryOut`, of a draft that is about to become the active deploy: a process of it that runs is taken. */
  tryDraft(deployed: Deployed, print: (line: string) => void): Promise<void>;
  /** What `tryOut` or `tryDraft` started goes on as a draft's, beside the active deploy. */
  keepAsDraft(contentGuid: string, site: string): void;
  /** The processes of a draft. */
  poolOfDraft(deployed: Deployed): Pool;
  /** Ends what `tryOut` started, or what a draft has: the deploy failed, or the draft ended. */
  abandon(contentGuid: string, site: string): Promise<void>;
  /**
   * Takes in what changed about a content item: deploys that are not active drain, settings apply.
   * @param drafts deploys that are its drafts: the others end
   */
  changed(content: ContentRow, drafts: readonly string[]): void;
  /**
   * Takes in what other servers of the same database changed.
   * @param all every content item that runs on demand
   * @param drafts deploys that are drafts, by content item
   */
  follow(all: readonly ContentRow[], drafts: ReadonlyMap<string, readonly string[]>): void;
  /**
   * Ends the processes of a content item, which start again for the next visitor: who comes meanwhile waits for that. What
   * a deploy that is under way tries out goes on.
   */
  stop(contentGuid: string): Promise<void>;
  /** Ends one process, whatever it is for; false where it is not here. @param key of its job */
  stopOne(key: string): Promise<boolean>;
  /**
   * As `stop`, and starts a first process of the active deploy once no other server runs one. Who comes meanwhile waits for it.
   * @param gone aborted when nobody waits for the restart any more
   * @throws Unavailable when it does not start.
   */
  restart(
    content: ContentRow,
    stoppedElsewhere: Promise<void>,
    print: (line: string) => void,
    gone?: AbortSignal,
  ): Promise<void>;
  /** The processes of a content item take no new visitors, who get others, and end with their last one. */
  drain(contentGuid: string): void;
  /** Loads the packages of the active deploy in the background, where no process of it runs. */
  prepare(content: ContentRow): Promise<void>;
  /** Whether the active deploy may have another process, with those of other servers. */
  mayStart(content: ContentRow): Promise<boolean>;
  /** While true, no process starts: `cluster/drain.ts` has it from the database. */
  isClosed: boolean;
  /** Ends all processes of a content item that is no more. */
  end(contentGuid: string): Promise<void>;
  /** The deploys of a content item that processes still run from. */
  sitesInUse(contentGuid: string): string[];
}

export interface ApplicationsOptions extends ProcessStarterOptions {
  /** Of the processes on all servers; null where there is one. */
  readonly places: Places | null;
}

interface Entry extends StartedFor {
  content: ContentRow;
  readonly pool: Pool;
  print: ((line: string) => void) | null;
  onTrial: boolean;
  isDraft: boolean;
  /** It was active before, and ends with its last connection. */
  isDraining: boolean;
  /** False while its first process waits for the end of others. */
  hasBegun: boolean;
  /** Of its processes, among those of all servers. */
  readonly places: Set<Disposable>;
}

export function createApplications(options: ApplicationsOptions): Applications {
  const { config, places, prepared } = options;
  const processes = createProcessStarter(options);
  const entries = new Map<string, Map<string, Entry>>();
  /** Entries that end with their last visitors, beside those that took their place. */
  const drained = new Set<Entry>();
  /** The end of processes that were stopped, by content item: the next ones wait for it. They never reject. */
  const ends = new Map<string, Promise<void>>();
  let isClosed = false;

  function addEntry(deployed: Deployed): Entry {
    const { content, site, launch } = deployed;
    const engine = findApplication(launch.manifest.appmode);
    const entry: Entry = {
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
        scheduling: () => scheduling(entry),
        async start() {
          await untilFree(entry);
          if (isClosed) throw new ClosedForStarts();
          const start = () => processes.start(entry, deployed, engine);
          if (places === null) return start();
          const deployment = { content_guid: content.guid, site };
          const { maxProcesses } = scheduling(entry);
          return startInPlace(() => places.take(deployment, maxProcesses), entry.places, start);
        },
        earlier: () => poolsBefore(entry),
        onEmpty: () => forgetIfUnused(entry),
      }),
    };
    const ofContent = entries.get(content.guid) ?? new Map<string, Entry>();
    entries.set(content.guid, ofContent.set(site, entry));
    return entry;
  }

  /** Of the active deploy: what was active before, or drains, and still has visitors. */
  function poolsBefore(entry: Entry): Pool[] {
    const isLeaving = (one: Entry) => one.isDraining || drained.has(one);
    if (entry.isDraft || entry.onTrial || isLeaving(entry)) return [];
    return entriesOf(entry.content.guid)
      .filter(isLeaving)
      .map(({ pool }) => pool);
  }

  /** @throws Unavailable where it is to end before that */
  async function untilFree(entry: Entry): Promise<void> {
    const { signal } = entry.ending;
    const { guid } = entry.content;
    while (!entry.hasBegun && !entry.onTrial && !signal.aborted && ends.has(guid))
      await orAborted(ends.get(guid)!, signal).catch(() => undefined);
    if (signal.aborted) throw wentAway();
    entry.hasBegun = true;
  }

  function startAfter(contentGuid: string, gone: Promise<unknown>): void {
    const end = Promise.allSettled([ends.get(contentGuid), gone]).then(() => {
      if (ends.get(contentGuid) === end) ends.delete(contentGuid);
    });
    ends.set(contentGuid, end);
  }

  /** Those that take its place may start. */
  function retire(entry: Entry): Promise<void> {
    leavePlaces(entry.places);
    prepared.retire(entry.content.guid, ({ site }) => site !== entry.site);
    return entry.pool.retire();
  }

  /** No process of a draft is kept for visitors to come. */
  function scheduling({ content, isDraft }: Entry): Scheduling {
    const own = schedulingOf(content, config);
    return isDraft ? { ...own, minProcesses: 0 } : own;
  }

  /** The active deploy's pool is made anew when it is needed; others are gone once drained. */
  function forgetIfUnused(entry: Entry): void {
    const { content, site, onTrial } = entry;
    const ofContent = entries.get(content.guid);
    // Another may have taken its place while it drained.
    if (onTrial || ofContent?.get(site) !== entry) return;
    ofContent.delete(site);
    if (ofContent.size === 0) entries.delete(content.guid);
  }

  function activeEntry(asked: ContentRow): Entry {
    // A request that was on its way when the next deploy became active goes to that one.
    const content = newest(asked);
    const known = entries.get(content.guid)?.get(content.site ?? '');
    if (known && !known.isDraining) return known;
    // Active once more: others take its place.
    if (known) drained.add(known);
    drainOthers(content.guid, content.site);
    return addEntry(deployedOf(content));
  }

  const poolOf = (content: ContentRow): Pool => activeEntry(content).pool;

  /** What was read before the last deploy may be told after it. */
  function newest(content: ContentRow): ContentRow {
    const known = [...(entries.get(content.guid)?.values() ?? [])].map((entry) => entry.content);
    return known.reduce((last, one) => (deployTime(one) > deployTime(last) ? one : last), content);
  }

  function drainOthers(contentGuid: string, activeSite: string | null): void {
    for (const entry of entries.get(contentGuid)?.values() ?? []) {
      if (entry.site === activeSite || entry.onTrial || entry.isDraft || entry.isDraining) continue;
      entry.isDraining = true;
      void retire(entry).then(() => {
        drained.delete(entry);
        forgetIfUnused(entry);
      });
    }
  }

  function draftEntry(deployed: Deployed): Entry {
    const known = entries.get(deployed.content.guid)?.get(deployed.site);
    if (known) return known;
    const entry = addEntry(deployed);
    entry.isDraft = true;
    return entry;
  }

  function changed(content: ContentRow, drafts: readonly string[]): void {
    if (newest(content) !== content) return;
    const { guid } = content;
    for (const entry of entries.get(guid)?.values() ?? []) {
      entry.content = content;
      if (entry.site !== content.site) {
        if (entry.isDraft && !entry.onTrial && !drafts.includes(entry.site))
          void close(entry, 'the draft has ended');
        continue;
      }
      entry.onTrial = false;
      entry.isDraft = false;
      entry.pool.keepMinimum();
    }
    drainOthers(guid, content.site);
    prepared.retire(
      guid,
      ({ site, runAs }) =>
        runAs === content.run_as &&
        (site === content.site || drafts.includes(site) || entries.get(guid)?.get(site)?.onTrial === true),
    );
    const { minProcesses } = schedulingOf(content, config);
    if (content.launch !== null && minProcesses > 0) poolOf(content).keepMinimum();
  }

  async function close(entry: Entry, why: string): Promise<void> {
    entry.ending.abort(new Error(why));
    await entry.pool.close();
    await Promise.all(entry.closings);
    prepared.retire(entry.content.guid, ({ site }) => site !== entry.site);
    entry.onTrial = false;
    forgetIfUnused(entry);
  }

  function entriesOf(contentGuid: string): Entry[] {
    const leaving = [...drained].filter(({ content }) => content.guid === contentGuid);
    return [...(entries.get(contentGuid)?.values() ?? []), ...leaving];
  }

  function drain(contentGuid: string): void {
    for (const entry of entries.get(contentGuid)?.values() ?? []) {
      if (entry.onTrial || entry.isDraining) continue;
      leave(entry, retire(entry));
    }
  }

  /** Another may take its place. */
  function leave(entry: Entry, gone: Promise<unknown>): void {
    forgetIfUnused(entry);
    drained.add(entry);
    void gone.then(() => drained.delete(entry));
  }

  async function end(contentGuid: string): Promise<void> {
    const all = entriesOf(contentGuid);
    await Promise.all(all.map((entry) => close(entry, 'the content is removed')));
    await prepared.end(contentGuid);
  }

  async function stop(contentGuid: string): Promise<void> {
    // What has not begun waits for their end, too.
    const all = entriesOf(contentGuid).filter(({ hasBegun, onTrial }) => hasBegun && !onTrial);
    const ended = Promise.all(all.map((entry) => close(entry, 'the processes were stopped')));
    for (const entry of all) leave(entry, ended);
    const gone = ended.then(() => {
      const active = entries.get(contentGuid);
      prepared.retire(contentGuid, ({ site }) => active?.get(site)?.onTrial === true);
    });
    startAfter(contentGuid, gone);
    await gone;
  }

  /** Starts a process, or takes the one that a visitor has started meanwhile, here or on other servers. */
  async function startFirst(entry: Entry, print: (line: string) => void, gone?: AbortSignal): Promise<void> {
    entry.print = print;
    try {
      const lease = await entry.pool.first(gone);
      lease.release();
    } catch (error) {
      if (places === null || !(error instanceof TooBusy) || entry.pool.processes > 0) throw error;
      print('Other servers run it, in as many processes as it may have');
    } finally {
      entry.print = null;
    }
  }

  return {
    poolOf,
    async prepare(content) {
      if (isClosed || content.site === null || content.launch === null || entries.has(content.guid)) return;
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
      const entry = addEntry(deployed);
      entry.onTrial = true;
      await startFirst(entry, print);
    },
    async tryDraft(deployed, print) {
      const entry = draftEntry(deployed);
      entry.onTrial = true;
      await startFirst(entry, print);
    },
    keepAsDraft(contentGuid, site) {
      const entry = entries.get(contentGuid)?.get(site);
      if (!entry) return;
      entry.isDraft = true;
      entry.onTrial = false;
      if (entry.pool.processes === 0) forgetIfUnused(entry);
    },
    poolOfDraft: (deployed) => draftEntry(deployed).pool,
    async abandon(contentGuid, site) {
      const entry = entries.get(contentGuid)?.get(site);
      if (entry) await close(entry, 'the deploy has failed');
    },
    changed,
    follow(all, drafts) {
      const known = new Set(all.map(({ guid }) => guid));
      // What is being deployed here is told of at the end of that.
      const isOnTrial = (guid: string) =>
        [...(entries.get(guid)?.values() ?? [])].some((entry) => entry.onTrial);
      for (const content of all)
        if (!isOnTrial(content.guid)) changed(content, drafts.get(content.guid) ?? []);
      for (const guid of entries.keys())
        if (!known.has(guid) && !drafts.has(guid) && !isOnTrial(guid)) void end(guid);
    },
    stop,
    async restart(content, stoppedElsewhere, print, gone) {
      const stopped = Promise.all([stop(content.guid), stoppedElsewhere]);
      startAfter(content.guid, stopped);
      const next = activeEntry(content);
      next.print = print;
      try {
        await orAborted(stopped, gone);
        if (next.ending.signal.aborted) throw wentAway();
        // A deploy may have gone live meanwhile.
        await startFirst(activeEntry(content), print, gone);
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
    sitesInUse: (contentGuid) => [...new Set(entriesOf(contentGuid).map(({ site }) => site))],
    async [Symbol.asyncDispose]() {
      const all = [...entries.values()].flatMap((ofContent) => [...ofContent.values()]).concat(...drained);
      await Promise.all(all.map((entry) => close(entry, 'the server is stopping')));
      await prepared[Symbol.asyncDispose]();
    },
  };
}

/** Of its active deploy; each one has a later one, on whatever server (`activate`). */
function deployTime({ last_deployed_time }: ContentRow): number {
  return last_deployed_time ?? 0;
}
