// Messages with blocks that Slack may not support.
import type { Message } from '../../blocks/blocks.ts';
import { note } from '../../blocks/notes.ts';
import { slackFailure } from './slack-failure.ts';

/** Sends it; if Slack refuses its blocks, without pictures, and finally as text, which says the same. */
export async function sendWithFallback(
  message: Message,
  send: (message: Message) => Promise<void>,
): Promise<void> {
  try {
    await send(message);
  } catch (error) {
    if (slackFailure(error).kind !== 'refused') throw error;
    const blocks = message.blocks.filter(({ type }) => type !== 'image');
    if (blocks.length < message.blocks.length) return sendWithFallback({ ...message, blocks }, send);
    await send(note(message.text));
  }
}
