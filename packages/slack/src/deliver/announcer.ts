// Deploys told to channels: each once, alive while it runs, right at its end, whatever dies in between.
import type { ClientClock, TaskReader } from '@pressroom/api';
import type { Logger } from 'pino';
import type { SlackPort } from './slack-port.ts';
import type { NewNotice, Notice } from '../store/notices.ts';
import type { Store } from '../store/store.ts';
import { createEditor } from './editor.ts';
import { createPoster } from './poster.ts';
import { tell, type TellContext } from './announce-deploy.ts';

export interface Announcer extends AsyncDisposable {
  /** Tells a channel of a deploy, unless it was told. Answers the notice. */
  announce(notice: NewNotice): Promise<{ notice: Notice; fresh: boolean }>;
  /** Goes on with everything that was not told to its end. */
  resume(): Promise<number>;
  /** Running just now. */
  readonly live: number;
  /** Resolves when nothing is being told. */
  idle(): Promise<void>;
}

export interface AnnouncerOptions {
  readonly store: Store;
  readonly slack: SlackPort;
  /** Who reads the task of a notice: who started it, or the bot itself. */
  readonly readerOf: (notice: Notice) => Promise<NoticeReader>;
  /** Where the audit log can be read, with `{task}` for what to look for; null to leave the link out. */
  readonly auditUrl: string | null;
  readonly clock: ClientClock;
  readonly log: Logger;
  /** Edits a minute in a workspace. */
  readonly budget: number;
  readonly onEdit?: (result: 'done' | 'busy' | 'failed' | 'gone') => void;
  readonly onEnd?: (notice: Notice) => void;
}

export interface NoticeReader extends TaskReader {
  /** How a deploy went whose task nobody knows; null while that cannot be said. */
  outcome(notice: Notice): Promise<'succeeded' | null>;
}

/** A deploy without a task that starts this close to another of the same bundle is the same, in milliseconds. */
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
  const context: TellContext = {
    ...options,
    editor,
    poster: createPoster(clock, stop.signal),
    signal: stop.signal,
  };
  const telling = new Map<string, Promise<void>>();

  function follow(notice: Notice, recovering: boolean): void {
    if (telling.has(notice.id) || stop.signal.aborted) return;
    editor.expect(notice.team, 1);
    const work = tell(context, notice, recovering)
      .catch((error: unknown) => {
        if (!stop.signal.aborted) log.error({ err: error, notice: notice.id }, 'a deploy could not be told');
      })
      .finally(() => {
        editor.expect(notice.team, -1);
        telling.delete(notice.id);
      });
    telling.set(notice.id, work);
  }

  /** The notice of the same deploy that another source reported before, by task or by bundle and time. */
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
      return telling.size;
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
      while (telling.size > 0) await Promise.allSettled(telling.values());
    },
    async [Symbol.asyncDispose]() {
      stop.abort(new Error('the bot stops'));
      await editor[Symbol.asyncDispose]();
      await Promise.allSettled(telling.values());
    },
  };
}
