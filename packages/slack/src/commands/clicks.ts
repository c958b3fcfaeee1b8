// Buttons answered with a message to the person who pressed, at once or after linking.
import type { Message } from '../blocks/blocks.ts';
import { failureMessage } from '../blocks/notes.ts';
import { createReply, type Invoker } from '../deliver/transport/reply.ts';
import { keepUnused } from '../deliver/unused/ask-about-unused.ts';
import { clickLine, NotLinked, offerLink, readClick } from '../link/offer.ts';
import type { Services } from '../services.ts';
import type { Texts } from '../texts/en.ts';
import { redeploy } from './deploy/redeploy.ts';
import { cancelStep, deployStep } from './deploy/step.ts';
import { noticeLogs, sendLogFile } from './logs/clicks.ts';
import { answerRequest } from './requests/clicks.ts';
import { confirmRollback, rollbackAsMessage } from './rollback/clicks.ts';
import { lockOrUnlock } from './user/lock.ts';

type ClickHandler = (
  services: Services,
  invoker: Invoker,
  value: string,
  texts: Texts,
) => Promise<Message | null>;
/** The subject of a failure, such as `The rollback`. */
type Doing = (failure: Texts['failure']) => string;

export interface ClickRow {
  readonly respond: ClickHandler;
  readonly doing: Doing;
}

/** A button that somebody pressed. */
export interface Click {
  readonly invoker: Invoker;
  readonly action: string;
  readonly value: string;
  readonly responseUrl: string | null;
}

export const CLICK_HANDLERS: Readonly<Record<string, ClickRow>> = {
  'notice:logs': { respond: noticeLogs, doing: ({ readLog }) => readLog },
  'notice:redeploy': { respond: redeploy, doing: ({ redeploy }) => redeploy },
  'rollback:confirm': { respond: confirmRollback, doing: ({ rollback }) => rollback },
  'logs:file': { respond: sendLogFile, doing: ({ sendLog }) => sendLog },
  lock: { respond: lockOrUnlock, doing: ({ lockAccount }) => lockAccount },
  'request:grant': {
    respond: answerRequest({ decision: 'grant', role: 'viewer' }),
    doing: ({ grantAccess }) => grantAccess,
  },
  'request:collaborate': {
    respond: answerRequest({ decision: 'grant', role: 'owner' }),
    doing: ({ grantAccess }) => grantAccess,
  },
  'request:decline': {
    respond: answerRequest({ decision: 'decline' }),
    doing: ({ declineAccess }) => declineAccess,
  },
  'unused:keep': { respond: keepUnused, doing: ({ keep }) => keep },
  'step:deploy': { respond: deployStep, doing: ({ redeploy: doing }) => doing },
  'step:cancel': { respond: cancelStep, doing: ({ redeploy: doing }) => doing },
};

/** After linking no modal can be opened: the rollback's question is a message. */
const AFTER_LINKING: typeof CLICK_HANDLERS = {
  ...CLICK_HANDLERS,
  'notice:rollback': { respond: rollbackAsMessage, doing: ({ rollback }) => rollback },
};

/** Acts with the rights of the presser, and replies, also with a failure or an offer to link. */
export async function answerClick(
  services: Services,
  { invoker, action, value, responseUrl }: Click,
  { respond, doing }: ClickRow,
): Promise<void> {
  const texts = await services.languages.ofPerson(invoker.team, invoker.user);
  const reply = createReply({ slack: services.slack, invoker, responseUrl, log: services.log });
  try {
    const message = await respond(services, invoker, value, texts);
    if (message !== null) await reply.respond(message);
  } catch (error) {
    if (!(error instanceof NotLinked)) services.log.warn({ err: error }, 'a click failed');
    const message =
      error instanceof NotLinked
        ? await offerLink(services, invoker, texts, { line: clickLine(action, value), responseUrl })
        : failureMessage(error, doing(texts.failure), texts);
    await reply
      .respond(message)
      .catch((second: unknown) => services.log.warn({ err: second }, 'a failure could not be shown'));
  }
}

/** Continues with a button that waited for its presser to be linked. */
export async function answerPending(
  services: Services,
  invoker: Invoker,
  line: string,
  responseUrl: string | null,
): Promise<void> {
  const { action, value } = readClick(line);
  const row = AFTER_LINKING[action];
  if (row !== undefined) await answerClick(services, { invoker, action, value, responseUrl }, row);
}
