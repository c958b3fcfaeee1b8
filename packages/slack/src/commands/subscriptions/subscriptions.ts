// `subscriptions`: lists the channel's subscriptions.
import type { Command } from '../command.ts';
import { subscriptionsMessage } from './blocks.ts';
import { subscriptionsTexts } from './texts.ts';

export const subscriptions: Command = {
  texts: subscriptionsTexts,
  syntax: {
    usage: 'subscriptions',
    examples: ['subscriptions'],
    subject: 'none',
    options: {},
  },
  account: 'any',
  async run({ services, invoker: { team, channel }, texts }) {
    const found = await services.store.subscriptions({ team, channel });
    return subscriptionsMessage(
      found.map(({ content, title, filters, quiet, zone, slack_name }) => ({
        guid: content,
        title,
        filters: filters.split(','),
        quiet,
        zone,
        by: slack_name,
      })),
      services.command,
      texts,
    );
  },
};
