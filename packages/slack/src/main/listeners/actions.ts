// Buttons and menus: acknowledge, find out who pressed what, do it with that person's rights.
import type { App, BlockAction, StaticSelectAction } from '@slack/bolt';
import { commandLine, isProblem, parseCommand } from '../../commands/line/parse.ts';
import {
  lock,
  logFile,
  noticeLogs,
  NotLinked,
  offerLink,
  redeploy,
  rollback,
  rollbackQuestion,
} from '../../commands/shared/deploy-once.ts';
import type { Asker } from '../../link/content-clients.ts';
import { execute } from '../../commands/execute.ts';
import { createReply } from '../../deliver/reply.ts';
import type { Services } from '../../commands/shared/find-content.ts';
import type { Message } from '../../blocks/blocks.ts';
import { failureMessage, note } from '../../blocks/notes.ts';
import { linkModal } from '../../commands/user/blocks.ts';
import { askerOf, valueOf, type ListenerContext } from './context.ts';

type Answer = (services: Services, asker: Asker, value: string) => Promise<Message>;

/** Buttons that are answered with a message for whoever pressed. */
const ANSWERS: Readonly<Record<string, { answer: Answer; doing: string }>> = {
  'notice:logs': { answer: noticeLogs, doing: 'Reading the log' },
  'notice:redeploy': { answer: redeploy, doing: 'The redeploy' },
  'rollback:confirm': { answer: rollback, doing: 'The rollback' },
  'logs:file': { answer: logFile, doing: 'Sending the log' },
  lock: { answer: lock, doing: 'That' },
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

  // What opens a window cannot wait: its trigger holds for three seconds.
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
      // In the home tab there is no channel: the answer goes to the direct messages.
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
      .catch((second: unknown) => services.log.warn({ err: second }, 'a failure could not be told'));
  }
}

function runLine(services: Services, body: BlockAction, line: string, shared = false): Promise<void> {
  const asker = askerOf(body);
  const home = asker.channel === '';
  // In the home tab there is no channel: the answer goes to the direct messages.
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
  const parsed = pending ? parseCommand(pending.line) : null;
  if (!parsed || isProblem(parsed) || guid === undefined) {
    const reply = createReply({ slack: services.slack, asker, responseUrl, log: services.log });
    return reply.answer(note('That choice is not open any more: type the command again.'));
  }
  return execute(services, { line: commandLine({ ...parsed, subject: guid }), asker, responseUrl });
}
