// Checks all canaries once a second: saves the figures, rolls back what is worse than the live bundle, and makes live
// what has passed. All state is in the database: it survives a restart or continues on another server.
import { errors } from '@pressroom/api/contract';
import type { Logger } from 'pino';
import type { Audit } from '../audit/record.ts';
import type { BundleRow } from '../bundles/store.ts';
import { aboutContent, findContent } from '../content/store.ts';
import type { Reason } from '../events/store.ts';
import type { Config } from '../main/config/settings.ts';
import { mailEach } from '../people/notify-people.ts';
import { findUser } from '../people/store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Executor, Storage } from '../platform/database/storage.ts';
import { failureOf } from '../platform/database/unreachable.ts';
import type { Mailer } from '../platform/mailer.ts';
import type { Applications } from '../runtime/applications.ts';
import type { TaskService } from '../tasks/task-service.ts';
import { recordCanaryEvent } from './canary-event.ts';
import type { CanaryCounter } from './counter.ts';
import { findRegression } from './decide.ts';
import { rollBackCanary } from './end-canary.ts';
import { figuresOf } from './figures.ts';
import { startFinishing, findCanaryBlocker } from './finish-canary.ts';
import { changeCanary, findCanary, OPEN, unendedCanaries, type CanaryRow } from './store.ts';

export interface WatchParts {
  readonly config: Config;
  readonly storage: Storage;
  readonly audit: Audit;
  readonly clock: Clock;
  readonly log: Logger;
  readonly mailer: Mailer | null;
  readonly tasks: TaskService;
  readonly counter: CanaryCounter;
  readonly applications: Pick<Applications, 'isClosed'>;
  /** Requests the health path of a canary with processes on this server. */
  readonly checkHealth: (canary: CanaryRow) => Promise<void>;
  readonly deploy: (taskId: string, bundle: BundleRow) => void;
  readonly contentChanged: (guid: string) => void;
}

const LOOK_MS = 1000;
/** The error of a deploy that was not allowed to go live. */
const DENIED = errors.operationDenied().code;
/** Without figures to save, checks for canaries started elsewhere happen only every so many rounds. */
const IDLE_LOOKS = 5;
/** Whoever tried to make it live has not. */
const UNDECIDED = { finish_task: null, decided_by: null, decided_time: null, reason: null } as const;
const RULE_WAITS: Reason = { code: 'rule_waits', text: 'its owner decides' };
/** Rounds between two health checks. */
const HEALTH_LOOKS = 5;

export interface CanaryWatch extends AsyncDisposable {
  /** Runs a round now; settles when everything is saved. Never rejects. */
  look(): Promise<void>;
}

export function watchCanaries(parts: WatchParts): CanaryWatch {
  const { storage, log, counter } = parts;
  let looks = 0;
  let known: readonly CanaryRow[] = [];
  let looking: Promise<void> | null = null;

  async function work(): Promise<void> {
    looks += 1;
    if (!counter.isDirty && known.length === 0 && looks % IDLE_LOOKS !== 0) return;
    await counter.flush();
    known = await unendedCanaries(storage.db);
    counter.forgetAllBut(new Set(known.map(({ id }) => id)));
    for (const canary of known)
      await decide(parts, canary).catch((error: unknown) => log.error(error, 'canary %d', canary.id));
    if (looks % HEALTH_LOOKS !== 0) return;
    const asked = known.filter(({ state, health_path }) => OPEN.includes(state) && health_path !== null);
    await Promise.all(asked.map(parts.checkHealth));
  }

  const look = () =>
    (looking ??= work()
      .catch(failureOf('looking at canaries', log))
      .finally(() => (looking = null)));
  const timer = setInterval(() => void look(), LOOK_MS).unref();
  return {
    look,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await looking;
      await counter.flush().catch((error: unknown) => log.error(error, 'figures of canaries'));
    },
  };
}

async function decide(parts: WatchParts, canary: CanaryRow): Promise<void> {
  const { storage, tasks, clock, applications } = parts;
  if (canary.state === 'preparing') return forgetFailed(parts, canary);
  const { live, canary: own } = await figuresOf(storage.db, canary.id);
  const wrong = findRegression(canary, live, own);
  if (wrong !== null) return sendBack(parts, canary, wrong);
  if (canary.state === 'finishing') {
    const task = await tasks.find(canary.finish_task ?? '');
    if (task && task.finished === 0) return undefined;
    if (!task || task.end_reason === 'interrupted') return resume(parts, canary);
    if (task.code === 0) return undefined;
    // Nothing can start while all servers drain.
    if (applications.isClosed) return resume(parts, canary);
    // A lock or a right that changed meanwhile says nothing about the bundle.
    if (task.code === DENIED) return hold(parts, canary);
    if (task.end_reason === 'cancelled')
      return hold(parts, canary, { code: 'cancelled', text: 'somebody cancelled this' });
    const { error: detail } = task;
    return sendBack(parts, canary, {
      code: 'not_made_live',
      text: `it could not be made live: ${detail}`,
      detail,
    });
  }
  const ends = (canary.started_time ?? 0) + canary.length * 1_000_000;
  if (canary.state !== 'running' || clock.now() < ends || applications.isClosed) return undefined;
  return pass(parts, canary);
}

