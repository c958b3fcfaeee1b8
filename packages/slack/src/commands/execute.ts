// A line somebody typed or pressed → an answer: parsed, done with that person's rights, told within ten seconds.
import { commandLine, isProblem, parseCommand, type Command } from './line/parse.ts';
import { COMMAND_NAMES, shapeOf, type CommandName } from './table.ts';
import { nearest } from './line/nearest.ts';
import { helpFor, helpList, problemMessage } from './help/blocks.ts';
import { failureMessage, note } from '../blocks/notes.ts';
import { linkNeeded } from './user/blocks.ts';
import type { Asker } from '../link/content-clients.ts';
import { createReply, type Reply } from '../deliver/reply.ts';
import type { Runner, Services } from './shared/find-content.ts';
import { audit } from './audit/audit.ts';
import { deploy, logs, rollback } from './logs/logs.ts';
import { user } from './user/user.ts';
import { deploys, status, who } from './status/status.ts';
import { subscribe, subscriptions, unsubscribe } from './subscribe/subscribe.ts';
import { usage } from './usage/usage.ts';

const RUNNERS: Partial<Record<CommandName, Runner>> = {
  status,
  deploys,
  deploy,
  rollback,
  logs,
  usage,
  user,
  who,
  subscribe,
  unsubscribe,
  subscriptions,
  audit,
};

/** Milliseconds; what shows its progress may take longer. */
const PATIENCE = 9000;
const LONG_PATIENCE = 10 * 60_000;

export interface Asked {
  readonly line: string;
  readonly asker: Asker;
  readonly responseUrl: string | null;
  /** To be answered for the whole channel. */
  readonly shared?: boolean;
  /** Somebody typed it, rather than pressing a button. */
  readonly typed?: boolean;
}

/** Never rejects: what goes wrong is told to the asker, and logged when it is ours. */
export async function execute(services: Services, asked: Asked): Promise<void> {
  const { asker, responseUrl, shared = false, typed = false } = asked;
  const reply = createReply({
    slack: services.slack,
    asker,
    responseUrl,
    shared,
    typed,
    log: services.log,
  });
  const parsed = parseCommand(asked.line);
  try {
    if (isProblem(parsed)) return await reply.answer(problemMessage(services.command, parsed));
    await run(services, parsed, asked, reply);
  } catch (error) {
    const doing = isProblem(parsed) ? asked.line : commandLine(parsed);
    services.log.warn({ err: error, line: doing }, 'a command failed');
    await reply.replace(failureMessage(error, `${services.command} ${doing}`)).catch((second: unknown) => {
      services.log.warn({ err: second }, 'a failure could not be told');
    });
  }
}

async function run(services: Services, command: Command, asked: Asked, reply: Reply): Promise<void> {
  const { asker, responseUrl } = asked;
  if (command.name === 'help') return reply.answer(help(services, command.subject));
  if (command.name === 'unlink') {
    const had = await services.store.removeLink(asker.team, asker.user);
    services.clients.forget(asker.team, asker.user);
    return reply.answer(
      note(had ? 'Your API key is forgotten. Revoke it on the server, too.' : 'You were not linked.'),
    );
  }
  const linked = await services.clients.ofLink(asker.team, asker.user);
  const allowed = services.unlinked.includes(command.name) && shapeOf(command.name).changes !== true;
  const client = linked?.client ?? (allowed ? services.clients.guest : null);
  if (command.name === 'link' || client === null) {
    const line = command.name === 'link' ? '' : commandLine(command);
    const { team, user: slack_user, channel } = asker;
    const pending = await services.store.addPending({
      team,
      slack_user,
      channel,
      line,
      response_url: responseUrl ?? '',
    });
    return reply.answer(linkNeeded(pending));
  }
  const patience = command.name === 'usage' ? LONG_PATIENCE : PATIENCE;
  const message = await RUNNERS[command.name]!({
    services,
    command,
    asker,
    client,
    reply,
    responseUrl,
    signal: AbortSignal.timeout(patience),
    share: commandLine(command),
  });
  if (message !== null) await reply.replace(message);
}

function help(services: Services, subject: string) {
  if (subject === '') return helpList(services.command);
  const name = subject.toLowerCase();
  if ((COMMAND_NAMES as string[]).includes(name)) return helpFor(services.command, name as CommandName);
  const suggestions = nearest(name, COMMAND_NAMES).map((candidate) => `help ${candidate}`);
  return problemMessage(services.command, {
    problem: `There is no command “${subject}”.`,
    command: null,
    suggestions,
  });
}
