// Posts messages of a deploy in a channel: the live message, the result in its thread, and the log as a file.
import type { Message } from '../../blocks/blocks.ts';
import { note } from '../../blocks/notes.ts';
import type { Texts } from '../../texts/en.ts';
import { heldUntil } from '../releases/held-until.ts';
import { isEnded } from '../releases/releases.ts';
import { findEarlier } from '../transport/find-earlier.ts';
import { retryCall } from '../transport/retry-call.ts';
import { slackFailure, SlackFailure } from '../transport/slack-failure.ts';
import type { Mark } from '../transport/slack-port.ts';
import { isFailure, liveOf, type AnnounceContext, type Announcement, type Save } from './announcement.ts';
import { liveMessage, resultMessage } from './blocks.ts';

/** Milliseconds between looks whether the message of a release is posted. */
const RELEASE_PAUSE = 100;
/** Milliseconds until plans are tried again in a workspace that refused them. */
const PLANS_AGAIN = 24 * 3_600_000;
/** The log is optional: it must not use up Slack's rate limits. */
const UPLOAD_TRIES = 4;
/** Maximum bytes. */
const LOG_FILE = 1_000_000;

/** With a plan of its steps, unless the workspace refused one recently. */
export async function showLive<T>(
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
    // Stored now that the plan is known to be the reason.
    await store.saveCursor(key, String(clock.now()));
    return sent;
  }
}

/** Posts once: before a retry, checks whether an earlier attempt succeeded. False if the channel is gone. */
export async function postDeploy(
  context: AnnounceContext,
  announcement: Announcement,
  save: Save,
  recovering: boolean,
): Promise<boolean> {
  const { slack, poster } = context;
  const { team, channel, id, created_time: oldest } = announcement.notice;
  if (announcement.notice.ts !== null) return true;
  const mark: Mark = { notice: id, part: 'live' };
  let thread = announcement.notice.thread ?? (await threadOfRelease(context, announcement));
  return retryCall({ ...context, inTurn: true }, recovering, async (again, plain) => {
    const place = { team, channel, mark, ...(thread !== null && { thread }) };
    try {
      await poster.turn(channel, 0, oldest, async () => {
        const found = again ? await findEarlier(slack, { ...place, oldest }) : null;
        if (found !== null) return save({ ts: found, thread });
        const { state } = announcement.notice;
        const ts = await showLive(context, announcement, plain, (message) =>
          slack.post({ ...place, message }),
        );
        await save({ ts, thread, edited_state: state });
      });
    } catch (error) {
      const { word } = slackFailure(error);
      if (word !== 'thread_not_found' || thread === null) throw error;
      // The release's message was deleted: the next attempt posts separately.
      thread = null;
      throw new SlackFailure('unknown', word, 0, error);
    }
  });
}

/** The thread of this bundle's unfinished release in the channel, which is posted first; null otherwise. */
async function threadOfRelease(
  { store, clock, signal }: AnnounceContext,
  { notice: { team, channel, content, bundle, reader, only_failures } }: Announcement,
): Promise<string | null> {
  if (bundle === null) return null;
  const release = { team, channel, content, bundle };
  const message = JSON.stringify({ release });
  for (;;) {
    const found = await store.releases.find(release);
    if (found === null || isEnded(found.steps)) return null;
    if (found.release.ts !== null) return found.release.thread ?? found.release.ts;
    const now = clock.now();
    // A failure in quiet hours does not wait for them to end.
    if (only_failures === 1 || (await heldUntil({ store }, release, reader, now)) > now) return null;
    if (!(await store.outbox.has({ channel, message }))) return null;
    await clock.sleep(RELEASE_PAUSE, signal);
  }
}

/** Posts the result once. */
export async function postResult(
  context: AnnounceContext,
  announcement: Announcement,
  save: Save,
  recovering: boolean,
): Promise<void> {
  const { slack, poster } = context;
  const { team, channel, id, ts, created_time: oldest, result_ts } = announcement.notice;
  if (result_ts !== null) return;
  const mark: Mark = { notice: id, part: 'result' };
  await retryCall({ ...context, inTurn: true }, recovering, async (again, plain) => {
    const thread = announcement.notice.thread ?? ts!;
    await poster.turn(channel, 1, oldest, async () => {
      const found = again ? await findEarlier(slack, { team, channel, mark, oldest, thread }) : null;
      if (found !== null) return save({ result_ts: found });
      const whole = resultMessage(liveOf(context, announcement), announcement.texts);
      const message = plain ? note(whole.text) : whole;
      const broadcast = isFailure(announcement.notice);
      await save({ result_ts: await slack.post({ team, channel, mark, thread, broadcast, message }) });
    });
  });
}

export async function attachLog(
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
    await retryCall(bounded, recovering, async (again) => {
      const thread = notice.thread ?? ts!;
      if (again && (await slack.hasFile({ team, channel, thread, name }))) return;
      await poster.turn(channel, 2, notice.created_time, () =>
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

/** The complete output, or its end if it is long. */
export function logFile(output: readonly string[], { live }: Texts): Buffer {
  const bytes = Buffer.from(`${output.join('\n')}\n`);
  if (bytes.length <= LOG_FILE) return bytes;
  const end = bytes.subarray(-LOG_FILE);
  return Buffer.concat([Buffer.from(`${live.logBeginning}\n`), end.subarray(end.indexOf('\n') + 1)]);
}
