// Buttons answered with a message to the person who pressed, at once or after linking.
import type { Message } from '../blocks/blocks.ts';
import { failureMessage } from '../blocks/notes.ts';
import { createReply, type Invoker } from '../deliver/transport/reply.ts';
import { keepUnused } from '../deliver/unused/ask-about-unused.ts';
import { readClick } from '../link/offer.ts';
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

export const CLICK_HANDLERS: Readonly<Record<string, { respond: ClickHandler; doing: Doing }>> = {
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

/** Continues with a button that waited for its presser to be linked. */
export async function answerPending(
  services: Services,
  invoker: Invoker,
  line: string,
  responseUrl: string | null,
): Promise<void> {
  const { action, value } = readClick(line);
  const known = AFTER_LINKING[action];
  if (known === undefined) return;
  const texts = await services.languages.ofPerson(invoker.team, invoker.user);
  const reply = createReply({ slack: services.slack, invoker, responseUrl, log: services.log });
  try {
    const message = await known.respond(services, invoker, value, texts);
    if (message !== null) await reply.respond(message);
  } catch (error) {
    services.log.warn({ err: error }, 'a click failed');
    await reply.respond(failureMessage(error, known.doing(texts.failure), texts));
  }
}