/** Its deploy failed: there is no canary. */
async function forgetFailed({ storage, tasks, clock }: WatchParts, canary: CanaryRow): Promise<void> {
  const task = await tasks.find(canary.task_id);
  if (task && task.finished === 0) return;
  const reason = task?.error ?? 'its deploy is gone';
  const changes = { state: 'failed', decided_time: clock.now(), reason } as const;
  await storage.write(
    (tx) => changeCanary(tx, canary.id, ['preparing'], changes),
    aboutContent(canary.content_guid),
  );
}

/** Its time is over: it goes live, or waits for a decision. */
async function pass(parts: WatchParts, canary: CanaryRow): Promise<void> {
  const { storage, clock, deploy } = parts;
  const passed = await storage.write(async (tx) => {
    const now = await findCanary(tx, canary.id);
    if (now?.state !== 'running') return null;
    const blocked = now.waits === 1 ? RULE_WAITS : await findCanaryBlocker(tx, clock, now);
    if (blocked === null) return startFinishing(tx, parts, now, null);
    return wait(tx, parts, now, blocked);
  }, aboutContent(canary.content_guid));
  if (passed === null) return;
  if ('reason' in passed) await announce(parts, canary, passed.reason);
  else deploy(passed.taskId, passed.bundle);
}

/**
 * Its deploy was not allowed to go live: it waits for a decision, or for the next round if nothing blocks it any more.
 * @param why it waits in any case
 */
async function hold(parts: WatchParts, canary: CanaryRow, why: Reason | null = null): Promise<void> {
  const { storage, clock } = parts;
  const held = await storage.write(async (tx) => {
    const now = await findCanary(tx, canary.id);
    if (now?.state !== 'finishing' || now.finish_task !== canary.finish_task) return null;
    const blocked = why ?? (await findCanaryBlocker(tx, clock, now));
    if (blocked !== null) return wait(tx, parts, now, blocked);
    await finishAgain(tx, now);
    return null;
  }, aboutContent(canary.content_guid));
  if (held !== null) await announce(parts, canary, held.reason);
}

async function wait(
  tx: Executor,
  parts: WatchParts,
  canary: CanaryRow,
  blocked: Reason,
): Promise<{ reason: string }> {
  const reason = `nothing spoke against it, and it waits to be made live: ${blocked.text}`;
  const changes = { ...UNDECIDED, state: 'waiting', reason } as const;
  await changeCanary(tx, canary.id, [canary.state], changes);
  await recordCanaryEvent(tx, parts, 'waiting', canary, {
    actor: null,
    reason: { ...blocked, text: reason },
  });
  return { reason };
}

/** The server that was making it live stopped, or drains. */
async function resume({ storage }: WatchParts, canary: CanaryRow): Promise<void> {
  await storage.write(async (tx) => {
    const now = await findCanary(tx, canary.id);
    if (now?.finish_task === canary.finish_task) await finishAgain(tx, canary);
  }, aboutContent(canary.content_guid));
}

async function finishAgain(tx: Executor, { id }: CanaryRow): Promise<void> {
  await changeCanary(tx, id, ['finishing'], { ...UNDECIDED, state: 'running' });
}

async function sendBack(parts: WatchParts, canary: CanaryRow, reason: Reason): Promise<void> {
  const { storage, log, contentChanged } = parts;
  const isDone = await storage.write(
    (tx) => rollBackCanary(tx, parts, canary, { actor: null, reason }),
    aboutContent(canary.content_guid),
  );
  if (!isDone) return;
  contentChanged(canary.content_guid);
  log.warn({ content: canary.content_guid, bundle: canary.bundle_id }, 'canary rolled back: %s', reason.text);
  await announce(
    parts,
    canary,
    `it was rolled back automatically: ${reason.text}. New visitors get what was live before`,
  );
}

/** Mails the owner. */
async function announce(
  parts: WatchParts,
  { content_guid, bundle_id }: CanaryRow,
  what: string,
): Promise<void> {
  const { db } = parts.storage;
  const content = await findContent(db, content_guid);
  const owner = content && (await findUser(db, content.owner_guid));
  if (!owner) return;
  const name = content.title ?? content.name;
  const text = `The canary of bundle ${bundle_id} of ${name} (${content_guid}): ${what}.\n\nTo see its figures, run: pressroom canary show ${content_guid}\n`;
  await mailEach(parts, [owner], `The canary of ${name}`, text);
}
