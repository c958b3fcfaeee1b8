// One deploy in one channel: post, follow the task, edit, reply with the result and the full log.
import { type ClientClock, isCallFailure } from '@pressroom/api/client';
import type { TaskStageName } from '@pressroom/api/contract';
import { diagnose, type Diagnosis, type TaskReader, watchTask } from '@pressroom/api/publish';
import type { Logger } from 'pino';
import type { Message } from '../blocks/blocks.ts';
import { note } from '../blocks/notes.ts';
import type { Notice } from '../store/notices.ts';
import type { Store } from '../store/store.ts';
import { liveMessage, resultMessage, type LiveDeploy } from './blocks.ts';
import type { Editor } from './editor.ts';
import type { Poster } from './poster.ts';
import { slackFailure, type SlackFailureKind } from './slack-failure.ts';
import type { Mark, SlackPort } from './slack-port.ts';
import type { Texts } from '../texts/en.ts';

export interface AnnouncerOptions {
  readonly store: Store;
  readonly slack: SlackPort;
  /** Reads the task of a notice with the rights of the person the channel sees it through. */
  readonly readerOf: (notice: Notice) => NoticeReader;
  /** In which language the channel reads. */
  readonly textsOf: (notice: Notice) => Promise<Texts>;
  /** The audit log, with `{task}` in its place; null for no link. */
  readonly auditUrl: string | null;
  readonly clock: ClientClock;
  readonly log: Logger;
  /** Edits a minute in a workspace. */
  readonly budget: number;
  readonly onEdit?: (result: 'done' | 'busy' | 'failed' | 'gone') => void;
  readonly onEnd?: (notice: Notice, deploy: LiveDeploy) => void;
  /** Told that the person a channel sees a deploy through may not see it any more. */
  readonly onLost: (notice: Notice) => Promise<void>;
}

export interface NoticeReader extends TaskReader {
  /** Whether the person may see the content now. @throws when the content server does not tell */
  maySee(): Promise<boolean>;
  /** Whether the last answer about the task left out what the person may not read. */
  readonly isHidden: boolean;
  /** When a deploy began and ended, by the clock of the server, in milliseconds; null where it does not tell. */
  times(notice: Notice): Promise<{ started_time: number; finished_time: number } | null>;
  /** How a deploy without a known task ended; null while that is unknown. */
  outcome(notice: Notice): Promise<'succeeded' | null>;
}

export interface AnnounceContext extends AnnouncerOptions {
  readonly editor: Editor;
  readonly poster: Poster;
  readonly signal: AbortSignal;
}

/** Milliseconds after which a workspace that refused a plan is sent one again. */
const PLANS_AGAIN = 24 * 3_600_000;
/** Lines of output that are kept. */
const LINES_KEPT = 40;
/** Milliseconds: a live message is edited at least this often, for its elapsed time. */
const TICK = 15_000;
/** How often in a row the content server may fail before the end of a deploy counts as unknown: about ten minutes. */
const PATIENCE = 45;
const LONGEST_DELAY = 30_000;
/** Milliseconds that Slack may be away, or a token invalid, before a message is given up. */
const SLACK_PATIENCE = 24 * 3_600_000;
/** The same for an error that nobody knows, and for what Slack refuses until somebody changes the app or the workspace. */
const PATIENCE_WITH: Partial<Record<SlackFailureKind, number>> = {
  unknown: 3_600_000,
  refused: 15 * 60_000,
};
/** The log is a convenience: it does not use up what Slack allows the other messages. */
const UPLOAD_TRIES = 4;
/** Bytes. */
const LOG_FILE = 1_000_000;
/** Milliseconds to wait for the end of a deploy without a known task. */
const OUTCOME_WAIT = 15 * 60_000;
const OUTCOME_STEP = 5000;

