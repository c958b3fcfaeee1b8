// Runs one job from its first event to its final message: state, diagnostics, buttons for next actions.
import type { Client } from '@pressroom/api/client';
import { waitsForApproval, type DeployEvent, type Problem } from '@pressroom/api/publish';
import { commands, l10n, workspace } from 'vscode';
import type { Connect } from '../../sign-in/connect.ts';
import type { SignIn } from '../../sign-in/sign-in.ts';
import type { DraftRef } from '../../store/bundle-contents.ts';
import type { Memory } from '../../store/memory.ts';
import { AlreadyRunningError, type Runs } from '../../store/runs.ts';
import { attempt } from '../../ui/attempt.ts';
import { explain } from '../../ui/explain.ts';
import { showWarningMessage } from '../../ui/messages.ts';
import type { Directories } from '../directories/directories.ts';
import { savedRecords } from '../directories/not-on-disk.ts';
import type { Dependencies } from '../plan/dependencies.ts';
import type { Plan } from '../plan/plan.ts';
import type { Diagnostics } from './diagnostics.ts';
import { drive, type Ending, type Job, type Log, type Shown } from './drive.ts';
import { firstVisit } from './first-visit.ts';
import { showOutcome } from './outcome.ts';

export interface PerformParts {
  readonly directories: Directories;
  readonly signIn: SignIn;
  readonly connect: Connect;
  readonly runs: Runs;
  readonly memory: Memory;
  readonly log: Log;
  readonly diagnostics: Diagnostics;
  readonly dependencies: Pick<Dependencies, 'fix'>;
}

/** Actions after a job. */
export interface Next {
  /** @param guid of the failed attempt's content */
  readonly again: (guid?: string) => unknown;
  readonly publishAsNew: () => unknown;
  readonly checkStatus: () => unknown;
  /** Makes a draft live. */
  readonly activate: (draft: Omit<DraftRef, 'server'>) => unknown;
}

export interface Performer {
  /** A client that reports when it waits; used for the visit after a deploy, too. */
  connected(plan: Pick<Plan, 'server' | 'key'>): Connected;
  perform(client: Client, job: Job, next: Next): Promise<Ending>;
  signInAnd(server: string, next: () => unknown): Promise<void>;
  /** Outcome of the directory's last job in this window. */
  last(dir: string): Ending | undefined;
}

export interface Connected {
  readonly client: Client;
  readonly follow: (
    events: (signal: AbortSignal, shown: Shown) => AsyncIterable<DeployEvent>,
  ) => Job['events'];
}

export function createPerformer(parts: PerformParts): Performer {
  const { directories, signIn, connect, runs, memory, log, diagnostics, dependencies } = parts;
  const endings = new Map<string, Ending>();

  function warnUnsaved(name: string, error: unknown): void {
    const text = l10n.t(
      'Could not save the deployment record of {0} in its folder: {1} It is kept on this machine and saved there as soon as possible.',
      name,
      explain(error),
    );
    log.line(text);
    void showWarningMessage(text);
  }

  async function signInAnd(server: string, next: () => unknown): Promise<void> {
    if ((await signIn.key(server)) === true) await next();
  }

  function show(job: Job, ending: Ending, next: Next, problem: Problem | undefined): void {
    const press = (act: () => unknown) => () => void attempt(async () => act());
    showOutcome(job.name, ending, {
      showLog: log.show,
      openProblem: problem && press(() => diagnostics.open(job.dir, problem)),
      retry: press(() => next.again(guidOf(ending))),
      publishAsNew: press(next.publishAsNew),
      createRequirements: press(async () => {
        await dependencies.fix(job.dir);
        await next.again(guidOf(ending));
      }),
      // Checks tasks that run on the server; publishes again what was not uploaded.
      signIn: press(() =>
        signInAnd(job.server, () =>
          ending.type === 'unknown' ? next.checkStatus() : next.again(guidOf(ending)),
        ),
      ),
      checkStatus: press(next.checkStatus),
      activate: (draft) => press(() => next.activate(draft))(),
      openDashboard: (guid) => {
        const record = { server: job.server, guid };
        void commands.executeCommand('pressroom.openDashboard', { dir: job.dir, record });
      },
      rollBack: () => {
        if (ending.type !== 'broken') return;
        // Logs of the broken content, whatever the active target is.
        const record = { server: job.server, guid: ending.guid };
        void commands.executeCommand('pressroom.rollbackLast', { dir: job.dir, record });
      },
    });
  }

  async function perform(client: Client, job: Job, next: Next): Promise<Ending> {
    if (showsLog('always')) log.show();
    diagnostics.clear(job.dir);
    try {
      const events: Job['events'] = (signal, shown) =>
        savedRecords(job.dir, job.events(signal, shown), directories, (error) =>
          warnUnsaved(job.name, error),
        );
      const ending = await drive({ ...job, events }, { runs, memory, log });
      endings.set(job.dir, ending);
      if (isFailure(ending) && showsLog('onFailure')) log.show();
      const lines = linesOfFailure(ending);
      const problem =
        lines.length > 0 ? await diagnostics.mark(job.dir, lines).catch(() => undefined) : undefined;
      show(job, ending, next, problem);
      return ending;
    } catch (error) {
      // Another job is running, which does not concern this one.
      if (!(error instanceof AlreadyRunningError))
        runs.end(job.dir, { state: 'failed', text: explain(error) });
      log.line(explain(error));
      throw error;
    } finally {
      await client.close();
    }
  }

  return {
    connected({ server, key }) {
      let waiting = () => undefined as void;
      const client = connect(server, key, () => waiting());
      return {
        client,
        follow: (events) => (signal, shown) => {
          waiting = () => shown.waiting();
          return firstVisit(client, signal, shown, events(signal, shown));
        },
      };
    },
    perform,
    signInAnd,
    last: (dir) => endings.get(dir),
  };
}

/** The content item of a failed deploy, if it still exists. */
function guidOf(ending: Ending): string | undefined {
  return (ending.type === 'failed' ? ending.guid : null) ?? undefined;
}

/** Lines that may name the failure's location in a file. */
function linesOfFailure(ending: Ending): readonly string[] {
  if (ending.type === 'broken') return ending.printed;
  return ending.type === 'failed' ? ending.lines : [];
}

function showsLog(when: 'always' | 'onFailure'): boolean {
  return workspace.getConfiguration('pressroom').get<string>('showLog', 'always') === when;
}

function isFailure(ending: Ending): boolean {
  if (ending.type === 'failed') return !waitsForApproval(ending.failure);
  return ending.type === 'broken' || ending.type === 'unknown';
}
