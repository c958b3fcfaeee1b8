// Submitted modals: an API key for linking, and the confirmation of a rollback.
import type { App, SlackViewAction } from '@slack/bolt';
import { failureMessage } from '../../blocks/notes.ts';
import { confirmRollback } from '../../commands/rollback/clicks.ts';
import { createReply } from '../../deliver/transport/reply.ts';
import { publishHome } from '../../home/home.ts';
import { resumePending, tryLink } from '../../link/linking.ts';
import { clickLine, NotLinked, offerLink } from '../../link/offer.ts';
import type { ListenerContext } from './context.ts';

/** The workspace that installed the app: people of others submit windows from channels shared with them. */
function teamOf({ team, user, view }: SlackViewAction): string {
  return view.app_installed_team_id ?? team?.id ?? user.team_id ?? '';
}

export function listenToViews(app: App, { services, queue }: ListenerContext): void {
  app.view('link', async ({ ack, body, view }) => {
    const key = view.state.values['key']?.['key']?.value ?? '';
    const invoker = {
      team: teamOf(body),
      user: body.user.id,
      name: body.user.name ?? body.user.id,
      channel: '',
    };
    const texts = await services.languages.ofPerson(invoker.team, invoker.user);
    const result = await tryLink(services, invoker, key, texts);
    if ('problem' in result) return ack({ response_action: 'errors', errors: { key: result.problem } });
    await ack();
    queue.add(async () => {
      if (view.private_metadata === 'home') await publishHome(services, invoker);
      else await resumePending(services, invoker, view.private_metadata, result.user);
    }, invoker);
    return undefined;
  });

  app.view('rollback', async ({ ack, body, view }) => {
    await ack();
    const person = { team: teamOf(body), user: body.user.id, name: body.user.name ?? body.user.id };
    queue.add(async () => {
      const { key, channel, response_url } = JSON.parse(view.private_metadata) as {
        key: string;
        channel: string;
        response_url: string | null;
      };
      const invoker = { ...person, channel };
      const texts = await services.languages.ofPerson(invoker.team, invoker.user);
      const reply = createReply({
        slack: services.slack,
        invoker,
        responseUrl: response_url,
        log: services.log,
      });
      try {
        const field = view.state.values['bundle']?.['bundle'];
        const chosen = /^\d{1,15}$/.exec(field?.selected_option?.value ?? field?.value ?? '')?.[0] ?? null;
        await reply.respond(await confirmRollback(services, invoker, key, texts, chosen));
      } catch (error) {
        const unlinked = error instanceof NotLinked;
        await reply.respond(
          unlinked
            ? await offerLink(services, invoker, texts, {
                line: clickLine('rollback:confirm', key),
                responseUrl: response_url,
              })
            : failureMessage(error, texts.failure.rollback, texts),
        );
      }
    }, person);
  });
}
