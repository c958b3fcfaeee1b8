// Publishes, rolls back and resumes deploys: asks what is necessary, and runs a job.
import { availableParallelism } from 'node:os';
import path from 'node:path';
import type { CanaryRule } from '@pressroom/api/contract';
import {
  activateBundle,
  canaryRuleFor,
  deploy,
  type DeployEvent,
  readRecords,
  resumeDeploy,
  type SentBundle,
} from '@pressroom/api/publish';
import { l10n, workspace } from 'vscode';
import { keyFor } from '../sign-in/key-for.ts';
import type { Keys } from '../sign-in/keys.ts';
import type { SignIn } from '../sign-in/sign-in.ts';
import type { BundleContents, BundleRef, DraftRef } from '../store/bundle-contents.ts';
import type { ContentRef } from '../store/content-ref.ts';
import { choiceFor, type Choice, type Memory, type PendingUpload, type Unfinished } from '../store/memory.ts';
import type { Runs } from '../store/runs.ts';
import { isOf, targetName } from '../store/targets.ts';
import { attempt } from '../ui/attempt.ts';
import { confirm, showInformationMessage, showWarningMessage } from '../ui/messages.ts';
import { hostOf } from '../ui/texts.ts';
import type { Directories } from './directories/directories.ts';
import { freshFiles } from './directories/not-on-disk.ts';
import { mayUseKeys } from './may-use-keys.ts';
import { confirmTarget } from './plan/confirm-target.ts';
import { contentsOf, deployOptions } from './plan/deploy-options.ts';
import type { Plan, Planner } from './plan/plan.ts';
import type { Preflight, Verdict } from './plan/preflight.ts';
import { selectedPython } from './plan/selected-python.ts';
import { commitOf } from './run/commit-of.ts';
import type { Ending, Job, Log } from './run/drive.ts';
import type { Next, Performer } from './run/perform.ts';

export interface PublishOptions {
  /** Publishes as new content even if there is a record. */
  readonly asNew?: boolean;
  /** Keeps the live content: the bundle becomes a draft. */
  readonly draft?: boolean;
  /** Content created by an interrupted attempt, to be used by this one. */
  readonly guid?: string | undefined;
  /** This content becomes the active target, like new content. */
  readonly aims?: boolean;
  /** Answers of that attempt: nothing is asked then, except for a missing key. */
  readonly again?: Choice | undefined;
  /** Asks for the server even if known. */
  readonly elsewhere?: boolean;
  /** The target; the active one by default. */
  readonly to?: ContentRef | undefined;
  /** The file of the command. */
  readonly file?: string | undefined;
  /** Whether to ask the user if necessary; true by default. */
  readonly ask?: boolean;
  readonly onLine?: (line: string) => void;
  /** Cancels. */
  readonly signal?: AbortSignal;
}

export interface Publisher {
  /** Returns the outcome; undefined if it did not start. */
  publish(dir: string, options?: PublishOptions): Promise<Ending | undefined>;
  /** @param options `ask` like that of a publish */
  rollback(
    dir: string,
    target: BundleRef,
    options?: Pick<PublishOptions, 'ask'>,
  ): Promise<Ending | undefined>;
  /** Makes a draft live without building it again. */
  activateDraft(dir: string, draft: DraftRef): Promise<Ending | undefined>;
  /** Resumes a deploy that was running when the window was closed. */
  resume(deploy: Unfinished): Promise<Ending | undefined>;
  /** Outcome of the directory's last run in this window. */
  last(dir: string): Ending | undefined;
  /** Reports an upload that was interrupted when the window was closed, and offers to publish again. */
  offerAgain(upload: PendingUpload): void;
}

export interface PublisherParts {
  readonly directories: Directories;
  readonly planner: Planner;
  readonly keys: Keys;
  readonly signIn: SignIn;
  readonly runs: Runs;
  readonly memory: Memory;
  readonly log: Log;
  readonly contents: BundleContents;
  readonly preflight: Pick<Preflight, 'pass'>;
  readonly performer: Performer;
}

/** Compression leaves one core to the editor, whose event loop would be delayed otherwise. */
const SPARE_CORES = Math.max(1, availableParallelism() - 1);