interface Announcement {
  notice: Notice;
  readonly reader: NoticeReader;
  readonly texts: Texts;
  lines: string[];
  diagnosis: Diagnosis | null;
  trouble: string;
}

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
  const posted = quiet ? Promise.resolve(true) : post(context, announcement, save, recovering);
  const ended =
    announcement.notice.state === 'running' ? watch(context, announcement, save, touch) : Promise.resolve();
  const ticking = new AbortController();
  void tick(context, AbortSignal.any([signal, ticking.signal]), touch);
  try {
    const [isPosted] = await Promise.all([posted, ended]);
    // Hours may have passed: what follows is posted only for somebody who still may see it.
    const isSeen = await maySee(context, announcement);
    if (!isSeen) await forget(context, announcement, save);
    const wanted =
      quiet && isSeen && announcement.notice.state === 'failed'
        ? await post(context, announcement, save, recovering)
        : isPosted;
    onEnd?.(announcement.notice, liveOf(context, announcement));
    if (!wanted || announcement.notice.ts === null) return await save({ file_done: 1 });
    if (announcement.notice.edited_state !== announcement.notice.state) {
      await editor.final(editOf(context, announcement, save));
      signal.throwIfAborted();
    }
    if (!isSeen) return await save({ file_done: 1 });
    // A success is its message alone, unless Slack does not let it be edited any more.
    const { state, edited_state } = announcement.notice;
    if (state !== 'succeeded' || edited_state !== state) await reply(context, announcement, save, recovering);
    if (state !== 'succeeded') await attachLog(context, announcement, recovering);
    await save({ file_done: 1 });
  } finally {
    ticking.abort();
  }
}

/** The content server is asked until it tells; when it stays silent, the answer is no. */
async function maySee({ clock, signal }: AnnounceContext, { reader }: Announcement): Promise<boolean> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await reader.maySee();
    } catch (error) {
      signal.throwIfAborted();
      if (!isCallFailure(error) || failures > PATIENCE) return false;
      await clock.sleep(Math.min(500 * 2 ** failures, LONGEST_DELAY), signal);
    }
  }
}

/** Ends a notice for a channel that may not see it any more: nothing is left of it but that. */
async function forget(context: AnnounceContext, announcement: Announcement, save: Save): Promise<void> {
  announcement.lines = [];
  announcement.diagnosis = null;
  await save({ state: 'unknown', error: '', cause: null, last_lines: '[]', line_count: 0 });
  await context.onLost(announcement.notice);
}

type Save = (changes: Partial<Notice>) => Promise<void>;

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

