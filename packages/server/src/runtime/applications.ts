// Applications: the pools of processes that run deployed content, one for each deploy that anybody still uses.
import { ApiError } from '@pressroom/api/contract';
import type { Logger } from 'pino';
import type { ContentRow } from '../content/store.ts';
import type { Job, Jobs } from '../jobs/jobs.ts';
import type { Config } from '../main/config/settings.ts';
import { messageOf } from '../platform/errors.ts';
import { createMask } from '../tasks/mask.ts';
import type { ContentEnvironment } from './content-environment.ts';
import { type ApplicationEngine, findEngine } from './kinds/index.ts';
import { deployedOf, storedLaunch, type Deployed } from './launch-record.ts';
import { freePort } from './pool/free-port.ts';
import { createPool, type Pool } from './pool/pool.ts';
import { schedulingOf, type Scheduling } from './pool/scheduling.ts';
import { SOCKET, startWorker, type Worker } from './pool/worker.ts';
import type { RestoreAgain } from './restore-again.ts';
import type { Ending, Launched, Launcher } from './sandbox/launcher.ts';
import { closedForStarts, filesOutOfReach, startFailed, Unavailable } from './unavailable.ts';

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
   * Ends the processes of a content item, which start again for the next visitor. What a deploy that is under way tries
   * out goes on.
   */
  stop(contentGuid: string): Promise<void>;
  /** Ends one process, whatever it is for; false where it is not here. @param key of its job */
  stopOne(key: string): Promise<boolean>;
  /** As `stop`, and starts a first process of the active deploy. @throws Unavailable when it does not start. */
  restart(content: ContentRow, print: (line: string) => void): Promise<void>;
  /** The processes of a content item take no new visitors, who get others, and end with their last one. */
  drain(contentGuid: string): void;
  /** While true, no process starts. */
  isClosed: boolean;
  /** Ends all processes of a content item that is no more. */
  end(contentGuid: string): Promise<void>;
  /** The deploys of a content item that processes still run from. */
  sitesInUse(contentGuid: string): string[];
}

export interface ApplicationsOptions {
  readonly config: Config;
  readonly launcher: Launcher;
  readonly jobs: Jobs;
  readonly environment: ContentEnvironment;
  readonly siteDirectory: (contentGuid: string, site: string) => string;
  /** Keeps the files of a deploy on this server until its process has ended; null: they are there always. */
  readonly openFiles: OpenFiles | null;
  readonly restoreAgain: RestoreAgain;
  readonly log: Logger;
  /** Told that a process of an active deploy ended by itself, with an error. */
  readonly onCrash?: ((crash: Crash) => Promise<void>) | undefined;
}

export type OpenFiles = (
  deployed: Deployed,
  engine: ApplicationEngine,
  print: (line: string) => void,
  signal: AbortSignal,
) => Promise<Disposable>;

export interface Crash {
  readonly contentGuid: string;
  readonly bundleId: number;
  /** Of its job. */
  readonly key: string;
  readonly ending: Ending;
}

interface Entry {
  content: ContentRow;
  readonly site: string;
  readonly pool: Pool;
  /** Aborted when no process of it is wanted any more, also none that still waits for its packages. */
  readonly ending: AbortController;
  /** Of processes that have ended, or will: until that is written down. */
  readonly closings: Set<Promise<void>>;
  /** Where the first process' output goes, too. */
  print: ((line: string) => void) | null;
  onTrial: boolean;
  /** It is beside the active deploy, and ends with its draft. */
  isDraft: boolean;
  /** It was active before, and ends with its last connection. */
  isDraining: boolean;
}

