// Announces deploys in channels: each once, live while it runs and correct at its end, even across restarts.
import type { NewNotice, Notice } from '../../store/notices.ts';
import { LEASE } from '../../store/notices.ts';
import { createEditor } from '../transport/editor.ts';
import { createPoster } from '../transport/poster.ts';
import { announceDeploy } from './announce-deploy.ts';
import type { AnnounceContext, AnnouncerOptions } from './announcement.ts';

export interface Announcer extends AsyncDisposable {
  /** Announces a deploy in a channel, unless done before. Returns the notice. */
  announce(notice: NewNotice): Promise<{ notice: Notice; fresh: boolean }>;
  /** Continues all incomplete notices; returns their number. */
  resume(): Promise<number>;
  /** Number of running announcements. */
  readonly live: number;
  /** Resolves when none is running. */
  idle(): Promise<void>;
}

/** Milliseconds: a deploy without a task is the same as one of the same bundle that started within this time. */
const SAME = 120_000;

export function createAnnouncer(options: AnnouncerOptions): Announcer {
  const { store, clock, log, budget } = options;
  const stop = new AbortController();
  const editor = createEditor({
    take: (team, most) => store.notices.takeEdit(team, most),
    budget,
    clock,
    log,
    ...(options.onEdit && { onEdit: options.onEdit }),
  });
  const context: AnnounceContext = {
    ...options,
    editor,
    poster: createPoster(clock, stop.signal),
    signal: stop.signal,
  };
  const running = new Map<string, { readonly work: Promise<void>; readonly lost: AbortController }>();

  function follow(notice: Notice, recovering: boolean): void {
    if (running.has(notice.id) || stop.signal.aborted) return;
    editor.expect(notice.team, 1);
    const lost = new AbortController();
    const signal = AbortSignal.any([stop.signal, lost.signal]);
    const work = announceDeploy({ ...context, signal }, notice, recovering)
      .catch((error: unknown) => {
        if (!signal.aborted) log.error({ err: error, notice: notice.id }, 'announcing a deploy failed');
      })
      .finally(() => {
        editor.expect(notice.team, -1);
        running.delete(notice.id);
      });
    running.set(notice.id, { work, lost });
  }

  async function takeOver(): Promise<number> {
    const open = (await store.notices.claim())
      .filter(({ id }) => !running.has(id))
      .toSorted((a, b) => a.created_time - b.created_time);
    for (const notice of open) follow(notice, true);
    return open.length;
  }

  /** Sends this bot's heartbeat, and takes over from lost ones. */
  async function beat(): Promise<void> {
    const kept = await store.notices.keep([...running.keys()]);
    for (const [id, { lost }] of running) if (!kept.has(id)) lost.abort(new Error('another bot took over'));
    if (store.isShared) await takeOver();
  }
  const beating = setInterval(() => {
    beat().catch((error: unknown) => log.warn({ err: error }, 'the leases of notices'));
  }, LEASE / 4).unref();

  return {
    get live() {
      return running.size;
    },
    async announce(fresh) {
      const reserved = await store.notices.reserve(fresh, (recent) =>
        recent.find((one) => isSame(one, fresh)),
      );
      if (reserved.fresh) follow(reserved.notice, false);
      return reserved;
    },
    resume: takeOver,
    async idle() {
      while (running.size > 0) await Promise.allSettled([...running.values()].map(({ work }) => work));
    },
    async [Symbol.asyncDispose]() {
      clearInterval(beating);
      stop.abort(new Error('the bot is stopping'));
      await editor[Symbol.asyncDispose]();
      await Promise.allSettled([...running.values()].map(({ work }) => work));
      await store.notices.release();
    },
  };
}

/** Whether it is of the same deploy, from another source: by task, or by bundle and time. */
function isSame(notice: Notice, fresh: NewNotice): boolean {
  return (
    notice.team === fresh.team &&
    notice.channel === fresh.channel &&
    notice.task !== fresh.task &&
    (notice.task === null || fresh.task === null) &&
    (notice.bundle === null || fresh.bundle === null || notice.bundle === fresh.bundle) &&
    Math.abs(notice.started_time - fresh.started_time) < SAME
  );
}
