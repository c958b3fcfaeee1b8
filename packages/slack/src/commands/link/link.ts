// `link`: offers to link the Slack user to an account.
import { inline } from '../../blocks/text.ts';
import { offerLink } from '../../link/offer.ts';
import type { Command } from '../command.ts';
import { linkTexts } from './texts.ts';

export const link: Command = {
  texts: linkTexts,
  syntax: {
    usage: 'link',
    examples: ['link'],
    subject: 'none',
    options: {},
  },
  account: 'none',
  async run({ services, invoker, responseUrl, texts }) {
    const linked = await services.clients.ofLink(invoker.team, invoker.user);
    const why = linked === null ? undefined : texts.link.again(inline(linked.link.username));
    return offerLink(services, invoker, texts, { responseUrl, why });
  },
};
