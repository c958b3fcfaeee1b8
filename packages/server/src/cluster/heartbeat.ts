// Sends this server's heartbeat and detects lost servers, including those whose machine vanished. A server that was
// only paused learns that it was declared lost, and releases what others have taken over.
import type { Logger } from 'pino';
import type { Executor, Storage } from '../platform/database/storage.ts';
import { failureOf } from '../platform/database/unreachable.ts';
import { createFailureDetector } from './failure-detector.ts';
import { isFirstServer, listHeartbeats, removeHeartbeat, showHeartbeat } from './heartbeat-store.ts';

export interface Heartbeat extends AsyncDisposable {
  /** This server. */
  readonly node: string;
  /** Runs `work` every few seconds and whenever a server is lost, never concurrently. */
  onBeat(work: () => Promise<void>): Disposable;
  /** Runs all of it now. Never rejects. */
  beat(): Promise<void>;
  /** Whether this server does what one does for all. */
  isFirst(): Promise<boolean>;
}

export interface HeartbeatOptions {
  readonly storage: Storage;
  readonly node: string;
  /** Name of this server, stable over restarts. */
  readonly name: string;
  readonly log: Logger;
  /** Runs in the transaction that declares a server lost, once and on one server. */
  readonly onLost: (tx: Executor, node: string) => Promise<void>;
}

/** Event: a server left, or gave a task to another one. */
export const GOODBYE = 'goodbye';
const BEAT_MS = 5000;
/** Milliseconds without a heartbeat after which a server is lost. */
const LOST_MS = 20_000;
const GAP_MS = 2.5 * BEAT_MS;

/** Null for a single server. */
export async function startHeartbeat(options: HeartbeatOptions): Promise<Heartbeat | null> {
  const { storage, node, name, log, onLost } = options;
  const { db, events } = storage;
  if (!storage.isShared) return null;
  const detector = createFailureDetector({ lostMs: LOST_MS, gapMs: GAP_MS });
  const failed = failureOf('looking for servers that are gone', log);
  const works = new Set<() => Promise<void>>();
  let looking: Promise<void> | null = null;
  let working: Promise<void> | null = null;
  let showing: Promise<void> | null = null;

  /** Independent of other work, however long that takes. */
  function show(): Promise<void> {
    showing ??= showHeartbeat(db, node, name)
      .catch(failureOf('sign of life', log))
      .finally(() => (showing = null));
    return showing;
  }

  async function detectLost(): Promise<void> {
    const others = (await listHeartbeats(db)).filter((row) => row.node !== node);
    const silent = new Set(detector.look(others.map((row) => [row.node, row.beat] as const)));
    for (const row of others.filter((one) => silent.has(one.node))) {
      const isOurs = await storage.write(async (tx) => {
        if (!(await removeHeartbeat(tx, row.node, row.beat))) return false;
        await onLost(tx, row.node);
        return true;
      });
      if (isOurs) log.warn({ node: row.node }, 'another server shows no sign of life: it counts as gone');
    }
  }

  /** Independent of the work, too: the detector starts again where it is called late. */
  function look(): Promise<void> {
    looking ??= detectLost()
      .catch(failed)
      .finally(() => (looking = null));
    return looking;
  }

  async function work(): Promise<void> {
    // One that fails does not keep the others waiting.
    for (const one of works) await one().catch(failed);
  }

  async function beat(): Promise<void> {
    await look();
    working ??= work().finally(() => (working = null));
    await working;
  }

  await showHeartbeat(db, node, name);
  const beating = setInterval(() => {
    void show();
    void beat();
  }, BEAT_MS).unref();
  const listening = events.listen((event) => {
    if (event === GOODBYE) void beat();
  });
  return {
    node,
    beat,
    isFirst: () => isFirstServer(db, node),
    onBeat(work) {
      works.add(work);
      return { [Symbol.dispose]: () => void works.delete(work) };
    },
    async [Symbol.asyncDispose]() {
      clearInterval(beating);
      listening[Symbol.dispose]();
      works.clear();
      await Promise.all([looking, working, showing]);
      await removeHeartbeat(db, node, null).catch((error: unknown) => log.error(error, 'goodbye'));
      events.publish(GOODBYE);
    },
  };
}