/** With a plan of its steps, unless the workspace refused one lately. */
async function showLive<T>(
  context: AnnounceContext,
  announcement: Announcement,
  plain: boolean,
  send: (message: Message) => Promise<T>,
): Promise<T> {
  const { store, clock } = context;
  const { team, state } = announcement.notice;
  const live = liveOf(context, announcement);
  const key = `plans/${team}`;
  const refused = Number((await store.readCursor(key)) ?? -Infinity);
  const plans = !plain && state === 'running' && clock.now() - refused > PLANS_AGAIN;
  const message = liveMessage({ ...live, plans }, announcement.texts);
  try {
    return await send(plain ? note(message.text) : message);
  } catch (error) {
    if (!plans || !slackFailure(error).word.startsWith('invalid_blocks')) throw error;
    const sent = await send(liveMessage(live, announcement.texts));
    // Only now is it known that the plan was what Slack refused.
    await store.saveCursor(key, String(clock.now()));
    return sent;
  }
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

/** Posts once: before each retry it looks whether an earlier try arrived. False when the channel is gone. */
async function post(
  context: AnnounceContext,
  announcement: Announcement,
  save: Save,
  recovering: boolean,
): Promise<boolean> {
  const { slack, poster } = context;
  const { team, channel, id, created_time: oldest } = announcement.notice;
  if (announcement.notice.ts !== null) return true;
  const mark: Mark = { notice: id, part: 'live' };
  return persistently(context, recovering, async (again, plain) => {
    const found = again ? await slack.findPosted({ team, channel, mark, oldest }) : null;
    if (found !== null) return save({ ts: found });
    await poster.turn(channel, 0, async () => {
      const { state } = announcement.notice;
      const ts = await showLive(context, announcement, plain, (message) =>
        slack.post({ team, channel, mark, message }),
      );
      await save({ ts, edited_state: state });
    });
  });
}

async function reply(
  context: AnnounceContext,
  announcement: Announcement,
  save: Save,
  recovering: boolean,
): Promise<void> {
  const { slack, poster } = context;
  const { team, channel, id, ts, created_time: oldest, state, result_ts } = announcement.notice;
  if (result_ts !== null) return;
  const mark: Mark = { notice: id, part: 'result' };
  await persistently(context, recovering, async (again, plain) => {
    const thread = ts!;
    const found = again ? await slack.findPosted({ team, channel, mark, oldest, thread }) : null;
    if (found !== null) return save({ result_ts: found });
    await poster.turn(channel, 1, async () => {
      const whole = resultMessage(liveOf(context, announcement), announcement.texts);
      const message = plain ? note(whole.text) : whole;
      const broadcast = state === 'failed';
      await save({ result_ts: await slack.post({ team, channel, mark, thread, broadcast, message }) });
    });
  });
}

async function attachLog(
  context: AnnounceContext,
  announcement: Announcement,
  recovering: boolean,
): Promise<void> {
  const { slack, poster, log } = context;
  const { notice, reader } = announcement;
  const { team, channel, ts, task } = notice;
  const bounded = { ...context, tries: UPLOAD_TRIES };
  if (task === null || notice.line_count === 0) return;
  const name = `deploy-${task}.log`;
  try {
    const { output } = await reader.getTask({ id: task, first: 0, wait: 0 });
    if (reader.isHidden) return;
    await persistently(bounded, recovering, async (again) => {
      const thread = ts!;
      if (again && (await slack.hasFile({ team, channel, thread, name }))) return;
      await poster.turn(channel, 2, () =>
        slack.upload({
          team,
          channel,
          thread,
          name,
          title: name,
          bytes: logFile(output, announcement.texts),
        }),
      );
    });
  } catch (error) {
    context.signal.throwIfAborted();
    log.warn({ err: error, notice: notice.id }, 'attaching the log of a deploy failed');
  }
}

/**
 * Retries with growing pauses until it works, Slack refuses for good, or it has taken too long. `again` means that an
 * earlier try may have worked, `plain` that Slack refuses the blocks.
 */
async function persistently(
  { clock, signal, log, tries = Infinity }: AnnounceContext & { readonly tries?: number },
  recovering: boolean,
  work: (again: boolean, plain: boolean) => Promise<unknown>,
): Promise<boolean> {
  let again = recovering;
  const began = clock.now();
  let busy = 0;
  let plain = false;
  for (let failures = 1; ; failures += 1) {
    signal.throwIfAborted();
    try {
      await work(again, plain);
      return true;
    } catch (error) {
      signal.throwIfAborted();
      const failure = slackFailure(error);
      const patience = PATIENCE_WITH[failure.kind] ?? SLACK_PATIENCE;
      // To wait as long as Slack says is no failure.
      busy += failure.kind === 'busy' ? 1 : 0;
      const isOver = failures - busy >= tries || clock.now() - began > patience;
      // Blocks that Slack refuses may be too new for it: their text says the same.
      if (failure.kind === 'refused' && !plain && !isOver) {
        plain = true;
        continue;
      }
      if (failure.kind === 'gone' || isOver) {
        log.warn({ word: failure.word, failures }, 'Slack did not take a notice');
        return false;
      }
      // After a clear refusal nothing has arrived: no need to look.
      again ||= failure.kind === 'down' || failure.kind === 'unknown';
      const pause = failure.kind === 'busy' ? failure.retryAfter : 500 * 2 ** Math.min(failures, 7);
      await clock.sleep(Math.min(pause, LONGEST_DELAY) * (0.75 + clock.random() / 2), signal);
    }
  }
}

/** The whole output, or its end where that is long. */
export function logFile(output: readonly string[], { live }: Texts): Buffer {
  const bytes = Buffer.from(`${output.join('\n')}\n`);
  if (bytes.length <= LOG_FILE) return bytes;
  const end = bytes.subarray(-LOG_FILE);
  return Buffer.concat([Buffer.from(`${live.logBeginning}\n`), end.subarray(end.indexOf('\n') + 1)]);
}

async function watch(
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
    // What was shown before the right was lost goes, too.
    if (reader.isHidden) announcement.lines = [];
    if (announcement.trouble === trouble) return;
    announcement.trouble = trouble;
    touch();
  });
  announcement.lines = [];
  for await (const event of watchTask(noticing, task, { signal, clock, patience: PATIENCE })) {
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
      touch();
      continue;
    }
    const failed = event.type === 'finished' && event.code !== 0;
    if (failed && !reader.isHidden)
      announcement.diagnosis = await diagnosed(reader, task, announcement.lines);
    await save({
      state: event.type === 'unknown' ? 'unknown' : failed ? 'failed' : 'succeeded',
      code: event.type === 'finished' ? event.code : 0,
      error: event.type === 'finished' ? event.error : event.reason,
      cause: announcement.diagnosis === null ? null : JSON.stringify(announcement.diagnosis),
      last_lines: JSON.stringify(announcement.lines),
      line_count: reader.isHidden ? 0 : notice.line_count,
      phase: notice.phase,
      finished_time: clock.now(),
      // The bot may have been away, or have heard of it late.
      ...(event.type === 'finished' && (await reader.times(notice).catch(() => null))),
    });
  }
}

