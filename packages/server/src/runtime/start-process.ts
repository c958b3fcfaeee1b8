// Starts one process of an application: job and log, files and packages, account.
import { existsSync } from 'node:fs';
import { ApiError } from '@pressroom/api/contract';
import type { Logger } from 'pino';
import type { ContentRow } from '../content/store.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Config } from '../main/config/settings.ts';
import type { Clock } from '../platform/clock.ts';
import { diskRefusal } from '../platform/disk-refusal.ts';
import { errnoOf, messageOf } from '../platform/errors.ts';
import { isOutage } from '../platform/outage.ts';
import { createMask } from '../tasks/mask.ts';
import type { ContentEnvironment } from './content-environment.ts';
import { followProcess, type Crash, type Run } from './follow-process.ts';
import type { Installations } from './installations.ts';
import type { ApplicationEngine } from './kinds/index.ts';
import { storedLaunch, type Deployed, type LaunchRecord } from './launch-record.ts';
import { freePort } from './pool/free-port.ts';
import { schedulingOf } from './pool/scheduling.ts';
import { startWorker, type Worker } from './pool/worker.ts';
import type { PreparedProcesses } from './prepared/prepared.ts';
import type { Subject } from './prepared/subject.ts';
import type { RestoreAgain } from './restore-again.ts';
import type { Command } from './sandbox/command.ts';
import type { Launched, Launcher } from './sandbox/launcher.ts';
import type { StartedFor } from './started-for.ts';
import { filesUnavailable, startFailed, Unavailable } from './unavailable.ts';

export interface ProcessStarterOptions {
  readonly config: Config;
  readonly launcher: Launcher;
  readonly prepared: PreparedProcesses;
  readonly installations: Installations;
  readonly jobs: Jobs;
  readonly environment: ContentEnvironment;
  readonly siteDirectory: (contentGuid: string, site: string) => string;
  /** Keeps the files of a deploy on this server until its process has ended; null if they are always there. */
  readonly openFiles: OpenFiles | null;
  readonly restoreAgain: RestoreAgain;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called after a process crashed, except in a test start. */
  readonly onCrash?: ((crash: Crash) => Promise<void>) | undefined;
  /** Called after a process did not start, except in a test start. */
  readonly onFailedStart?: ((failed: Pick<Crash, 'contentGuid' | 'bundleId'>) => Promise<void>) | undefined;
}

export type OpenFiles = (
  deployed: Deployed,
  engine: ApplicationEngine,
  print: (line: string) => void,
  signal: AbortSignal,
) => Promise<Disposable>;

export interface ProcessStarter {
  /** @throws Unavailable if it does not start */
  start(entry: StartedFor, deployed: Deployed, engine: ApplicationEngine): Promise<Worker>;
  /** Prepares a process in the background, if everything it needs is on this server. */
  prepare(
    entry: Pick<StartedFor, 'content' | 'site'>,
    deployed: Deployed,
    engine: ApplicationEngine,
  ): Promise<void>;
  /** Ends a process; false if it is not here. @param key of its job */
  stop(key: string): Promise<boolean>;
}

interface StartedOne {
  readonly worker: Worker;
  readonly run: Run;
  readonly subject: Subject;
}

/** What a process starts from. */
interface ProcessSource extends Pick<LaunchRecord, 'environment'> {
  readonly content: ContentRow;
  readonly env: Readonly<Record<string, string>>;
  /** 0 if it listens on a socket. */
  readonly port: number;
  readonly commandFor: (temporary: string, socket: string) => Command;
  readonly subject: Subject;
}

