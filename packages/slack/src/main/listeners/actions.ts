// Buttons and menus: acknowledges, then acts with the rights of the presser.
import type { App, BlockAction, MessageShortcut, StaticSelectAction } from '@slack/bolt';
import { note, textModal } from '../../blocks/notes.ts';
import { answerClick, CLICK_HANDLERS, type Click } from '../../commands/clicks.ts';
import { execute } from '../../commands/execute.ts';
import { guidIn } from '../../commands/line/content-reference.ts';
import { isProblem, parseCommand } from '../../commands/line/parse.ts';
import { commandLine } from '../../commands/line/parsed-command.ts';
import { rollbackAsMessage } from '../../commands/rollback/clicks.ts';
import { rollbackTexts } from '../../commands/rollback/texts.ts';
import { COMMANDS } from '../../commands/table.ts';
import { createReply } from '../../deliver/transport/reply.ts';
import { linkModal, linkNeeded } from '../../link/blocks.ts';
import { clientOf } from '../../link/offer.ts';
import type { Services } from '../../services.ts';
import { actionOf, invokerOf, valueOf, type ListenerContext } from './context.ts';
import { fillRollback, openWindow } from './windows.ts';

export function listenToActions(app: App, context: ListenerContext): void {
  const { services, queue } = context;
  const take = (body: BlockAction, work: () => Promise<void>) =>
    context.take(invokerOf(body), body.response_url ?? null, work);

  for (const [action, row] of Object.entries(CLICK_HANDLERS)) {
    app.action<BlockAction>(action, async ({ ack, body }) => {
      await ack();
      take(body, () => answerClick(services, clickOf(body), row));
    });
  }

  app.action<BlockAction>(/^unsubscribe:/, async ({ ack, body }) => {
    await ack();
    take(body, () => runLine(services, body, `unsubscribe ${valueOf(body)}`));
  });
  app.action<BlockAction>(/^run:/, async ({ ack, body }) => {
    await ack();
    take(body, async () => {
      if (actionOf(body) === 'run:deploy' && (await isDoubleClick(services, body))) return;
      await runLine(services, body, valueOf(body));
    });
  });
  app.action<BlockAction>('share', async ({ ack, body }) => {
    await ack();
    take(body, () => runLine(services, body, valueOf(body), true));
  });
  app.action('open', async ({ ack }) => ack());

  app.action<BlockAction<StaticSelectAction>>('pick', async ({ ack, body }) => {
    await ack();
    take(body, () => pick(services, body));
  });

  // The message shortcut: the status of its content.
  app.shortcut<MessageShortcut>('status_of_message', async ({ ack, shortcut }) => {
    await ack();
    const { message, response_url: responseUrl } = shortcut;
    const invoker = invokerOf(shortcut);
    context.take(invoker, responseUrl, async () => {
      const content = await contentOfMessage(services, invoker.team, message as unknown as Loose);
      if (content !== null) return execute(services, { line: `status ${content}`, invoker, responseUrl });
      const reply = createReply({ slack: services.slack, invoker, responseUrl, log: services.log });
      const { failure } = await services.languages.ofPerson(invoker.team, invoker.user);
      return reply.respond(note(failure.noContentInMessage));
    });
  });

  // Opening a modal cannot wait: the trigger expires after three seconds.
  app.action<BlockAction>('link', async ({ ack, body, client }) => {
    await ack();
    await answerClick(services, clickOf(body), {
      doing: ({ link }) => link,
      async respond(_services, _invoker, value, texts) {
        const pending = value.slice(0, 100);
        const view = linkModal(services.clients.server, pending, services.command, texts);
        const opened = await openWindow(services, client, body.trigger_id, view);
        return opened === null ? linkNeeded(pending, texts, texts.link.noWindow) : null;
      },
    });
  });
  app.action<BlockAction>('link:browser', async ({ ack, body }) => {
    await ack();
    const invoker = invokerOf(body);
    context.links.begin({
      invoker,
      workspace: body.team?.domain ?? invoker.team,
      pending: valueOf(body),
      responseUrl: body.response_url ?? null,
    });
  });
  app.action<BlockAction>('notice:rollback', async ({ ack, body, client }) => {
    await ack();
    await answerClick(services, clickOf(body), {
      doing: ({ rollback }) => rollback,
      async respond(_services, invoker, value, texts) {
        await clientOf(services, invoker);
        // The trigger expires after three seconds, but the content server may be slower: the modal is filled later.
        const view = textModal(texts.buttons.rollBack, rollbackTexts(texts).looking, texts);
        const id = await openWindow(services, client, body.trigger_id, view);
        if (id === null) return rollbackAsMessage(services, invoker, value, texts);
        const responseUrl = body.response_url ?? null;
        queue.add(
          () => fillRollback(services, client, { id, invoker, notice: value, responseUrl, texts }),
          invoker,
        );
        return null;
      },
    });
  });
}

