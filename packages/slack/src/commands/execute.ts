// A line somebody typed or pressed → an answer, with the rights of that person.
import { failureMessage } from '../blocks/notes.ts';
import { createReply, type Asker, type Reply } from '../deliver/reply.ts';
import { offerLink } from '../link/offer.ts';
import type { Services } from '../services.ts';
import type { Command } from './command.ts';
import { problemMessage } from './help/blocks.ts';
import { isProblem, parseCommand } from './line/parse.ts';
import { commandLine, type ParsedCommand } from './line/parsed-command.ts';
import { COMMANDS } from './table.ts';

/** Milliseconds: Slack shows nothing until the answer comes. */
const TIMEOUT = 9000;

export interface Invocation {
  readonly line: string;
  readonly asker: Asker;
  readonly responseUrl: string | null;
  /** Answered for the whole channel. */
  readonly shared?: boolean;
  /** Typed, rather than from a button. */
  readonly typed?: boolean;
}

/** Never rejects: failures are shown to the asker and logged. */
export async function execute(services: Services, invocation: Invocation): Promise<void> {
  const { line, asker, responseUrl, shared = false, typed = false } = invocation;
  const { slack, log, command: name } = services;
  const reply = createReply({ slack, asker, responseUrl, shared, typed, log });
  const parsed = parseCommand(line, COMMANDS);
  try {
    if (isProblem(parsed)) return await reply.answer(problemMessage(name, parsed));
    await run(services, COMMANDS[parsed.name], parsed, invocation, reply);
  } catch (error) {
    const doing = isProblem(parsed) ? line : commandLine(parsed);
    log.warn({ err: error, line: doing }, 'a command failed');
    await reply.replace(failureMessage(error, `${name} ${doing}`)).catch((second: unknown) => {
      log.warn({ err: second }, 'a failure could not be shown');
    });
  }
}

async function run(
  services: Services,
  definition: Command,
  command: ParsedCommand,
  { asker, responseUrl }: Invocation,
  reply: Reply,
): Promise<void> {
  const base = {
    services,
    commands: COMMANDS,
    command,
    asker,
    reply,
    responseUrl,
    signal: AbortSignal.timeout(definition.timeout ?? TIMEOUT),
    share: commandLine(command),
  };
  if (definition.account === 'none') {
    const message = await definition.run(base);
    if (message !== null) await reply.answer(message);
    return;
  }
  const linked = await services.clients.ofLink(asker.team, asker.user);
  const asGuest = definition.account === 'any' && services.unlinked.includes(command.name);
  const client = linked?.client ?? (asGuest ? services.clients.guest : null);
  if (client === null)
    return reply.answer(await offerLink(services, asker, commandLine(command), responseUrl));
  const message = await definition.run({ ...base, client });
  if (message !== null) await reply.replace(message);
}
