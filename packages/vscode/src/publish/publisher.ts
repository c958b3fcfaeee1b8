// Publishes, rolls back and resumes deploys: plans, drives the deploy, and shows how it ended.
import { availableParallelism } from 'node:os';
import path from 'node:path';
import type { Client } from '@pressroom/api/client';
import {
  activateBundle,
  deploy,
  type DeployEvent,
  type KnownFile,
  resumeDeploy,
  type SentBundle,
} from '@pressroom/api/publish';
import { l10n, window, workspace, commands } from 'vscode';
import type { BundleContents, BundleRef } from '../store/bundle-contents.ts';
import type { ContentRef } from '../store/history.ts';
import type { Connect } from '../sign-in/connect.ts';
import type { Keys } from '../sign-in/keys.ts';
import type { SignIn } from '../sign-in/sign-in.ts';
import { attempt } from '../ui/attempt.ts';
import { explain } from '../ui/explain.ts';
import { hostOf } from '../ui/texts.ts';
import type { Dependencies } from './dependencies.ts';
import type { Diagnostics } from './diagnostics.ts';
import type { Directories } from './directories.ts';
import { confirmTarget } from './confirm-target.ts';
import { drive, type Ending, type Job, type Log, type Shown } from './drive.ts';
import { firstVisit } from './first-visit.ts';
import { choiceFor, type Choice, type Memory, type PendingUpload, type Unfinished } from '../store/memory.ts';
import { freshFiles, savedRecords } from './not-on-disk.ts';
import { showOutcome } from './outcome.ts';
import type { Plan, Planner } from './plan.ts';
import type { Preflight, Verdict } from './preflight.ts';
import type { Runs } from '../store/runs.ts';

export interface PublishOptions {
  /** Publishes as new content although there is a record. */
  readonly asNew?: boolean;
  /** Content that an interrupted attempt created, to be used by this one. */
  readonly guid?: string | undefined;
  /** Where that attempt went: then nothing is asked, except for a missing key. */
  readonly again?: Choice | undefined;
  /** Asks for the server even if it is known. */
  readonly elsewhere?: boolean;
  /** The target; the active one if not given. */
  readonly to?: ContentRef | undefined;
  /** The file that the command was given on. */
  readonly file?: string | undefined;
  /** Whether the person may be asked; true by default. */
  readonly ask?: boolean;
  readonly onLine?: (line: string) => void;
  /** Cancels. */
  readonly signal?: AbortSignal;
}

export interface Publisher {
  /** Returns how it ended; undefined when it did not start. */
  publish(dir: string, options?: PublishOptions): Promise<Ending | undefined>;
  rollback(dir: string, target: BundleRef): Promise<Ending | undefined>;
  /** Resumes what was running when the window was closed. */
  resume(deploy: Unfinished): Promise<Ending | undefined>;
  /** How the last run of a directory in this window ended. */
  last(dir: string): Ending | undefined;
  /** Shows that an upload was interrupted when the window was closed, and offers to publish again. */
  offerAgain(upload: PendingUpload): void;
}

export interface PublisherParts {
  readonly directories: Directories;
  readonly planner: Planner;
  readonly keys: Keys;
  readonly signIn: SignIn;
  readonly connect: Connect;
  readonly runs: Runs;
  readonly memory: Memory;
  readonly log: Log;
  readonly diagnostics: Diagnostics;
  readonly contents: BundleContents;
  readonly dependencies: Pick<Dependencies, 'fix'>;
  readonly preflight: Pick<Preflight, 'pass'>;
}

/** Compression leaves one core to the editor, whose event loop would wait otherwise. */
const SPARE_CORES = Math.max(1, availableParallelism() - 1);

