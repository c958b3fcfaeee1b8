// One deploy, one channel: post, follow the task, edit, reply with the result and the whole log.
import { diagnose, isCallFailure, watchTask, type Diagnosis } from '@pressroom/api';
import { slackFailure } from './slack-failure.ts';
import type { Mark } from './slack-port.ts';
import type { Notice } from '../store/notices.ts';
import { liveMessage, resultMessage, type LiveDeploy } from './blocks.ts';
import type { AnnouncerOptions, NoticeReader } from './announcer.ts';
import type { Editor } from './editor.ts';
import type { Poster } from './poster.ts';

export interface TellContext extends AnnouncerOptions {
  readonly editor: Editor;
  readonly poster: Poster;
  readonly signal: AbortSignal;
}

/** Lines kept to be shown. */
const LINES_KEPT = 40;
/** A live message is edited at least this often, for its clock. */
const TICK = 15_000;
/** How often in a row the content server may fail before the end of a deploy counts as unknown: about ten minutes. */
const PATIENCE = 45;
const LONGEST_DELAY = 30_000;
/** How long an end is looked for where no task is known. */
const OUTCOME_WAIT = 15 * 60_000;
const OUTCOME_STEP = 5000;

interface Telling {
  notice: Notice;
  lines: string[];
  diagnosis: Diagnosis | null;
  trouble: string;
}

/** Resolves when the channel knows the end. @param recovering an earlier process may have posted already. */
export async function tell(context: TellContext, first: Notice, recovering: boolean): Promise<void> {
  const { store, editor, signal, onEnd } = context;
  const telling: Telling = {
    notice: first,
    lines: JSON.parse(first.last_lines) as string[],
    diagnosis: first.cause === null ? null : (JSON.parse(first.cause) as Diagnosis),
    trouble: '',
  };
  const save = async (changes: Partial<Notice>) => {
    telling.notice = { ...telling.notice, ...changes };
    await store.notices.update(first.id, changes);
  };
  const touch = () => {
    const { ts, state } = telling.notice;
    if (ts !== null && state === 'running') editor.progress(editOf(context, telling, save));
  };

  const quiet = first.only_failures === 1;
  const posted = quiet ? Promise.resolve(true) : post(context, telling, save, recovering);
  const ended = telling.notice.state === 'running' ? watch(context, telling, save, touch) : Promise.resolve();
  const ticking = new AbortController();
  void tick(context, AbortSignal.any([signal, ticking.signal]), touch);
  try {
    const [isPosted] = await Promise.all([posted, ended]);
    const wanted =
      quiet && telling.notice.state === 'failed' ? await post(context, telling, save, recovering) : isPosted;
    onEnd?.(telling.notice);
    if (!wanted || telling.notice.ts === null) return await save({ file_done: 1 });
    if (telling.notice.edited_state !== telling.notice.state) {
      await editor.final(editOf(context, telling, save));
      signal.throwIfAborted();
    }
    await reply(context, telling, save, recovering);
    await attachLog(context, telling, recovering);
    await save({ file_done: 1 });
  } finally {
    ticking.abort();
  }
}

type Save = (changes: Partial<Notice>) => Promise<void>;

function editOf(context: TellContext, telling: Telling, save: Save) {
  const { team, channel, id } = telling.notice;
  return {
    team,
    id,
    send: async () => {
      const { ts, state } = telling.notice;
      await context.slack.edit(team, channel, ts!, liveMessage(liveOf(context, telling)));
      if (state !== 'running') await save({ edited_state: state });
    },
  };
}

async function tick({ clock }: TellContext, signal: AbortSignal, touch: () => void): Promise<void> {
  try {
    for (;;) {
      await clock.sleep(TICK, signal);
      touch();
    }
  } catch {
    // It is told, or the bot stops.
  }
}

/** Posts once: before every repetition it looks whether an earlier try arrived. False when the channel is gone. */
async function post(
  context: TellContext,
  telling: Telling,
  save: Save,
  recovering: boolean,
): Promise<boolean> {
  const { slack, poster } = context;
  const { team, channel, id, created_time: oldest } = telling.notice;
  if (telling.notice.ts !== null) return true;
  const mark: Mark = { notice: id, part: 'live' };
  return persistently(context, recovering, async (again) => {
    const found = again ? await slack.findPosted({ team, channel, mark, oldest }) : null;
    if (found !== null) return save({ ts: found });
    await poster.turn(channel, 0, async () => {
      const { state } = telling.notice;
      const ts = await slack.post({
        team,
        channel,
        mark,
        message: liveMessage(liveOf(context, telling)),
      });
      await save({ ts, edited_state: state });
    });
  });
}

async function reply(context: TellContext, telling: Telling, save: Save, recovering: boolean): Promise<void> {
  const { slack, poster } = context;
  const { team, channel, id, ts, created_time: oldest, state, result_ts } = telling.notice;
  if (result_ts !== null) return;
  const mark: Mark = { notice: id, part: 'result' };
  await persistently(context, recovering, async (again) => {
    const thread = ts!;
    const found = again ? await slack.findPosted({ team, channel, mark, oldest, thread }) : null;
    if (found !== null) return save({ result_ts: found });
    await poster.turn(channel, 1, async () => {
      const message = resultMessage(liveOf(context, telling));
      const broadcast = state === 'failed';
      await save({ result_ts: await slack.post({ team, channel, mark, thread, broadcast, message }) });
    });
  });
}

