// Follows the task of a deploy to its end, and keeps what the message shows.
import { isCallFailure } from '@pressroom/api/client';
import type { BundleCommit, TaskStageName } from '@pressroom/api/contract';
import { diagnose, type Diagnosis, type TaskReader, watchTask } from '@pressroom/api/publish';
import { explain } from '../../texts/explain.ts';
import {
  MAX_FAILURES,
  type AnnounceContext,
  type Announcement,
  type NoticeReader,
  type Save,
} from './announcement.ts';

/** Maximum lines of output kept. */
const LINES_KEPT = 40;
/** Milliseconds to wait for the end of a deploy without a known task. */
const OUTCOME_WAIT = 15 * 60_000;
const OUTCOME_STEP = 5000;

/** @param touch updates the message */
export async function watchDeploy(
  context: AnnounceContext,
  announcement: Announcement,
  save: Save,
  touch: () => void,
): Promise<void> {
  const { clock, signal } = context;
  const { reader } = announcement;
  const { task } = announcement.notice;
  if (task === null) return watchOutcome(context, announcement, save);
  const noticing = withTrouble(announcement, (trouble) => {
    // Removes what was shown before the right was lost.
    if (reader.isHidden) announcement.lines = [];
    if (announcement.trouble === trouble) return;
    announcement.trouble = trouble;
    touch();
  });
  announcement.lines = [];
  let isCommitAsked = false;
  for await (const event of watchTask(noticing, task, { signal, clock, patience: MAX_FAILURES })) {
    const { notice } = announcement;
    if (event.type === 'log') {
      announcement.lines = [...announcement.lines, event.line].slice(-LINES_KEPT);
      announcement.notice = {
        ...notice,
        line_count: event.index + 1,
        phase: Math.max(notice.phase, PHASE_OF.extract),
      };
      touch();
      continue;
    }
    if (event.type === 'stage') {
      announcement.notice = { ...notice, phase: Math.max(notice.phase, PHASE_OF[event.stage]) };
      // A deploy with a stage has a bundle.
      if (!isCommitAsked) announcement.commit = await commitOf(reader, notice);
      isCommitAsked = true;
      touch();
      continue;
    }
    const failed = event.type === 'finished' && event.code !== 0;
    // The output of work that was stopped does not explain why.
    const end_reason = event.type === 'finished' ? event.end_reason : null;
    if (failed && end_reason === null && !reader.isHidden)
      announcement.diagnosis = await diagnosed(reader, task, announcement.lines);
    const recorded = event.type === 'finished' ? await reader.recorded(notice).catch(() => null) : null;
    announcement.commit = recorded?.commit ?? announcement.commit;
    await save({
      state: event.type === 'unknown' ? 'unknown' : failed ? 'failed' : 'succeeded',
      end_reason,
      code: event.type === 'finished' ? event.code : 0,
      error: event.type === 'finished' ? event.error : event.reason,
      cause: announcement.diagnosis === null ? null : JSON.stringify(announcement.diagnosis),
      last_lines: JSON.stringify(announcement.lines),
      line_count: reader.isHidden ? 0 : notice.line_count,
      phase: notice.phase,
      finished_time: clock.now(),
      // The bot may have been away, or have learned of it late.
      ...recorded?.times,
    });
  }
}

/** Null if there is none, or the server does not report it now. */
async function commitOf(reader: NoticeReader, notice: Announcement['notice']): Promise<BundleCommit | null> {
  return (await reader.recorded(notice).catch(() => null))?.commit ?? null;
}

/** From the complete output, or the last lines if that cannot be read again. */
async function diagnosed(
  reader: NoticeReader,
  task: string,
  lines: readonly string[],
): Promise<Diagnosis | null> {
  const whole = await reader.getTask({ id: task, first: 0, wait: 0 }).catch(() => null);
  return diagnose(whole?.output ?? lines);
}

/** Without a task only success is visible: the bundle becomes active. */
async function watchOutcome(context: AnnounceContext, announcement: Announcement, save: Save): Promise<void> {
  const { clock, signal, store } = context;
  const until = announcement.notice.started_time + OUTCOME_WAIT;
  for (;;) {
    signal.throwIfAborted();
    const known = await store.notices.find(announcement.notice.id);
    if (known?.task) {
      announcement.notice = { ...announcement.notice, task: known.task };
      return watchDeploy(context, announcement, save, () => undefined);
    }
    const outcome = await announcement.reader.outcome(announcement.notice).catch(() => null);
    if (outcome !== null) return save({ state: outcome, finished_time: clock.now() });
    if (clock.now() > until) {
      const error = announcement.texts.live.noOutcome;
      return save({ state: 'unknown', error, finished_time: clock.now() });
    }
    await clock.sleep(OUTCOME_STEP, signal);
  }
}

function withTrouble(
  { reader, texts }: Pick<Announcement, 'reader' | 'texts'>,
  report: (trouble: string) => void,
): TaskReader {
  return {
    getTask: async (args, options) => {
      try {
        const task = await reader.getTask(args, options);
        report('');
        return task;
      } catch (error) {
        if (isCallFailure(error)) report(texts.live.retrying(explain(error, texts.code).reason));
        throw error;
      }
    },
  };
}

/** Phase of each stage in a live message. */
const PHASE_OF: Readonly<Record<TaskStageName, number>> = {
  extract: 1,
  restore: 2,
  render: 2,
  start: 2,
  activate: 3,
};
