// Messages of `subscriptions`.
import { button, section, type AnyBlock, type Message } from '../../blocks/blocks.ts';
import { fit } from '../../blocks/fit.ts';
import { inline } from '../../blocks/text.ts';
import type { Texts } from '../../texts/en.ts';
import { filterWords } from '../shared/filter-words.ts';

export interface SubscriptionView {
  readonly guid: string;
  readonly title: string;
  readonly filters: readonly string[];
  readonly quiet: string | null;
  readonly zone: string;
  readonly by: string;
}

/** @param command slash command, such as `/pressroom` */
export function subscriptionsMessage(
  subscriptions: readonly SubscriptionView[],
  command: string,
  texts: Texts,
): Message {
  const { buttons, subscribe } = texts;
  const rows = subscriptions.map(({ guid, title, filters, quiet, zone, by }, i): AnyBlock =>
    section(
      subscribe.row(
        inline(title, 100),
        inline(filterWords(filters, texts)),
        quiet === null ? null : `${inline(quiet)} ${inline(zone)}`,
        inline(by),
      ),
      button(`unsubscribe:${i}`, buttons.unsubscribe, guid),
    ),
  );
  return fit({
    text: subscribe.list(subscriptions.length),
    blocks: [
      section(
        subscriptions.length === 0
          ? subscribe.emptyList(`${command} subscribe &lt;content&gt;`)
          : subscribe.list(subscriptions.length),
      ),
      ...rows,
    ],
  });
}
