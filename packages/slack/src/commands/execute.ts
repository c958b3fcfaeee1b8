// Runs a typed command or button with the rights of that person, and responds.
import { setTimeout } from 'node:timers/promises';
import { failureMessage, note } from '../blocks/notes.ts';
import { refreshRelease } from '../deliver/releases/refresh-release.ts';
import { createReply, type Invoker, type Reply } from '../deliver/transport/reply.ts';
import { offerLink } from '../link/offer.ts';
import type { Services } from '../services.ts';
import type { Texts } from '../texts/en.ts';
import type { Command } from './command.ts';
import { problemMessage } from './help/blocks.ts';
import { isProblem, parseCommand } from './line/parse.ts';
import { commandLine, type ParsedCommand } from './line/parsed-command.ts';
import { COMMANDS } from './table.ts';

/** Milliseconds: Slack shows nothing until the response comes. */
const TIMEOUT = 9000;
/** Milliseconds after which a typed command says that it is being worked on. */
const PATIENCE = 3000;

export interface Invocation {
  readonly line: string;
  readonly invoker: Invoker;
  readonly responseUrl: string | null;
  /** Whether the response is for the whole channel. */
  readonly shared?: boolean;
  /** Whether it was typed, rather than a button. */
  readonly typed?: boolean;
  /** Pauses between attempts; for tests. */
  readonly wait?: (milliseconds: number) => Promise<unknown>;
}

/** Never rejects: failures are shown to the invoker and logged. */
export async function execute(services: Services, invocation: Invocation): Promise<void> {
  const { line, invoker, responseUrl, shared = false, typed = false, wait } = invocation;
  const { slack, log, command: name } = services;
  const reply = createReply({ slack, invoker, responseUrl, shared, typed, log, wait });
  // Only responses are shared: failures and offers are for the invoker.
  const own = shared ? createReply({ slack, invoker, responseUrl, log, wait }) : reply;
  // Shared responses are in the channel's language.
  const texts = shared
    ? await services.languages.ofChannel(invoker.team, invoker.channel, invoker.user)
    : await services.languages.ofPerson(invoker.team, invoker.user);
  const parsed = parseCommand(line, COMMANDS, texts);
  try {
    if (isProblem(parsed)) return await reply.respond(problemMessage(name, parsed, texts));
    await run(services, COMMANDS[parsed.name], parsed, invocation, { reply, own, texts });
  } catch (error) {
    const doing = line.trim();
    log.warn({ err: error, line: doing }, 'a command failed');
    const message = failureMessage(error, texts.failure.command(`${name} ${doing}`), texts);
    // Slack may be too old for some blocks: the text says the same.
    await own
      .replace(message)
      .catch(() => own.respond(note(message.text)))
      .catch((second: unknown) => log.warn({ err: second }, 'a failure could not be shown'));
    // Buttons name content by its GUID.
    if (!isProblem(parsed)) await refreshRelease(services, invoker, parsed.subject, error);
  }
}

async function run(
  services: Services,
  definition: Command,
  command: ParsedCommand,
  { invoker, responseUrl }: Invocation,
  { reply, own, texts }: { readonly reply: Reply; readonly own: Reply; readonly texts: Texts },
): Promise<void> {
  const base = {
    services,
    commands: COMMANDS,
    command,
    invoker,
    reply,
    texts,
    responseUrl,
    signal: AbortSignal.timeout(definition.timeout ?? TIMEOUT),
    share: commandLine(command),
  };
  if (definition.account === 'none') {
    const message = await definition.run(base);
    if (message !== null) await reply.respond(message);
    return;
  }
  const linked = await services.clients.ofLink(invoker.team, invoker.user);
  const asGuest =
    definition.account === 'any' && services.unlinked.includes(command.name) && invoker.isOutsider !== true;
  const client = linked?.client ?? (asGuest ? services.clients.guest : null);
  if (client === null)
    return own.respond(
      await offerLink(services, invoker, texts, { line: commandLine(command), responseUrl }),
    );
  const message = await withProgress(reply, texts, () => definition.run({ ...base, client }));
  if (message !== null) await reply.replace(message);
}

/** The response replaces what is said meanwhile. */
async function withProgress<T>(reply: Reply, texts: Texts, work: () => Promise<T>): Promise<T> {
  const done = new AbortController();
  const saying = setTimeout(PATIENCE, undefined, { signal: done.signal })
    .then(async () => {
      if (reply.progressLeft > 0) await reply.replace(note(texts.failure.working));
    })
    // It is done, or Slack is away: the response follows.
    .catch(() => undefined);
  try {
    return await work();
  } finally {
    done.abort();
    await saying;
  }
}
