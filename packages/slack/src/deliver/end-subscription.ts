// A subscription belongs to a person: it ends when they lose access to the content, and the channel is informed.
import { note } from '../blocks/notes.ts';
import { inline } from '../blocks/text.ts';
import type { Services } from '../services.ts';
import type { Subscription } from '../store/subscriptions.ts';
import { slackFailure } from './slack-failure.ts';
import type { Texts } from '../texts/en.ts';

/** @param why such as `Pia can no longer see it`, in the channel's language */
export async function endSubscription(
  { store, slack, languages, log }: Pick<Services, 'store' | 'slack' | 'languages' | 'log'>,
  { team, channel, content, title }: Pick<Subscription, 'team' | 'channel' | 'content' | 'title'>,
  why: (texts: Texts) => string,
): Promise<void> {
  if (!(await store.removeSubscription(team, channel, content))) return;
  const texts = await languages.ofChannel(team, channel);
  const message = note(texts.subscribe.ended(inline(title), why(texts)));
  try {
    await slack.post({ team, channel, message });
  } catch (error) {
    log.warn(
      { word: slackFailure(error).word, channel },
      'a channel could not be told that a subscription ended',
    );
  }
}

/** Why a subscription ended after its owner lost access. */
export function lostAccess(name: string): (texts: Texts) => string {
  return ({ subscribe }) => subscribe.lostAccess(inline(name));
}
