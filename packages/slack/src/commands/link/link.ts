// `link`: offers to link the Slack user to an account.
import { offerLink } from '../../link/offer.ts';
import type { Command } from '../command.ts';

export const link: Command = {
  syntax: {
    usage: 'link',
    examples: ['link'],
    subject: 'none',
    options: {},
  },
  account: 'none',
  run: ({ services, asker, responseUrl, texts }) => offerLink(services, asker, texts, '', responseUrl),
};