/** Milliseconds within which another press of the same button by the same person is the same press. */
const DOUBLE_CLICK = 3000;

async function isDoubleClick({ store, now }: Services, body: BlockAction): Promise<boolean> {
  const { team, user, name, channel } = invokerOf(body);
  const key = `${team}/${channel}/${body.message?.['ts'] ?? ''}/${user}/${valueOf(body)}`;
  const before = await store.claimClick(key, user, name);
  if (before === null) return false;
  // The clock may have been set back.
  if (Math.abs(now() - before.time) < DOUBLE_CLICK) return true;
  await store.releaseClick(key);
  return (await store.claimClick(key, user, name)) !== null;
}

type Loose = Readonly<Record<string, unknown>>;

/** The GUID of the content of an announced deploy, or of one linked in a message, or else the link; null for none. */
async function contentOfMessage(services: Services, team: string, message: Loose): Promise<string | null> {
  const metadata = message['metadata'] as { event_payload?: { notice?: unknown } } | undefined;
  const id = metadata?.event_payload?.notice;
  const notice = typeof id === 'string' ? await services.store.notices.find(id) : null;
  if (notice?.team === team) return notice.content;
  const { server } = services.clients;
  const text = JSON.stringify([message['text'], message['blocks']]);
  const links = text.match(/https?:\/\/[^\s"<>|\\]+/g) ?? [];
  const onServer = links.filter((link) => link.startsWith(`${server}/`));
  const guidOf = (all: readonly string[]) => all.map(guidIn).find((guid) => guid !== null) ?? null;
  // Content may have a custom path, or an address of its own.
  return guidOf(onServer) ?? onServer[0] ?? guidOf(links);
}

function clickOf(body: BlockAction): Click {
  const responseUrl = body.response_url ?? null;
  return { invoker: invokerOf(body), action: actionOf(body), value: valueOf(body), responseUrl };
}

function runLine(services: Services, body: BlockAction, line: string, shared = false): Promise<void> {
  const invoker = invokerOf(body);
  return execute(services, {
    line,
    invoker,
    responseUrl: body.response_url ?? null,
    shared,
  });
}

async function pick(services: Services, body: BlockAction<StaticSelectAction>): Promise<void> {
  const invoker = invokerOf(body);
  const [action] = body.actions;
  const guid = action?.selected_option?.value;
  const pending = await services.store.takePending(
    action?.block_id.replace(/^pick:/, '') ?? '',
    invoker.team,
    invoker.user,
  );
  const responseUrl = body.response_url ?? null;
  const texts = await services.languages.ofPerson(invoker.team, invoker.user);
  const parsed = pending ? parseCommand(pending.line, COMMANDS, texts) : null;
  if (!parsed || isProblem(parsed) || guid === undefined) {
    const reply = createReply({ slack: services.slack, invoker, responseUrl, log: services.log });
    return reply.respond(note(texts.failure.expiredChoice));
  }
  return execute(services, { line: commandLine({ ...parsed, subject: guid }), invoker, responseUrl });
}
