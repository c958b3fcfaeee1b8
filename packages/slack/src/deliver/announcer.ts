// Announces deploys in channels: each once, live while it runs and right at its end, even across restarts.
import type { NewNotice, Notice } from '../store/notices.ts';
import { createEditor } from './editor.ts';
import { createPoster } from './poster.ts';
import { announceDeploy, type AnnounceContext, type AnnouncerOptions } from './announce-deploy.ts';

export interface Announcer extends AsyncDisposable {
  /** Announces a deploy in a channel, unless it was announced before. Returns the notice. */
  announce(notice: NewNotice): Promise<{ notice: Notice; fresh: boolean }>;
  /** Continues with every notice that is not complete; returns how many. */
  resume(): Promise<number>;
  /** How many run now. */
  readonly live: number;
  /** Resolves when none runs. */
  idle(): Promise<void>;
}

/** Milliseconds: a deploy without a task that starts this close to one of the same bundle is the same. */
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
  const running = new Map<string, Promise<void>>();

  function follow(notice: Notice, recovering: boolean): void {
    if (running.has(notice.id) || stop.signal.aborted) return;
    editor.expect(notice.team, 1);
    const work = announceDeploy(context, notice, recovering)
      .catch((error: unknown) => {
        if (!stop.signal.aborted) log.error({ err: error, notice: notice.id }, 'announcing a deploy failed');
      })
      .finally(() => {
        editor.expect(notice.team, -1);
        running.delete(notice.id);
      });
    running.set(notice.id, work);
  }

  /** The notice of the same deploy from another source, by task or by bundle and time. */
  async function known(fresh: NewNotice): Promise<Notice | null> {
    const recent = await store.notices.ofContent(fresh.content, 20);
    const near = recent.find(
      (notice) =>
        notice.team === fresh.team &&
        notice.channel === fresh.channel &&
        notice.task !== fresh.task &&
        (notice.task === null || fresh.task === null) &&
        (notice.bundle === null || fresh.bundle === null || notice.bundle === fresh.bundle) &&
        Math.abs(notice.started_time - fresh.started_time) < SAME,
    );
    if (!near) return null;
    if (near.task === null && fresh.task !== null) await store.notices.update(near.id, { task: fresh.task });
    return near;
  }

  return {
    get live() {
      return running.size;
    },
    async announce(fresh) {
      const same = await known(fresh);
      if (same) return { notice: same, fresh: false };
      const reserved = await store.notices.reserve(fresh);
      if (reserved.fresh) follow(reserved.notice, false);
      return reserved;
    },
    async resume() {
      const open = await store.notices.open();
      for (const notice of open) follow(notice, true);
      return open.length;
    },
    async idle() {
      while (running.size > 0) await Promise.allSettled(running.values());
    },
    async [Symbol.asyncDispose]() {
      stop.abort(new Error('the bot is stopping'));
      await editor[Symbol.asyncDispose]();
      await Promise.allSettled(running.values());
    },
  };
}
