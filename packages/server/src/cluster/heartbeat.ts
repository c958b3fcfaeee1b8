// Shows the other servers of the database that this one lives, and finds out which of them are gone: also those whose
// machine vanished without a word. Whoever was only paused finds itself declared gone, and what it had with others.
import type { Logger } from 'pino';
import type { Executor, Storage } from '../platform/database/storage.ts';
import { listHeartbeats, removeHeartbeat, showHeartbeat } from './heartbeat-store.ts';
import { createFailureDetector } from './failure-detector.ts';

export interface Heartbeat extends AsyncDisposable {
  /** This server. */
  readonly node: string;
  /** Does something every few seconds, and as soon as another server is gone; one after the other, never twice at once. */
  onBeat(work: () => Promise<void>): Disposable;
  /** Does all of that now. Never rejects. */
  beat(): Promise<void>;
}

export interface HeartbeatOptions {
  readonly storage: Storage;
  readonly node: string;
  /** Of this server, over its restarts. */
  readonly name: string;
  readonly log: Logger;
  /** In the transaction that declares another server gone, which one server does once. */
  readonly onLost: (tx: Executor, node: string) => Promise<void>;
}

/** Event: a server said goodbye. */
const GOODBYE = 'goodbye';
const BEAT_MS = 5000;
/** Without a sign of life for so long, a server is gone. */
const LOST_MS = 20_000;
const GAP_MS = 2.5 * BEAT_MS;

/** Null where there is one server only. */
export async function startHeartbeat(options: HeartbeatOptions): Promise<Heartbeat | null> {
  const { storage, node, name, log, onLost } = options;
  const { db, events } = storage;
  if (!storage.isShared) return null;
  const detector = createFailureDetector({ lostMs: LOST_MS, gapMs: GAP_MS });
  const works = new Set<() => Promise<void>>();
  let running: Promise<void> | null = null;
  let showing: Promise<void> | null = null;

  /** Whatever else there is to do, and however long it takes. */
  function show(): Promise<void> {
    showing ??= showHeartbeat(db, node, name)
      .catch((error: unknown) => log.error(error, 'sign of life'))
      .finally(() => (showing = null));
    return showing;
  }

  async function look(): Promise<void> {
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
    for (const work of works) await work();
  }

  function beat(): Promise<void> {
    running ??= look()
      .catch((error: unknown) => log.error(error, 'looking for servers that are gone'))
      .finally(() => (running = null));
    return running;
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
    onBeat(work) {
      works.add(work);
      return { [Symbol.dispose]: () => void works.delete(work) };
    },
    async [Symbol.asyncDispose]() {
      clearInterval(beating);
      listening[Symbol.dispose]();
      works.clear();
      await Promise.all([running, showing]);
      await removeHeartbeat(db, node, null).catch((error: unknown) => log.error(error, 'goodbye'));
      events.publish(GOODBYE);
    },
  };
}