/** Whether keys may be used here; otherwise shows what to do. */
export function mayUseKeys(): boolean {
  if (workspace.isTrusted) return true;
  const manage = l10n.t('Manage Trust');
  void window
    .showWarningMessage(
      l10n.t('This workspace is in Restricted Mode, so your API keys are not used.'),
      manage,
    )
    .then((pressed) => pressed === manage && commands.executeCommand('workbench.trust.manage'));
  return false;
}

export function createPublisher(parts: PublisherParts): Publisher {
  const { directories, planner, keys, signIn, connect, runs, memory, log } = parts;
  const { diagnostics, contents, dependencies, preflight } = parts;
  /** Directories whose publish is about to begin. */
  const beginning = new Set<string>();

  function busy(dir: string): boolean {
    if (runs.get(dir)?.state !== 'running' && !beginning.has(dir)) return false;
    const show = l10n.t('Show Log');
    void window
      .showInformationMessage(l10n.t('{0} is already being published.', path.basename(dir)), show)
      .then((pressed) => pressed === show && log.show());
    return true;
  }

  const endings = new Map<string, Ending>();
  const logError = (error: unknown) => log.line(explain(error));

  function warnUnsaved(name: string, error: unknown): void {
    const text = l10n.t(
      'Could not save the deployment record of {0} in its folder: {1} It is kept on this machine and saved there as soon as possible.',
      name,
      explain(error),
    );
    log.line(text);
    void window.showWarningMessage(text);
  }

  /** Everything from the first event on: state, marks in files, message with buttons. */
  async function perform(client: Client, job: Job, again: (guid?: string) => unknown): Promise<Ending> {
    log.show();
    diagnostics.clear(job.dir);
    try {
      const events: Job['events'] = (signal, shown) =>
        savedRecords(job.dir, job.events(signal, shown), directories, (error) =>
          warnUnsaved(job.name, error),
        );
      const ending = await drive({ ...job, events }, { runs, memory, log });
      endings.set(job.dir, ending);
      const lines = linesOfFailure(ending);
      const problem =
        lines.length > 0 ? await diagnostics.mark(job.dir, lines).catch(() => undefined) : undefined;
      showOutcome(job.name, ending, problem, log, {
        retry: () => void attempt(() => again(guidOf(ending))),
        publishAsNew: () =>
          void attempt(() =>
            publish(job.dir, { asNew: true, again: choiceFor(memory, job.dir, job.server) }),
          ),
        createRequirements: () =>
          void attempt(async () => {
            await dependencies.fix(job.dir);
            await again(guidOf(ending));
          }),
        signIn: () => void attempt(() => signInAnd(job.server, () => continueAfter(job.dir, ending, again))),
        checkStatus: () => void attempt(() => checkStatus(job.dir)),
        rollBack: () => void commands.executeCommand('pressroom.rollbackLast', job.dir),
        openProblem: (place) => void attempt(() => diagnostics.open(job.dir, place)),
      });
      return ending;
    } catch (error) {
      runs.end(job.dir, { state: 'failed', text: explain(error) });
      logError(error);
      throw error;
    } finally {
      await client.close();
    }
  }

  async function signInAnd(server: string, next: () => unknown): Promise<void> {
    if ((await signIn.key(server)) === true) await next();
  }

  /** Checks what runs on the server; publishes again what did not get there. */
  function continueAfter(dir: string, ending: Ending, again: (guid?: string) => unknown): unknown {
    return ending.type === 'unknown' ? checkStatus(dir) : again(guidOf(ending));
  }

  /** A client that says when it waits; what is deployed is visited, and is the active target from then on. */
  function connected({ server, key }: Pick<Plan, 'server' | 'key'>) {
    let waiting = () => undefined as void;
    const client = connect(server, key, () => waiting());
    type Events = (signal: AbortSignal, shown: Shown) => AsyncIterable<DeployEvent>;
    const follow =
      (events: Events): Job['events'] =>
      (signal, shown) => {
        waiting = () => shown.waiting();
        return firstVisit(client, signal, shown, events(signal, shown));
      };
    return { client, follow };
  }

  async function planAgain(choice: Choice): Promise<Plan | undefined> {
    const { server } = choice;
    const key =
      (await keys.get(server)) ?? ((await signIn.key(server)) === true ? await keys.get(server) : undefined);
    return key === undefined ? undefined : { target: hostOf(server), ...choice, key };
  }

  async function publish(dir: string, options: PublishOptions = {}): Promise<Ending | undefined> {
    const { asNew = false, again, elsewhere = false, ask = true, to, file, onLine, signal } = options;
    if (!mayUseKeys() || busy(dir)) return undefined;
    await workspace.saveAll(false);
    const plan = await (again ? planAgain(again) : planner.plan(dir, { ask, elsewhere, to, file }));
    if (plan === undefined || busy(dir)) return undefined;
    const name = path.basename(dir);
    const guid = options.guid ?? (asNew ? undefined : plan.guid);
    // What was just confirmed, or is tried again, was checked.
    if (ask && again === undefined && plan.confirmed !== true) {
      const verdict = await passed(dir, name, plan, guid);
      if (verdict === 'as-new')
        return publish(dir, { ...options, asNew: true, again: choiceFor(memory, dir, plan.server) });
      if (verdict === undefined) return undefined;
    }
    const { client, follow } = connected(plan);
    signal?.addEventListener('abort', () => runs.cancel(dir), { once: true });
    const onUploaded = (bundle: SentBundle) => void contents.keep(...contentsOf(plan.server, bundle));
    const job: Job = {
      dir,
      name,
      server: plan.server,
      target: plan.target,
      guid,
      asNew,
      title: titleOf(name, plan),
      ownBundle: true,
      onLine,
      events: follow((stop, shown) =>
        freshFiles(dir, directories, { signal: stop, show: shown.stage }, () =>
          deploy({
            client,
            dir,
            guid,
            signal: stop,
            onUploaded,
            concurrency: SPARE_CORES,
            ...deployOptions(plan, directories.excludeOf(dir), { asNew, isNew: guid === undefined }),
          }),
        ),
      ),
    };
    return perform(client, job, (made) =>
      publish(dir, { asNew: asNew && made === undefined, guid: made ?? guid, again: plan }),
    );
  }

  /** Asks what has to be asked before a publish begins; meanwhile no other one begins. */
  async function passed(dir: string, name: string, plan: Plan, guid: string | undefined): Promise<Verdict> {
    beginning.add(dir);
    try {
      if (!(await confirmTarget(name, plan))) return undefined;
      // A copy is looked at as it is: reading it anew may have to wait for another upload, which the job shows.
      return await preflight.pass(dir, name, { ...plan, guid });
    } finally {
      beginning.delete(dir);
    }
  }

  async function resumeWith(deployed: Unfinished, key: string): Promise<Ending> {
    const { server, dir, name, ...rest } = deployed;
    const { client, follow } = connected({ server, key });
    const job: Job = {
      dir,
      name,
      server,
      target: hostOf(server),
      title: l10n.t('Publishing {0}', name),
      ownBundle: rest.ownBundle,
      // From the first line on: the log of the window that was closed is gone.
      events: follow((signal) => resumed(rest, resumeDeploy({ client, signal, dir, ...rest }))),
    };
    const again = () =>
      rest.ownBundle
        ? publish(dir, { guid: rest.guid, again: { server } })
        : rollback(dir, { server, ...rest });
    return perform(client, job, again);
  }

  async function resume(deployed: Unfinished): Promise<Ending | undefined> {
    if (!workspace.isTrusted || runs.get(deployed.dir)?.state === 'running') return undefined;
    const key = await keys.get(deployed.server);
    if (key !== undefined) return resumeWith(deployed, key);
    const again = l10n.t('Sign In Again');
    const text = l10n.t(
      '{0} was still deploying to {1}, but you are signed out of that server.',
      deployed.name,
      hostOf(deployed.server),
    );
    void window.showWarningMessage(text, again).then((pressed) => {
      if (pressed !== again) return memory.ended(deployed.dir);
      return attempt(() => signInAnd(deployed.server, () => resume(deployed)));
    });
    return undefined;
  }

  async function checkStatus(dir: string): Promise<void> {
    const found = memory.unfinished().find((item) => item.dir === dir);
    if (found) await resume(found);
  }

  function offerAgain({ dir, server, guid, asNew }: PendingUpload): void {
    memory.ended(dir);
    const again = l10n.t('Publish Again');
    const text = l10n.t('Publishing {0} was interrupted when the window was closed.', path.basename(dir));
    void window.showWarningMessage(text, again).then((pressed) => {
      if (pressed !== again) return;
      // The answers given last may be for other content of the directory.
      const choice = guid === undefined ? choiceFor(memory, dir, server) : { server };
      void attempt(() => publish(dir, { guid, asNew, again: choice }));
    });
  }

  async function rollback(dir: string, target: BundleRef): Promise<Ending | undefined> {
    const { server, guid, bundle_id } = target;
    if (!mayUseKeys() || busy(dir)) return undefined;
    const plan = await planAgain({ server });
    if (plan === undefined) return undefined;
    const { client, follow } = connected(plan);
    const name = path.basename(dir);
    const job: Job = {
      dir,
      name,
      server,
      target: plan.target,
      title: l10n.t('Rolling {0} back to bundle {1}', name, bundle_id),
      ownBundle: false,
      events: follow((signal) => activateBundle({ client, guid, bundle_id, signal, dir })),
    };
    return perform(client, job, () => rollback(dir, target));
  }

  return { publish, resume, offerAgain, rollback, last: (dir) => endings.get(dir) };
}