/** From the whole output, or the last lines where that cannot be read again. */
async function diagnosed(
  reader: NoticeReader,
  task: string,
  lines: readonly string[],
): Promise<Diagnosis | null> {
  const whole = await reader.getTask({ id: task, first: 0, wait: 0 }).catch(() => null);
  return diagnose(whole?.output ?? lines);
}

/** Without a task only success can be seen: the bundle becomes active. */
async function watchOutcome(context: AnnounceContext, announcement: Announcement, save: Save): Promise<void> {
  const { clock, signal, store } = context;
  const until = announcement.notice.started_time + OUTCOME_WAIT;
  for (;;) {
    signal.throwIfAborted();
    const known = await store.notices.find(announcement.notice.id);
    if (known?.task) {
      announcement.notice = { ...announcement.notice, task: known.task };
      return watch(context, announcement, save, () => undefined);
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
        if (isCallFailure(error)) report(texts.live.retrying(error.message));
        throw error;
      }
    },
  };
}

/** Of the phases in a live message. */
const PHASE_OF: Readonly<Record<TaskStageName, number>> = {
  extract: 1,
  restore: 2,
  render: 2,
  start: 2,
  activate: 3,
};

function liveOf(
  { clock, auditUrl }: AnnounceContext,
  { notice, lines, diagnosis, trouble }: Announcement,
): LiveDeploy {
  return {
    id: notice.id,
    content: notice.content,
    title: notice.title,
    url: notice.url,
    bundle: notice.bundle,
    previous: notice.previous,
    task: notice.task,
    who: notice.who,
    via: notice.via,
    starter: notice.slack_user,
    state: notice.state,
    phase: notice.phase,
    elapsed: ((notice.finished_time ?? clock.now()) - notice.started_time) / 1000,
    lines,
    lineCount: notice.line_count,
    error: notice.error,
    trouble,
    diagnosis,
    plans: false,
    auditUrl: notice.task === null ? null : (auditUrl?.replace('{task}', notice.task) ?? null),
  };
}
