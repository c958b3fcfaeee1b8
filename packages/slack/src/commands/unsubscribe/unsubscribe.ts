// `unsubscribe`: ends the subscription of this channel to a content item.
import { note } from '../../blocks/notes.ts';
import { inline } from '../../blocks/text.ts';
import type { Command } from '../command.ts';
import { readReference } from '../line/content-reference.ts';
import { fold } from '../line/words.ts';
import { resolveContent } from '../shared/find-content.ts';
import { unsubscribeTexts } from './texts.ts';

export const unsubscribe: Command = {
  texts: unsubscribeTexts,
  syntax: {
    usage: 'unsubscribe <content>',
    examples: ['unsubscribe sales-report'],
    subject: 'required',
    options: {},
  },
  account: 'own',
  async run(run) {
    const { services, asker, command, texts } = run;
    // The content may have been deleted: subscriptions are searched first.
    const reference = readReference(command.subject);
    const here = await services.store.subscriptions({ team: asker.team, channel: asker.channel });
    const wanted = fold(command.subject);
    let found = here.find(
      ({ content, title }) =>
        content === command.subject ||
        (reference.kind === 'guid' ? content === reference.guid : fold(title) === wanted),
    );
    if (!found) {
      const resolved = await resolveContent(run);
      if ('message' in resolved) return resolved.message;
      found = here.find(({ content }) => content === resolved.content.guid);
    }
    if (!found) return note(texts.subscribe.notHere);
    await services.store.removeSubscription(asker.team, asker.channel, found.content);
    return note(texts.subscribe.removed(inline(found.title)));
  },
};
