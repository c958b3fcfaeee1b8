// Announces one deploy in one channel: posts, follows the task, edits, replies with the result and the complete log.
import { isCallFailure } from '@pressroom/api/client';
import type { Diagnosis } from '@pressroom/api/publish';
import type { Notice } from '../../store/notices.ts';
import { maySubscribe } from '../subscriptions/scopes.ts';
import {
  isFailure,
  liveOf,
  MAX_DELAY_MS,
  MAX_FAILURES,
  type AnnounceContext,
  type Announcement,
  type Save,
} from './announcement.ts';
import { attachLog, postDeploy, postResult, showLive } from './post-deploy.ts';
import { watchDeploy } from './watch-deploy.ts';

/** Milliseconds between edits of a live message, for its elapsed time. */
const TICK = 15_000;

/** Resolves when the channel has the result. @param recovering an earlier process may have posted already */
export async function announceDeploy(
  context: AnnounceContext,
  first: Notice,
  recovering: boolean,
): Promise<void> {
  const { store, editor, signal, onEnd } = context;
  const announcement: Announcement = {
    notice: first,
    reader: context.readerOf(first),
    texts: await context.textsOf(first),
    lines: JSON.parse(first.last_lines) as string[],
    diagnosis: first.cause === null ? null : (JSON.parse(first.cause) as Diagnosis),
    trouble: '',
    commit: null,
  };
  const save = async (changes: Partial<Notice>) => {
    announcement.notice = { ...announcement.notice, ...changes };
    await store.notices.update(first.id, changes);
  };
  const touch = () => {
    const { ts, state } = announcement.notice;
    if (ts !== null && state === 'running') editor.progress(editOf(context, announcement, save));
  };

  const quiet = first.only_failures === 1;
  const posted = quiet ? Promise.resolve(true) : postDeploy(context, announcement, save, recovering);
  const ended =
    announcement.notice.state === 'running'
      ? watchDeploy(context, announcement, save, touch)
      : Promise.resolve();
  const ticking = new AbortController();
  void tick(context, AbortSignal.any([signal, ticking.signal]), touch);
  try {
    const [isPosted] = await Promise.all([posted, ended]);
    // Hours may have passed: later messages are only for people who may still see it.
    const seen = await maySee(context, announcement);
    const isSeen = seen === 'yes';
    if (!isSeen) await forget(announcement, save);
    if (seen === 'no') await context.onLost(announcement.notice);
    const wanted =
      quiet &&
      isSeen &&
      isFailure(announcement.notice) &&
      (await maySubscribe({ store }, first, first.content))
        ? await postDeploy(context, announcement, save, recovering)
        : isPosted;
    onEnd?.(announcement.notice, liveOf(context, announcement));
    if (!wanted || announcement.notice.ts === null) return await save({ file_done: 1 });
    if (announcement.notice.edited_state !== announcement.notice.state) {
      await editor.final(editOf(context, announcement, save));
      signal.throwIfAborted();
    }
    if (!isSeen) return await save({ file_done: 1 });
    // A success needs no reply, unless the message can no longer be edited.
    const { state, edited_state } = announcement.notice;
    if (state !== 'succeeded' || edited_state !== state)
      await postResult(context, announcement, save, recovering);
    if (state !== 'succeeded') await attachLog(context, announcement, recovering);
    await save({ file_done: 1 });
  } finally {
    ticking.abort();
  }
}

/** Retried until the content server responds, with a limit. */
async function maySee(
  { clock, signal }: AnnounceContext,
  { reader }: Announcement,
): Promise<'yes' | 'no' | 'unknown'> {
  for (let failures = 1; ; failures += 1) {
    try {
      return (await reader.maySee()) ? 'yes' : 'no';
    } catch (error) {
      signal.throwIfAborted();
      if (!isCallFailure(error) || failures > MAX_FAILURES) return 'unknown';
      await clock.sleep(Math.min(500 * 2 ** failures, MAX_DELAY_MS), signal);
    }
  }
}

/** Ends a notice whose channel may no longer see it, and removes its details. */
async function forget(announcement: Announcement, save: Save): Promise<void> {
  announcement.lines = [];
  announcement.diagnosis = null;
  await save({ state: 'unknown', error: '', cause: null, last_lines: '[]', line_count: 0 });
}

function editOf(context: AnnounceContext, announcement: Announcement, save: Save) {
  const { team, channel, id } = announcement.notice;
  return {
    team,
    id,
    send: async (plain: boolean) => {
      const { ts, state } = announcement.notice;
      await showLive(context, announcement, plain, (message) =>
        context.slack.edit(team, channel, ts!, message),
      );
      if (state !== 'running') await save({ edited_state: state });
    },
  };
}

async function tick({ clock }: AnnounceContext, signal: AbortSignal, touch: () => void): Promise<void> {
  try {
    for (;;) {
      await clock.sleep(TICK, signal);
      touch();
    }
  } catch {
    // It has ended, or the bot is stopping.
  }
}