export function createApplications(options: ApplicationsOptions): Applications {
  const { config, launcher, jobs, environment, siteDirectory, openFiles, restoreAgain, log, onCrash } =
    options;
  const entries = new Map<string, Map<string, Entry>>();
  /** Those that run, by the key of their job. */
  const running = new Map<string, () => Promise<void>>();
  /** Entries that end with their last visitors, beside those that took their place. */
  const drained = new Set<Entry>();
  let isClosed = false;

  function addEntry(deployed: Deployed): Entry {
    const { content, site, launch } = deployed;
    const engine = findEngine(launch.manifest.appmode) as ApplicationEngine;
    const entry: Entry = {
      content,
      site,
      ending: new AbortController(),
      closings: new Set(),
      print: null,
      onTrial: false,
      isDraft: false,
      isDraining: false,
      pool: createPool({
        scheduling: () => scheduling(entry),
        start: () => start(entry, deployed, engine),
        onEmpty: () => forgetIfUnused(entry),
      }),
    };
    const ofContent = entries.get(content.guid) ?? new Map<string, Entry>();
    entries.set(content.guid, ofContent.set(site, entry));
    return entry;
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

  async function start(entry: Entry, deployed: Deployed, engine: ApplicationEngine): Promise<Worker> {
    if (isClosed) throw closedForStarts();
    const { content, site, print } = entry;
    const subject = { content_guid: content.guid, bundle_id: deployed.bundleId, tag: engine.tag };
    const job = await jobs.open(subject);
    let mask = (line: string) => line;
    const note = (line: string) => {
      const shown = mask(line);
      job.write(shown);
      print?.(shown);
    };
    note(engine.launching);
    const directory = siteDirectory(content.guid, site);
    let files: Disposable | undefined;
    try {
      return await startWorker({
        key: job.key,
        initTimeout: schedulingOf(content, config).initTimeout,
        note,
        launch: async () => {
          mask = createMask(await environment.secretsOf(content));
          files = await openFiles?.(deployed, engine, note, entry.ending.signal).catch((cause: unknown) => {
            throw cause instanceof ApiError && cause.status === 503
              ? filesOutOfReach(cause)
              : startFailed(cause);
          });
          // That of the active deploy may have been renewed, by another server, too.
          const stored = entry.content.site === site ? entry.content.launch : null;
          const known = stored === null ? deployed.launch : storedLaunch(stored);
          const launch = await restoreAgain({ ...deployed, launch: known }, note, entry.ending.signal);
          const port = engine.listens === 'port' ? await freePort() : 0;
          const env = await environment.of(content);
          // The account may be another one than at its deploy.
          await launcher.give(directory, content.run_as, content.guid);
          const launched = await launcher.launch({
            runAs: content.run_as,
            content: content.guid,
            onLine: note,
            command(temporary) {
              const socket = `${temporary}/${SOCKET}`;
              const command = engine.command({ ...launch, directory, socket, port, temporary });
              return { ...command, env: { ...env, ...command.env } };
            },
          });
          try {
            await job.begin(launched.pid, launch.environment.readable[0] ?? null);
          } catch (error) {
            // Nobody would know of it: its content may be gone.
            await launched.stop();
            throw error;
          }
          let isWanted = true;
          const stop = () => {
            isWanted = false;
            return launched.stop();
          };
          // As it was at that moment: before the job is closed, a trial that failed is over.
          const ended = launched.ended.then((ending) => ({
            ending,
            isCrash: isWanted && !entry.onTrial && !entry.isDraft && ending.code !== 0,
          }));
          const closing = closeJob(job, launched, note).then(async () => {
            entry.closings.delete(closing);
            running.delete(job.key);
            files?.[Symbol.dispose]();
            const { ending, isCrash } = await ended;
            if (!isCrash) return;
            const crash = { contentGuid: content.guid, bundleId: deployed.bundleId, key: job.key, ending };
            await onCrash?.(crash).catch((error: unknown) => log.error(error, 'crash of %s', job.key));
          });
          entry.closings.add(closing);
          // Whoever asks for the end finds it in the list of processes afterwards.
          running.set(job.key, () => stop().then(() => closing));
          return { launched: { ...launched, stop }, port: engine.listens === 'port' ? port : null };
        },
      });
    } catch (error) {
      files?.[Symbol.dispose]();
      const cause = error instanceof Unavailable ? error.cause : error;
      note(`Could not be launched: ${messageOf(cause)}`);
      await job.fail().catch((cause: unknown) => log.error(cause, 'job %s', job.key));
      throw error;
    }
  }

  function closeJob(job: Job, { ended }: Launched, note: (line: string) => void): Promise<void> {
    return ended
      .then((ending) => {
        note(`The process ${ending.message}`);
        return job.end(ending);
      })
      .catch((error: unknown) => log.error(error, 'job %s', job.key));
  }

  function poolOf(content: ContentRow): Pool {
    const known = entries.get(content.guid)?.get(content.site ?? '');
    // A request that was on its way when the next deploy became active goes to that one.
    if (known?.isDraining) return poolOf(known.content);
    if (known) return known.pool;
    drainOthers(content.guid, content.site);
    return addEntry(deployedOf(content)).pool;
  }

  function drainOthers(contentGuid: string, activeSite: string | null): void {
    for (const entry of entries.get(contentGuid)?.values() ?? []) {
      if (entry.site === activeSite || entry.onTrial || entry.isDraft || entry.isDraining) continue;
      entry.isDraining = true;
      void entry.pool.retire().then(() => forgetIfUnused(entry));
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
    const { minProcesses } = schedulingOf(content, config);
    if (content.launch !== null && minProcesses > 0) poolOf(content).keepMinimum();
  }

  async function close(entry: Entry, why: string): Promise<void> {
    entry.ending.abort(new Error(why));
    await entry.pool.close();
    await Promise.all(entry.closings);
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
      forgetIfUnused(entry);
      drained.add(entry);
      void entry.pool.retire().then(() => drained.delete(entry));
    }
  }

  async function end(contentGuid: string): Promise<void> {
    const all = entriesOf(contentGuid);
    await Promise.all(all.map((entry) => close(entry, 'the content is removed')));
  }

  async function stop(contentGuid: string): Promise<void> {
    const all = entriesOf(contentGuid).filter(({ onTrial }) => !onTrial);
    await Promise.all(all.map((entry) => close(entry, 'the processes were stopped')));
  }

  /** Starts a process, or takes the one that a visitor has started meanwhile. */
  async function startFirst(entry: Entry, print: (line: string) => void): Promise<void> {
    entry.print = print;
    try {
      const lease = await entry.pool.acquire();
      lease.release();
    } finally {
      entry.print = null;
    }
  }

  return {
    poolOf,
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
    async restart(content, print) {
      await stop(content.guid);
      const known = entries.get(content.guid)?.get(content.site ?? '');
      await startFirst(known ?? addEntry(deployedOf(content)), print);
    },
    end,
    async stopOne(key) {
      const stopOne = running.get(key);
      await stopOne?.();
      return stopOne !== undefined;
    },
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
    },
  };
}
