// Publishes, rolls back and goes on with what runs: plans, drives the deploy, and tells how it ended.
import { availableParallelism } from 'node:os';
import path from 'node:path';
import {
  activateBundle,
  deploy,
  noteDeployed,
  resumeDeploy,
  type DeployEvent,
  type Client,
  type HandOver,
} from '@pressroom/api';
import { l10n, window, workspace, commands } from 'vscode';
import type { Connect } from '../credentials/connect.ts';
import type { Keys } from '../credentials/keys.ts';
import type { SignIn } from '../credentials/sign-in.ts';
import { explain } from '../ui/explain.ts';
import { hostOf } from '../ui/texts.ts';
import type { Diagnostics } from './diagnostics.ts';
import type { Directories } from './directories.ts';
import { drive, type Ending, type Job, type Log } from './drive.ts';
import type { Memory, Unfinished } from './memory.ts';
import { tell } from './outcome.ts';
import type { Plan, Planner } from './plan.ts';
import type { Runs } from './runs.ts';

export interface PublishOptions {
  /** Publishes as new content although there is a record. */
  readonly asNew?: boolean;
  /** Asks where to, whatever is known. */
  readonly elsewhere?: boolean;
  /** Whether the person may be asked; true by default. */
  readonly ask?: boolean;
  readonly onLine?: (line: string) => void;
  /** Cancels. */
  readonly signal?: AbortSignal;
}

export interface Publisher {
  /** Answers how it ended; undefined when it did not begin. */
  publish(dir: string, options?: PublishOptions): Promise<Ending | undefined>;
  rollback(
    dir: string,
    target: { server: string; guid: string; bundle_id: string },
  ): Promise<Ending | undefined>;
  /** Goes on with what was running when the window was closed. */
  resume(deploy: Unfinished): Promise<Ending | undefined>;
  /** Says that an upload was cut off when the window was closed, and offers to begin again. */
  offerAgain(dir: string): void;
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
  /** The Slack bot that is told of deploys, if any. */
  readonly handOver: HandOver | undefined;
}

/** Compressing leaves one core to the editor: its event loop would wait in line behind it. */
const SPARE_CORES = Math.max(1, availableParallelism() - 1);

/** Whether keys may be used here; says what to do when not. */
export function mayUseKeys(): boolean {
  if (workspace.isTrusted) return true;
  const manage = l10n.t('Manage Trust');
  void window
    .showWarningMessage(
      l10n.t('This workspace is in Restricted Mode: nothing is sent with your keys.'),
      manage,
    )
    .then((pressed) => pressed === manage && commands.executeCommand('workbench.trust.manage'));
  return false;
}

