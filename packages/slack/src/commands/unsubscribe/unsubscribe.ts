// `unsubscribe`: ends a subscription of this channel.
import type { Message } from '../../blocks/blocks.ts';
import { note } from '../../blocks/notes.ts';
import { inline } from '../../blocks/text.ts';
import { leaveReleases } from '../../deliver/releases/leave-releases.ts';
import { scopeKey, scopeOf } from '../../deliver/subscriptions/scopes.ts';
import type { Subscription } from '../../store/subscriptions.ts';
import type { Command, Run } from '../command.ts';
import { readReference } from '../line/content-reference.ts';
import { fold } from '../line/words.ts';
import { resolveContent } from '../shared/find-content.ts';
import { scopeFrom, SCOPES } from '../shared/scope.ts';
import { unsubscribeTexts } from './texts.ts';

export const unsubscribe: Command = {
  texts: unsubscribeTexts,
  syntax: {
    usage: 'unsubscribe <content>',
    examples: ['unsubscribe sales-report', 'unsubscribe --owner me'],
    subject: 'optional',
    options: SCOPES,
    instead: Object.keys(SCOPES),
  },
  account: 'own',
  async run(run) {
    const { services, invoker, texts } = run;
    const here = await services.store.subscriptions({ team: invoker.team, channel: invoker.channel });
    const found = await subscriptionOf(run, here);
    if (found === undefined) return note(texts.subscribe.notHere);
    if ('message' in found) return found.message;
    const { team, channel, content } = found;
    await services.store.removeSubscription(team, channel, content);
    await leaveReleases(services, found, scopeOf(found) === null ? content : null);
    return note(texts.subscribe.removed(inline(found.title)));
  },
};

async function subscriptionOf(
  run: Run,
  here: readonly Subscription[],
): Promise<Subscription | { message: Message } | undefined> {
  const { subject } = run.command;
  const scope = await scopeFrom(run);
  if (scope !== null)
    return 'message' in scope ? scope : here.find(({ content }) => content === scopeKey(scope));
  if (subject === '') return { message: note(run.texts.subscribe.nameIt) };
  // The content may have been deleted: subscriptions are searched first.
  const reference = readReference(subject);
  const known = here.find(
    ({ content, title }) =>
      content === subject ||
      (reference.kind === 'guid' ? content === reference.guid : fold(title) === fold(subject)),
  );
  if (known) return known;
  const resolved = await resolveContent(run);
  return 'message' in resolved ? resolved : here.find(({ content }) => content === resolved.content.guid);
}