export function createPublisher(parts: PublisherParts): Publisher {
  const { directories, planner, keys, signIn, runs, memory, log, contents, preflight, performer } = parts;
  const { connected, perform, signInAnd } = performer;
  /** Directories whose publish is about to start. */
  const beginning = new Set<string>();

  function busy(dir: string): boolean {
    if (runs.get(dir)?.state !== 'running' && !beginning.has(dir)) return false;
    const show = l10n.t('Show Log');
    void showInformationMessage(l10n.t('{0} is already being published.', path.basename(dir)), show).then(
      (pressed) => pressed === show && log.show(),
    );
    return true;
  }

  function nextOf(dir: string, server: string, again: Next['again']): Next {
    return {
      again,
      publishAsNew: () => publish(dir, { asNew: true, again: choiceFor(memory, dir, server) }),
      checkStatus: () => checkStatus(dir),
      activate: (draft) => activateDraft(dir, { server, ...draft }),
    };
  }

  async function planAgain(choice: Choice): Promise<Plan | undefined> {
    const { server } = choice;
    const key = await keyFor({ keys, signIn }, server);
    return key === undefined ? undefined : { target: hostOf(server), ...choice, key };
  }

  async function publish(dir: string, options: PublishOptions = {}): Promise<Ending | undefined> {
    const {
      aims = false,
      draft = false,
      again,
      elsewhere = false,
      ask = true,
      to,
      file,
      onLine,
      signal,
    } = options;
    if (!mayUseKeys() || busy(dir)) return undefined;
    await workspace.saveAll(false);
    const plan = await (again ? planAgain(again) : planner.plan(dir, { ask, elsewhere, to, file }));
    if (plan === undefined || busy(dir)) return undefined;
    const name = path.basename(dir);
    const asNew = options.asNew === true || plan.asNew === true;
    const guid = options.guid ?? (asNew ? undefined : plan.guid);
    // Confirmed or retried plans were checked already.
    if (ask && again === undefined && plan.confirmed !== true) {
      const verdict = await passed(dir, name, plan, guid);
      if (verdict === 'as-new')
        return publish(dir, { ...options, asNew: true, again: choiceFor(memory, dir, plan.server) });
      // Another one may have started in between: a resumed deploy, a rollback.
      if (verdict === undefined || busy(dir)) return undefined;
    }
    if (signal?.aborted === true) return undefined;
    const { client, follow } = connected(plan);
    const cancel = () => runs.cancel(dir);
    signal?.addEventListener('abort', cancel);
    const onUploaded = (bundle: SentBundle) => void contents.keep(...contentsOf(plan.server, bundle));
    const job: Job = {
      dir,
      name,
      server: plan.server,
      target: plan.target,
      guid,
      aims,
      asNew,
      draft,
      title: draft ? l10n.t('Publishing {0} as a draft', name) : titleOf(name, plan),
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
            commit: commitOf(directories.uriOf(dir)),
            python: async () => (await selectedPython(directories.uriOf(dir)))?.version,
            ...(draft && { draft: { preview: null } }),
            ...deployOptions(plan, directories.excludeOf(dir), { asNew, isNew: guid === undefined }),
          }),
        ),
      ),
    };
    const tryAgain = (made?: string) =>
      publish(dir, {
        draft,
        asNew: asNew && made === undefined,
        guid: made ?? guid,
        aims: aims || guid === undefined,
        again: plan,
      });
    // A later abort no longer concerns this job.
    const end = () => signal?.removeEventListener('abort', cancel);
    return perform(client, job, nextOf(dir, plan.server, tryAgain)).finally(end);
  }

  /** Asks what is necessary before a publish starts; meanwhile no other one starts. */
  async function passed(dir: string, name: string, plan: Plan, guid: string | undefined): Promise<Verdict> {
    beginning.add(dir);
    try {
      const question = (where: string) =>
        [l10n.t('Publish {0} to {1}?', name, where), l10n.t('Publish')] as const;
      if (!(await confirmTarget(plan, directories.uriOf(dir), question))) return undefined;
      // A copy is checked in its current state: updating it might wait for another upload, which the job shows.
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
      draft: rest.draft,
      // From the first line: the log of the closed window is gone.
      events: follow((signal) => resumed(rest, resumeDeploy({ client, signal, dir, ...rest }))),
    };
    const again = () =>
      rest.ownBundle
        ? publish(dir, { draft: rest.draft === true, guid: rest.guid, again: { server } })
        : rollback(dir, { server, ...rest }, { ask: false });
    return perform(client, job, nextOf(dir, server, again));
  }

  async function resume(deployed: Unfinished): Promise<Ending | undefined> {
    if (!mayUseKeys() || runs.get(deployed.dir)?.state === 'running') return undefined;
    const key = await keys.get(deployed.server);
    if (key !== undefined) return busy(deployed.dir) ? undefined : resumeWith(deployed, key);
    const again = l10n.t('Sign In Again');
    const text = l10n.t(
      '{0} was still deploying to {1}, but you are signed out of that server.',
      deployed.name,
      hostOf(deployed.server),
    );
    void showWarningMessage(text, again).then((pressed) => {
      if (pressed !== again) return memory.ended(deployed.dir);
      return attempt(() => signInAnd(deployed.server, () => resume(deployed)));
    });
    return undefined;
  }

  async function checkStatus(dir: string): Promise<void> {
    const found = memory.unfinished().find((item) => item.dir === dir);
    if (found) await resume(found);
  }

  function offerAgain({ dir, server, guid, asNew = false, draft = false, made }: PendingUpload): void {
    memory.ended(dir);
    const again = l10n.t('Publish Again');
    const text = l10n.t('Publishing {0} was interrupted when the window was closed.', path.basename(dir));
    const publishAgain = async () => {
      const records = await readRecords(dir);
      if (made !== undefined && records.some((record) => isOf(record, { server, guid: made })))
        return publish(dir, { guid: made, aims: true, draft, again: choiceFor(memory, dir, server) });
      return publish(dir, { guid, asNew, draft, again: choiceFor(memory, dir, server, guid) });
    };
    void showWarningMessage(text, again).then((pressed) => {
      if (pressed === again) void attempt(publishAgain);
    });
  }

  /** @param question asked first where the settings want it; undefined if it was confirmed already */
  async function makeLive(
    dir: string,
    bundle: DraftRef,
    title: string,
    question?: Parameters<typeof confirmTarget>[2],
  ): Promise<Ending | undefined> {
    const { server, guid, bundle_id, draft_task_id } = bundle;
    if (!mayUseKeys() || busy(dir)) return undefined;
    const plan = await planAgain({ server });
    if (plan === undefined || busy(dir)) return undefined;
    if (question !== undefined) {
      const record = (await readRecords(dir)).find((one) => isOf(one, bundle));
      const target = targetName({ server, target: record?.target });
      const rule = await ruleFor(plan, bundle);
      const isWanted =
        rule === null
          ? await confirmTarget({ server, target }, directories.uriOf(dir), question)
          : await confirmCanary(path.basename(dir), hostOf(server), bundle_id, rule);
      // Another one may have started in between.
      if (!isWanted || busy(dir)) return undefined;
    }
    const { client, follow } = connected(plan);
    const job: Job = {
      dir,
      name: path.basename(dir),
      server,
      target: plan.target,
      guid,
      title,
      ownBundle: false,
      events: follow((signal) => activateBundle({ client, guid, bundle_id, draft_task_id, signal, dir })),
    };
    const again = () => makeLive(dir, bundle, title);
    return perform(client, job, nextOf(dir, server, again));
  }

  /** Null also if the server does not say: the deploy tells why. */
  async function ruleFor(plan: Plan, { guid, bundle_id }: DraftRef): Promise<CanaryRule | null> {
    const { client } = connected(plan);
    try {
      return await canaryRuleFor(client, guid, bundle_id);
    } catch {
      return null;
    } finally {
      await client.close();
    }
  }

  function rollback(dir: string, bundle: BundleRef, { ask = true } = {}): Promise<Ending | undefined> {
    const name = path.basename(dir);
    const { bundle_id } = bundle;
    const question = (where: string) =>
      [l10n.t('Roll {0} back to bundle {1} on {2}?', name, bundle_id, where), l10n.t('Roll Back')] as const;
    const title = l10n.t('Rolling {0} back to bundle {1}', name, bundle_id);
    return makeLive(dir, bundle, title, ask ? question : undefined);
  }

  function activateDraft(dir: string, draft: DraftRef): Promise<Ending | undefined> {
    const name = path.basename(dir);
    return makeLive(dir, draft, l10n.t('Making the draft of {0} live', name), (where) => [
      l10n.t('Make the draft of {0} live on {1}?', name, where),
      l10n.t('Make Live'),
    ]);
  }

  return { publish, resume, offerAgain, rollback, activateDraft, last: performer.last };
}

/** Visitors of the others see nothing else: the question about the target would be wrong. */
function confirmCanary(
  name: string,
  host: string,
  bundle: string,
  { share, waits }: CanaryRule,
): Promise<boolean> {
  const question = l10n.t('Start a canary with bundle {0} of {1} on {2}?', bundle, name, host);
  const detail = waits
    ? l10n.t('By the rule of the content, {0} % of new sessions get it, until you make it live.', share)
    : l10n.t(
        'By the rule of the content, {0} % of new sessions get it. Later it goes live, unless it does worse.',
        share,
      );
  return confirm(question, l10n.t('Start Canary'), detail);
}

/** Names the target if it has its own name; the server is in the log. */
function titleOf(name: string, { target, server }: Plan): string {
  return target === hostOf(server)
    ? l10n.t('Publishing {0}', name)
    : l10n.t('Publishing {0} to {1}', name, target);
}

/** A resumed deploy starts with the same event as a new one. */
async function* resumed(
  { task_id, guid, bundle_id }: Pick<Unfinished, 'task_id' | 'guid' | 'bundle_id'>,
  events: AsyncIterable<DeployEvent>,
): AsyncGenerator<DeployEvent> {
  yield { type: 'deploy', task_id, guid, bundle_id };
  yield* events;
}
