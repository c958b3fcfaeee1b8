// Checks whether a message exists already: an earlier attempt, or another bot, may have posted it.
import { slackFailure } from './slack-failure.ts';
import type { SlackPort } from './slack-port.ts';

/**
 * Its timestamp. Null also if the bot may not read the channel: then it is posted, rather than lost. @throws
 * SlackFailure
 */
export async function findEarlier(
  slack: SlackPort,
  where: Parameters<SlackPort['findPosted']>[0],
): Promise<string | null> {
  try {
    return await slack.findPosted(where);
  } catch (error) {
    if (slackFailure(error).kind !== 'refused') throw error;
    return null;
  }
}