export function createProcessStarter(options: ProcessStarterOptions): ProcessStarter {
  const { config, launcher, installations, jobs, environment, siteDirectory, openFiles, restoreAgain } =
    options;
  const { log, onFailedStart, prepared } = options;
  /** Stop functions of running processes, by job key. */
  const running = new Map<string, () => Promise<void>>();

  /** Programs without packages run in the current image of their kind. */
  async function renewImage(deployed: Deployed, engine: ApplicationEngine): Promise<Deployed> {
    if (launcher.containers === null || engine.program === undefined) return deployed;
    const program = await engine.program.find(config, installations);
    return { ...deployed, launch: { ...deployed.launch, environment: program } };
  }

  async function start(entry: StartedFor, deployed: Deployed, engine: ApplicationEngine): Promise<Worker> {
    const first = await startOne(entry, deployed, engine, true);
    if (!first.run.isForked) {
      // Only then: its first visitor waits for it.
      first.worker.ready.then(
        () => prepared.prepare(first.subject),
        () => undefined,
      );
      return first.worker;
    }
    const stop = () => void first.worker.stop();
    entry.ending.signal.addEventListener('abort', stop);
    if (entry.ending.signal.aborted) stop();
    try {
      await first.worker.ready;
      return first.worker;
    } catch (error) {
      const isSlow = error instanceof Unavailable && error.status === 504;
      if (entry.ending.signal.aborted || (!first.run.isWanted && !isSlow)) throw error;
      await first.worker.stop();
      prepared.distrust(first.subject, messageOf(error instanceof Unavailable ? error.cause : error));
    } finally {
      entry.ending.signal.removeEventListener('abort', stop);
    }
    return (await startOne(entry, deployed, engine, false)).worker;
  }

  async function startOne(
    entry: StartedFor,
    earlier: Deployed,
    engine: ApplicationEngine,
    mayFork: boolean,
  ): Promise<StartedOne> {
    const { content, print } = entry;
    const owner = { content_guid: content.guid, bundle_id: earlier.bundleId, tag: engine.tag };
    const job = await jobs.open(owner).catch((cause: unknown) => {
      throw startFailed(cause);
    });
    let mask = (line: string) => line;
    const note = (line: string) => {
      const shown = mask(line);
      job.write(shown);
      print?.(shown);
    };
    note(engine.launching);
    const files = new DisposableStack();
    let started: Pick<StartedOne, 'run' | 'subject'> | undefined;
    let begun: Worker | undefined;
    try {
      const worker = await startWorker({
        key: job.key,
        initTimeout: schedulingOf(content, config).initTimeout,
        note,
        launch: async () => {
          mask = createMask(await environment.secretsOf(content));
          const source = await sourceOf(entry, await renewImage(earlier, engine), engine, note, files);
          const { subject, env, commandFor, port } = source;
          const forked = mayFork ? await prepared.fork(subject, env, note, commandFor) : null;
          const run: Run = { isForked: forked !== null, isWanted: true, hasListened: false };
          started = { run, subject };
          const launched = forked ?? (await launch(source, note));
          try {
            await job.begin(launched.pid, source.environment.readable[0] ?? null);
          } catch (error) {
            // It has no job: its content may be deleted.
            await launched.stop();
            throw error;
          }
          const stop = () => {
            run.isWanted = false;
            return launched.stop();
          };
          const onEnd = () => {
            running.delete(job.key);
            files.dispose();
          };
          const { bundleId } = earlier;
          const closing = followProcess(options, entry, { job, launched, bundleId, note, onEnd }, run);
          // By the worker, which gets no visitors then. The end is recorded before the stop resolves.
          running.set(job.key, () => (begun?.stop() ?? stop()).then(() => closing));
          return { launched: { ...launched, stop }, port: engine.listens === 'port' ? port : null };
        },
      });
      begun = worker;
      const { run, subject } = started!;
      worker.ready.then(
        () => (run.hasListened = true),
        () => undefined,
      );
      return { worker, run, subject };
    } catch (thrown) {
      const isKnown = thrown instanceof Unavailable || thrown instanceof ApiError;
      const error = isKnown ? thrown : startFailed(thrown);
      files.dispose();
      const cause = error instanceof Unavailable ? error.cause : error;
      note(`Could not be launched: ${messageOf(diskRefusal(cause) ?? cause)}`);
      if (!entry.onTrial && !entry.ending.signal.aborted && !isOutage(error))
        await onFailedStart?.({ contentGuid: content.guid, bundleId: earlier.bundleId }).catch(
          (failure: unknown) => log.error(failure, 'failed start of %s', job.key),
        );
      await job.fail().catch((cause: unknown) => log.error(cause, 'job %s', job.key));
      throw error;
    }
  }

  /** Brings files and packages to this server. @param files kept until the process has ended */
  async function sourceOf(
    entry: StartedFor,
    deployed: Deployed,
    engine: ApplicationEngine,
    note: (line: string) => void,
    files: DisposableStack,
  ): Promise<ProcessSource> {
    const { content, site, ending } = entry;
    const directory = siteDirectory(content.guid, site);
    const opened = await openFiles?.(deployed, engine, note, ending.signal).catch((cause: unknown) => {
      throw cause instanceof ApiError && cause.status === 503 ? filesUnavailable(cause) : startFailed(cause);
    });
    files.use(opened);
    // The active deploy's record may have been renewed, also by another server.
    const stored = entry.content.site === site ? entry.content.launch : null;
    const known = stored === null || engine.language === null ? deployed.launch : storedLaunch(stored);
    // The account may have changed since its deploy.
    await launcher.give(directory, content.run_as, content.guid).catch(sayMissing);
    const restored = await restoreAgain({ ...deployed, launch: known }, note, ending.signal);
    const port = engine.listens === 'port' ? await freePort() : 0;
    const commandFor = (temporary: string, socket: string) =>
      engine.command({ ...restored, directory, socket, port, temporary });
    return {
      content,
      environment: restored.environment,
      env: await environment.of(content),
      port,
      commandFor,
      subject: subjectOf(entry, engine, commandFor('/tmp', '/tmp/s')),
    };
  }

  function launch(
    { content, environment: { image }, env, commandFor }: ProcessSource,
    onLine: (line: string) => void,
  ): Promise<Launched> {
    const command = (temporary: string, socket: string) => {
      const usual = commandFor(temporary, socket);
      return { ...usual, ...(image !== undefined && { image }), env: { ...env, ...usual.env } };
    };
    return launcher
      .launch({ runAs: content.run_as, content: content.guid, onLine, command })
      .catch((cause: unknown) => {
        throw cause instanceof ApiError ? cause : startFailed(cause);
      });
  }

  return {
    start,
    async prepare(entry, { launch }, engine) {
      const { content, site } = entry;
      const directory = siteDirectory(content.guid, site);
      const isHere = [directory, ...launch.environment.readable].every((path) => existsSync(path));
      // Temporary files of the deploy may be removed with it.
      if (openFiles !== null || !isHere || launch.environment.image !== undefined) return;
      await launcher.give(directory, content.run_as, content.guid);
      const command = engine.command({ ...launch, directory, socket: '/tmp/s', port: 0, temporary: '/tmp' });
      prepared.prepare(subjectOf(entry, engine, command));
    },
    async stop(key) {
      const stop = running.get(key);
      await stop?.();
      return stop !== undefined;
    },
  };
}

/** @throws */
function sayMissing(cause: unknown): never {
  if (errnoOf(cause) !== 'ENOENT') throw cause;
  throw new Error('its files are no longer on this server: deploy it again', { cause });
}

/** @param command of a normal start, without socket and variables */
function subjectOf(
  { content, site }: Pick<StartedFor, 'content' | 'site'>,
  engine: ApplicationEngine,
  command: Subject['command'],
): Subject {
  return { contentGuid: content.guid, site, runAs: content.run_as, engine, command };
}
