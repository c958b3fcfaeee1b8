// Applications: the process pools of deployed content, one per deploy in use.
import type { ContentRow } from '../content/store.ts';
import { orAborted } from '../platform/or-aborted.ts';
import { findApplication } from './kinds/index.ts';
import { deployedOf, type Deployed } from './launch-record.ts';
import { createPool, type Pool } from './pool/pool.ts';
import type { Places } from './pool/places.ts';
import { schedulingOf, type Scheduling } from './pool/scheduling.ts';
import { leavePlaces, startInPlace } from './pool/start-in-place.ts';
import { createProcessStarter, type ProcessStarterOptions, type StartedFor } from './start-process.ts';
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
   * Applies changes of a content item: inactive deploys drain, settings take effect.
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

interface Entry extends StartedFor {
  content: ContentRow;
  readonly pool: Pool;
  print: ((line: string) => void) | null;
  onTrial: boolean;
  isDraft: boolean;
  /** Was active before, and ends after its last connection. */
  isDraining: boolean;
  /** False while its first process waits for others to end. */
  hasBegun: boolean;
  /** Its places within the limits of all servers. */
  readonly places: Set<Disposable>;
}

export function createApplications(options: ApplicationsOptions): Applications {
  const { config, places, prepared } = options;
  const processes = createProcessStarter(options);
  const entries = new Map<string, Map<string, Entry>>();
  /** Entries that end after their last visitors, beside their replacement. */
  const drained = new Set<Entry>();
  /** Ends of stopped processes by content item: new ones wait for them. They never reject. */
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

  /** For the active deploy: pools of earlier or draining deploys that still have visitors. */
  function poolsBefore(entry: Entry): Pool[] {
    const isLeaving = (one: Entry) => one.isDraining || drained.has(one);
    if (entry.isDraft || entry.onTrial || isLeaving(entry)) return [];
    return entriesOf(entry.content.guid)
      .filter(isLeaving)
      .map(({ pool }) => pool);
  }

  /** @throws Unavailable if it is ended before that */
  async function untilFree(entry: Entry): Promise<void> {
    const { signal } = entry.ending;
    const { guid } = entry.content;
    while (!entry.hasBegun && !entry.onTrial && !signal.aborted && ends.has(guid))
      await orAborted(ends.get(guid)!, signal).catch(() => undefined);
    if (signal.aborted) throw clientDisconnected();
    entry.hasBegun = true;
  }

  function startAfter(contentGuid: string, gone: Promise<unknown>): void {
    const end = Promise.allSettled([ends.get(contentGuid), gone]).then(() => {
      if (ends.get(contentGuid) === end) ends.delete(contentGuid);
    });
    ends.set(contentGuid, end);
  }

  /** New processes may start in its place. */
  function retire(entry: Entry): Promise<void> {
    leavePlaces(entry.places);
    prepared.retire(entry.content.guid, ({ site }) => site !== entry.site);
    return entry.pool.retire();
  }

  /** Drafts keep no idle processes. */
  function scheduling({ content, isDraft }: Entry): Scheduling {
    const own = schedulingOf(content, config);
    return isDraft ? { ...own, minProcesses: 0 } : own;
  }

  /** The pool of the active deploy is recreated on demand; others are removed once drained. */
  function forgetIfUnused(entry: Entry): void {
    const { content, site, onTrial } = entry;
    const ofContent = entries.get(content.guid);
    // It may have been replaced while it drained.
    if (onTrial || ofContent?.get(site) !== entry) return;
    ofContent.delete(site);
    if (ofContent.size === 0) entries.delete(content.guid);
  }

  function activeEntry(asked: ContentRow): Entry {
    // A request in flight when the next deploy became active goes to that one.
    const content = newest(asked);
    const known = entries.get(content.guid)?.get(content.site ?? '');
    if (known && !known.isDraining) return known;
    // Active again: it gets a new pool.
    if (known) drained.add(known);
    drainOthers(content.guid, content.site);
    return addEntry(deployedOf(content));
  }

  const poolOf = (content: ContentRow): Pool => activeEntry(content).pool;

  /** Data read before the last deploy may arrive after it. */
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

  /** Makes room for another entry. */
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
    // Includes entries that have not begun: they wait for their end, too.
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

  /** Starts a process, or uses one that a visitor has started meanwhile, here or on another server. */
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
      // A deploy in progress on this server reports its own result.
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
        if (next.ending.signal.aborted) throw clientDisconnected();
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

/** Time of the active deploy, increasing with each deploy on any server (`activate`). */
function deployTime({ last_deployed_time }: ContentRow): number {
  return last_deployed_time ?? 0;
}