/** The content a failed deploy was for, where it is still there. */
function guidOf(ending: Ending): string | undefined {
  return (ending.type === 'failed' ? ending.guid : null) ?? undefined;
}

function deployOptions(
  plan: Plan,
  exclude: string[],
  { asNew, isNew }: { readonly asNew: boolean; readonly isNew: boolean },
) {
  const { type, entrypoint, title, access } = plan;
  return {
    ...(type !== undefined && { type }),
    ...(entrypoint !== undefined && { entrypoint }),
    // What has its title and its access keeps them: they may have been changed on the server.
    ...(isNew && title !== undefined && { title }),
    ...(isNew && access !== undefined && { access_type: access }),
    ...(exclude.length > 0 && { exclude }),
    ...(asNew && { publishAsNew: true }),
  };
}

/** The target is named where it has a name of its own: with its server it is in the log. */
function titleOf(name: string, { target, server }: Plan): string {
  return target === hostOf(server)
    ? l10n.t('Publishing {0}', name)
    : l10n.t('Publishing {0} to {1}', name, target);
}

/** What may name the place in a file that a failure comes from. */
function linesOfFailure(ending: Ending): readonly string[] {
  if (ending.type === 'broken') return ending.printed;
  return ending.type === 'failed' ? ending.lines : [];
}

/** As it is stored: the bundle, and what is in it. */
function contentsOf(server: string, { guid, bundle_id, files, checksums }: SentBundle) {
  const known = new Map<string, KnownFile>();
  for (const { path: file, size, stamp } of files) {
    const md5 = checksums.get(file);
    if (md5 !== undefined) known.set(file, { md5, size, ...(stamp !== undefined && { stamp }) });
  }
  return [{ server, guid, bundle_id }, known] as const;
}

/** A resumed deploy starts with the same event as a new one. */
async function* resumed(
  { task_id, guid, bundle_id }: Pick<Unfinished, 'task_id' | 'guid' | 'bundle_id'>,
  events: AsyncIterable<DeployEvent>,
): AsyncGenerator<DeployEvent> {
  yield { type: 'deploy', task_id, guid, bundle_id };
  yield* events;
}
