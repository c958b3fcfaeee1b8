// Responds when too much is queued: nothing was started, try again.
import type { Logger } from 'pino';
import { note } from '../../blocks/notes.ts';
import type { Languages } from '../../texts/languages.ts';
import { createReply, type Invoker } from './reply.ts';
import type { SlackPort } from './slack-port.ts';

/** Maximum concurrent responses: beyond, there are none, so that a flood cannot queue up here instead. */
const AT_ONCE = 50;

export type ReportBusy = (invoker: Invoker, responseUrl: string | null) => void;

export function createBusy({
  slack,
  languages,
  log,
}: {
  slack: SlackPort;
  languages: Languages;
  log: Logger;
}): ReportBusy {
  let telling = 0;
  return (invoker, responseUrl) => {
    if (telling >= AT_ONCE) return;
    telling += 1;
    languages
      .ofPerson(invoker.team, invoker.user)
      .then(({ failure }) => createReply({ slack, invoker, responseUrl, log }).respond(note(failure.busy)))
      .catch((error: unknown) => log.warn({ err: error }, 'that the bot is busy could not be told'))
      .finally(() => (telling -= 1));
  };
}
