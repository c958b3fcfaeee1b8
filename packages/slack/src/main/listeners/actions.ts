// Buttons and menus: acknowledges, then acts with the rights of whoever pressed.
import type { App, BlockAction, StaticSelectAction } from '@slack/bolt';
import type { Message } from '../../blocks/blocks.ts';
import { failureMessage, note } from '../../blocks/notes.ts';
import { redeploy } from '../../commands/deploy/redeploy.ts';
import { execute } from '../../commands/execute.ts';
import { isProblem, parseCommand } from '../../commands/line/parse.ts';
import { commandLine } from '../../commands/line/parsed-command.ts';
import { noticeLogs, sendLogFile } from '../../commands/logs/clicks.ts';
import { confirmRollback, rollbackQuestion } from '../../commands/rollback/clicks.ts';
import { COMMANDS } from '../../commands/table.ts';
import { lockOrUnlock } from '../../commands/user/lock.ts';
import { createReply, type Asker } from '../../deliver/reply.ts';
import { linkModal } from '../../link/blocks.ts';
import { NotLinked, offerLink } from '../../link/offer.ts';
import type { Services } from '../../services.ts';
import { askerOf, valueOf, type ListenerContext } from './context.ts';

type Answer = (services: Services, asker: Asker, value: string) => Promise<Message>;

/** Buttons that are answered with a message for whoever pressed. */
const ANSWERS: Readonly<Record<string, { answer: Answer; doing: string }>> = {
  'notice:logs': { answer: noticeLogs, doing: 'Reading the log' },
  'notice:redeploy': { answer: redeploy, doing: 'The redeploy' },
  'rollback:confirm': { answer: confirmRollback, doing: 'The rollback' },
  'logs:file': { answer: sendLogFile, doing: 'Sending the log' },
  lock: { answer: lockOrUnlock, doing: 'Locking or unlocking the account' },
};

export function listenToActions(app: App, context: ListenerContext): void {
  const { services, queue } = context;

  for (const [action, { answer, doing }] of Object.entries(ANSWERS)) {
    app.action<BlockAction>(action, async ({ ack, body }) => {
      await ack();
      queue.add(() => answerClick(services, body, doing, answer));
    });
  }

  app.action<BlockAction>(/^unsubscribe:/, async ({ ack, body }) => {
    await ack();
    queue.add(() => runLine(services, body, `unsubscribe ${valueOf(body)}`));
  });
  app.action<BlockAction>(/^run:/, async ({ ack, body }) => {
    await ack();
    queue.add(() => runLine(services, body, valueOf(body)));
  });
  app.action<BlockAction>('share', async ({ ack, body }) => {
    await ack();
    queue.add(() => runLine(services, body, valueOf(body), true));
  });
  app.action('open', async ({ ack }) => ack());

  app.action<BlockAction<StaticSelectAction>>('pick', async ({ ack, body }) => {
    await ack();
    queue.add(() => pick(services, body));
  });

  // Opening a modal cannot wait: its trigger is valid for three seconds.
  app.action<BlockAction>('link', async ({ ack, body, client }) => {
    await ack();
    await answerClick(services, body, 'Linking', async (_services, _asker, value) => {
      const view = linkModal(services.clients.server, value.slice(0, 100));
      await client.views.open({ trigger_id: body.trigger_id, view });
      return null;
    });
  });
  app.action<BlockAction>('link:browser', async ({ ack, body }) => {
    await ack();
    const asker = askerOf(body);
    context.links.begin({
      // The home tab has no channel: the answer goes to the direct messages.
      asker: asker.channel === '' ? { ...asker, channel: asker.user } : asker,
      workspace: body.team?.domain ?? asker.team,
      pending: valueOf(body),
      responseUrl: body.response_url ?? null,
    });
  });
  app.action<BlockAction>('notice:rollback', async ({ ack, body, client }) => {
    await ack();
    await answerClick(services, body, 'The rollback', async (_services, asker, value) => {
      const question = await rollbackQuestion(services, asker, value, body.response_url ?? null);
      if ('message' in question) return question.message;
      await client.views.open({ trigger_id: body.trigger_id, view: question.modal });
      return null;
    });
  });
}

async function answerClick(
  services: Services,
  body: BlockAction,
  doing: string,
  answer: (...args: Parameters<Answer>) => Promise<Message | null>,
): Promise<void> {
  const asker = askerOf(body);
  const reply = createReply({
    slack: services.slack,
    asker,
    responseUrl: body.response_url ?? null,
    log: services.log,
  });
  try {
    const message = await answer(services, asker, valueOf(body));
    if (message !== null) await reply.answer(message);
  } catch (error) {
    if (!(error instanceof NotLinked)) services.log.warn({ err: error }, 'a click failed');
    const message =
      error instanceof NotLinked ? await offerLink(services, asker) : failureMessage(error, doing);
    await reply
      .answer(message)
      .catch((second: unknown) => services.log.warn({ err: second }, 'a failure could not be shown'));
  }
}

function runLine(services: Services, body: BlockAction, line: string, shared = false): Promise<void> {
  const asker = askerOf(body);
  const home = asker.channel === '';
  // The home tab has no channel: the answer goes to the direct messages.
  return execute(services, {
    line,
    asker: home ? { ...asker, channel: asker.user } : asker,
    responseUrl: body.response_url ?? null,
    shared,
  });
}

async function pick(services: Services, body: BlockAction<StaticSelectAction>): Promise<void> {
  const asker = askerOf(body);
  const [action] = body.actions;
  const guid = action?.selected_option?.value;
  const pending = await services.store.takePending(
    action?.block_id.replace(/^pick:/, '') ?? '',
    asker.team,
    asker.user,
  );
  const responseUrl = body.response_url ?? null;
  const parsed = pending ? parseCommand(pending.line, COMMANDS) : null;
  if (!parsed || isProblem(parsed) || guid === undefined) {
    const reply = createReply({ slack: services.slack, asker, responseUrl, log: services.log });
    return reply.answer(note('This choice has expired. Type the command again.'));
  }
  return execute(services, { line: commandLine({ ...parsed, subject: guid }), asker, responseUrl });
}