async function attachLog(context: TellContext, telling: Telling, recovering: boolean): Promise<void> {
  const { slack, poster, readerOf, log } = context;
  const { notice } = telling;
  const { team, channel, ts, task } = notice;
  if (task === null || notice.line_count === 0) return;
  const name = `deploy-${task}.log`;
  try {
    const { output } = await (await readerOf(notice)).getTask({ id: task, first: 0, wait: 0 });
    await persistently(context, recovering, async (again) => {
      const thread = ts!;
      if (again && (await slack.hasFile({ team, channel, thread, name }))) return;
      await poster.turn(channel, 2, () =>
        slack.upload({
          team,
          channel,
          thread,
          name,
          title: name,
          bytes: Buffer.from(`${output.join('\n')}\n`),
        }),
      );
    });
  } catch (error) {
    context.signal.throwIfAborted();
    log.warn({ err: error, notice: notice.id }, 'the log of a deploy could not be attached');
  }
}

/** Until it is done, or Slack says that it never will be. `again` tells that an earlier try may have worked. */
async function persistently(
  { clock, signal, log }: TellContext,
  recovering: boolean,
  work: (again: boolean) => Promise<unknown>,
): Promise<boolean> {
  let again = recovering;
  for (let failures = 1; ; failures += 1) {
    signal.throwIfAborted();
    try {
      await work(again);
      return true;
    } catch (error) {
      signal.throwIfAborted();
      const failure = slackFailure(error);
      if (failure.kind === 'gone' || failure.kind === 'refused') {
        log.warn({ word: failure.word }, 'Slack does not take a notice');
        return false;
      }
      // Only what may have arrived is looked for.
      again ||= failure.kind === 'down';
      const pause = failure.kind === 'busy' ? failure.retryAfter : 500 * 2 ** Math.min(failures, 7);
      await clock.sleep(Math.min(pause, LONGEST_DELAY) * (0.75 + clock.random() / 2), signal);
    }
  }
}

async function watch(context: TellContext, telling: Telling, save: Save, touch: () => void): Promise<void> {
  const { readerOf, clock, signal } = context;
  const { task } = telling.notice;
  if (task === null) return watchOutcome(context, telling, save);
  const reader = await readerOf(telling.notice);
  const noticing = withTrouble(reader, (trouble) => {
    if (telling.trouble === trouble) return;
    telling.trouble = trouble;
    touch();
  });
  telling.lines = [];
  for await (const event of watchTask(noticing, task, { signal, clock, patience: PATIENCE })) {
    const { notice } = telling;
    if (event.type === 'log') {
      telling.lines = [...telling.lines, event.line].slice(-LINES_KEPT);
      telling.notice = {
        ...notice,
        line_count: event.index + 1,
        phase: Math.max(notice.phase, phaseOf(event.line)),
      };
      touch();
      continue;
    }
    const failed = event.type === 'finished' && event.code !== 0;
    if (failed) telling.diagnosis = await diagnosed(reader, task, telling.lines);
    await save({
      state: event.type === 'unknown' ? 'unknown' : failed ? 'failed' : 'succeeded',
      code: event.type === 'finished' ? event.code : 0,
      error: event.type === 'finished' ? event.error : event.reason,
      cause: telling.diagnosis === null ? null : JSON.stringify(telling.diagnosis),
      last_lines: JSON.stringify(telling.lines),
      line_count: notice.line_count,
      phase: notice.phase,
      finished_time: clock.now(),
    });
  }
}

/** From the whole output; from its end where the whole cannot be had again. */
async function diagnosed(
  reader: NoticeReader,
  task: string,
  lines: readonly string[],
): Promise<Diagnosis | null> {
  const whole = await reader.getTask({ id: task, first: 0, wait: 0 }).catch(() => null);
  return diagnose(whole?.output ?? lines);
}

/** Without a task only success can be seen: the bundle is active. */
async function watchOutcome(context: TellContext, telling: Telling, save: Save): Promise<void> {
  const { readerOf, clock, signal, store } = context;
  const until = telling.notice.started_time + OUTCOME_WAIT;
  for (;;) {
    signal.throwIfAborted();
    const known = await store.notices.find(telling.notice.id);
    if (known?.task) {
      telling.notice = { ...telling.notice, task: known.task };
      return watch(context, telling, save, () => undefined);
    }
    const outcome = await readerOf(telling.notice)
      .then((reader) => reader.outcome(telling.notice))
      .catch(() => null);
    if (outcome !== null) return save({ state: outcome, finished_time: clock.now() });
    if (clock.now() > until) {
      const error = 'The server does not say how it ended.';
      return save({ state: 'unknown', error, finished_time: clock.now() });
    }
    await clock.sleep(OUTCOME_STEP, signal);
  }
}

function withTrouble(reader: NoticeReader, report: (trouble: string) => void): NoticeReader {
  return {
    ...reader,
    getTask: async (args, options) => {
      try {
        const task = await reader.getTask(args, options);
        report('');
        return task;
      } catch (error) {
        if (isCallFailure(error)) report(`${error.message} Trying again.`);
        throw error;
      }
    },
  };
}

function phaseOf(line: string): number {
  if (/activated|listening on/i.test(line)) return 3;
  return /extracted|restor|install|render|launch|running/i.test(line) ? 2 : 1;
}

function liveOf(
  { clock, auditUrl }: TellContext,
  { notice, lines, diagnosis, trouble }: Telling,
): LiveDeploy {
  return {
    id: notice.id,
    title: notice.title,
    url: notice.url,
    bundle: notice.bundle,
    task: notice.task,
    who: notice.who,
    via: notice.via,
    state: notice.state,
    phase: notice.phase,
    elapsed: ((notice.finished_time ?? clock.now()) - notice.started_time) / 1000,
    lines,
    lineCount: notice.line_count,
    error: notice.error,
    trouble,
    diagnosis,
    auditUrl: notice.task === null ? null : (auditUrl?.replace('{task}', notice.task) ?? null),
  };
}