export function createPublisher(parts: PublisherParts): Publisher {
  const { directories, planner, keys, signIn, connect, runs, memory, log, diagnostics, handOver } = parts;

  function busy(dir: string): boolean {
    if (runs.get(dir)?.state !== 'running') return false;
    const show = l10n.t('Show Log');
    void window
      .showInformationMessage(l10n.t('{0} is being published already.', path.basename(dir)), show)
      .then((pressed) => pressed === show && log.show());
    return true;
  }

  /** Where the folder is not on disk, what publishing wrote beside its files goes to it. */
  async function save(dir: string): Promise<void> {
    await directories.save(dir).catch((error: unknown) => log.line(explain(error)));
  }

  /** A new record is kept as soon as the task runs, and not only when it has ended. */
  async function* saved(dir: string, events: AsyncIterable<DeployEvent>): AsyncGenerator<DeployEvent> {
    for await (const event of events) {
      if (event.type === 'deploy') await save(dir);
      yield event;
    }
  }

  /** One place for everything after the events begin: state, marks in files, message with buttons. */
  async function perform(client: Client, job: Job, again: () => void): Promise<Ending> {
    log.show();
    diagnostics.clear(job.dir);
    try {
      const events: Job['events'] = (signal) => saved(job.dir, job.events(signal));
      const ending = await drive({ ...job, events }, { runs, memory, log });
      await save(job.dir);
      const failed = ending.type === 'failed' && ending.lines.length > 0;
      const problem = failed
        ? await diagnostics.mark(job.dir, ending.lines).catch(() => undefined)
        : undefined;
      tell(job.name, ending, problem, log, {
        retry: again,
        publishAsNew: () => void publish(job.dir, { asNew: true }),
        signIn: () => void signIn.key(job.server).then((done) => done === true && again()),
        lookAgain: () => void lookAgain(job.dir),
        openProblem: (place) => void diagnostics.open(job.dir, place),
      });
      return ending;
    } catch (error) {
      runs.update(job.dir, { state: 'failed', text: explain(error) });
      log.line(explain(error));
      throw error;
    } finally {
      await client.close();
    }
  }

  async function publish(dir: string, options: PublishOptions = {}): Promise<Ending | undefined> {
    const { asNew = false, elsewhere = false, ask = true, onLine, signal } = options;
    if (!mayUseKeys() || busy(dir)) return undefined;
    await workspace.saveAll(false);
    const plan = await planner.plan(dir, { ask, elsewhere });
    if (plan === undefined || busy(dir)) return undefined;
    for (const lack of await directories.update(dir)) log.line(lack);
    const client = connect(plan.server, plan.key);
    const name = path.basename(dir);
    signal?.addEventListener('abort', () => runs.cancel(dir), { once: true });
    const job: Job = {
      dir,
      name,
      server: plan.server,
      title: l10n.t('Publishing {0}', name),
      ownBundle: true,
      onLine,
      events: (stop) =>
        deploy({
          client,
          dir,
          signal: stop,
          handOver,
          concurrency: SPARE_CORES,
          ...wishes(plan, directories.excludeOf(dir), asNew),
        }),
    };
    const ending = await perform(client, job, () => void publish(dir));
    return ending;
  }

  async function goOn(deployed: Unfinished, key: string): Promise<Ending> {
    const { server, dir, name, ...rest } = deployed;
    const client = connect(server, key);
    const job: Job = {
      dir,
      name,
      server,
      title: l10n.t('Publishing {0}', name),
      ownBundle: rest.ownBundle,
      // From the first line on: the log of the window that was closed is gone.
      events: (signal) => resumed(rest, resumeDeploy({ client, signal, ...rest })),
    };
    const ending = await perform(client, job, () => void publish(dir));
    if (ending.type === 'done' && rest.ownBundle) {
      const { guid, bundle_id } = rest;
      await noteDeployed(dir, { server, guid, bundle_id, deployed_time: new Date().toISOString() });
      await save(dir);
    }
    return ending;
  }

  async function resume(deployed: Unfinished): Promise<Ending | undefined> {
    if (!workspace.isTrusted || runs.get(deployed.dir)?.state === 'running') return undefined;
    const key = await keys.get(deployed.server);
    if (key !== undefined) return goOn(deployed, key);
    memory.ended(deployed.dir);
    void window.showWarningMessage(
      l10n.t(
        'A deploy of {0} was running on {1}; you are not signed in there any more.',
        deployed.name,
        hostOf(deployed.server),
      ),
    );
    return undefined;
  }

  async function lookAgain(dir: string): Promise<void> {
    const found = memory.unfinished().find((item) => item.dir === dir);
    if (found) await resume(found);
  }

  function offerAgain(dir: string): void {
    memory.ended(dir);
    const again = l10n.t('Publish Again');
    const text = l10n.t('Publishing {0} was cut off when the window closed.', path.basename(dir));
    void window.showWarningMessage(text, again).then((pressed) => {
      if (pressed === again) void publish(dir);
    });
  }

  return {
    publish,
    resume,
    offerAgain,
    async rollback(dir, { server, guid, bundle_id }) {
      if (!mayUseKeys() || busy(dir)) return undefined;
      const key = await keys.get(server);
      if (key === undefined && (await signIn.key(server)) !== true) return undefined;
      const client = connect(server, key ?? (await keys.get(server)));
      const name = path.basename(dir);
      const job: Job = {
        dir,
        name,
        server,
        title: l10n.t('Rolling {0} back to bundle {1}', name, bundle_id),
        ownBundle: false,
        events: (signal) => activateBundle({ client, guid, bundle_id, signal }),
      };
      return perform(client, job, () => void publish(dir));
    },
  };
}

function wishes(plan: Plan, exclude: string[], asNew: boolean) {
  const { type, entrypoint } = plan;
  return {
    ...(type !== undefined && { type }),
    ...(entrypoint !== undefined && { entrypoint }),
    ...(exclude.length > 0 && { exclude }),
    ...(asNew && { publishAsNew: true }),
  };
}

/** A deploy that is gone on with begins with what it is, as a fresh one does. */
async function* resumed(
  { task_id, guid, bundle_id }: Pick<Unfinished, 'task_id' | 'guid' | 'bundle_id'>,
  events: AsyncIterable<DeployEvent>,
): AsyncGenerator<DeployEvent> {
  yield { type: 'deploy', task_id, guid, bundle_id };
  yield* events;
}
