// What `subscriptions` shows.
import { button, section, type AnyBlock, type Message } from '../../blocks/blocks.ts';
import { fit } from '../../blocks/fit.ts';
import { count, inline } from '../../blocks/text.ts';

export interface SubscriptionView {
  readonly guid: string;
  readonly title: string;
  readonly filters: readonly string[];
  readonly quiet: string | null;
  readonly zone: string;
  readonly by: string;
}

/** @param command as Slack knows it, such as `/pressroom` */
export function subscriptionsMessage(subscriptions: readonly SubscriptionView[], command: string): Message {
  const rows = subscriptions.map(({ guid, title, filters, quiet, zone, by }, i): AnyBlock =>
    section(
      `*${inline(title, 100)}* · ${inline(filters.join(', '))}${quiet === null ? '' : ` · quiet hours ${inline(quiet)} ${inline(zone)}`} · added by ${inline(by)}`,
      button(`unsubscribe:${i}`, 'Unsubscribe', guid),
    ),
  );
  return fit({
    text: `This channel has ${count(subscriptions.length, 'subscription')}`,
    blocks: [
      section(
        subscriptions.length === 0
          ? `This channel has no subscriptions. To add one, type \`${command} subscribe &lt;content&gt;\`.`
          : `This channel has ${count(subscriptions.length, 'subscription')}`,
      ),
      ...rows,
    ],
  });
}
