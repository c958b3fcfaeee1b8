// Buttons answered with a message to the person who pressed, at once or after linking.
import type { Message } from '../blocks/blocks.ts';
import { failureMessage } from '../blocks/notes.ts';
import { createReply, type Asker } from '../deliver/transport/reply.ts';
import { keepUnused } from '../deliver/unused/ask-about-unused.ts';
import { readClick } from '../link/offer.ts';
import type { Services } from '../services.ts';
import { redeploy } from './deploy/redeploy.ts';
import { cancelStep, deployStep } from './deploy/step.ts';
import { noticeLogs, sendLogFile } from './logs/clicks.ts';
import { answerRequest } from './requests/clicks.ts';
import { confirmRollback, rollbackAsMessage } from './rollback/clicks.ts';
import { lockOrUnlock } from './user/lock.ts';
import type { Texts } from '../texts/en.ts';

type Answer = (services: Services, asker: Asker, value: string, texts: Texts) => Promise<Message | null>;
/** The subject of a failure, such as `The rollback`. */
type Doing = (failure: Texts['failure']) => string;

export const ANSWERS: Readonly<Record<string, { answer: Answer; doing: Doing }>> = {
  'notice:logs': { answer: noticeLogs, doing: ({ readLog }) => readLog },
  'notice:redeploy': { answer: redeploy, doing: ({ redeploy }) => redeploy },
  'rollback:confirm': {
    answer: (services, asker, key, texts) => confirmRollback(services, asker, key, texts),
    doing: ({ rollback }) => rollback,
  },
  'logs:file': { answer: sendLogFile, doing: ({ sendLog }) => sendLog },
  lock: { answer: lockOrUnlock, doing: ({ lockAccount }) => lockAccount },
  'request:grant': {
    answer: answerRequest({ decision: 'grant', role: 'viewer' }),
    doing: ({ grantAccess }) => grantAccess,
  },
  'request:collaborate': {
    answer: answerRequest({ decision: 'grant', role: 'owner' }),
    doing: ({ grantAccess }) => grantAccess,
  },
  'request:decline': {
    answer: answerRequest({ decision: 'decline' }),
    doing: ({ declineAccess }) => declineAccess,
  },
  'unused:keep': { answer: keepUnused, doing: ({ keep }) => keep },
  'step:deploy': { answer: deployStep, doing: ({ redeploy: doing }) => doing },
  'step:cancel': { answer: cancelStep, doing: ({ redeploy: doing }) => doing },
};

/** After linking no modal can be opened: the rollback's question is a message. */
const AFTER_LINKING: typeof ANSWERS = {
  ...ANSWERS,
  'notice:rollback': { answer: rollbackAsMessage, doing: ({ rollback }) => rollback },
};

/** Continues with a button that waited for its presser to be linked. */
export async function answerPending(
  services: Services,
  asker: Asker,
  line: string,
  responseUrl: string | null,
): Promise<void> {
  const { action, value } = readClick(line);
  const known = AFTER_LINKING[action];
  if (known === undefined) return;
  const texts = await services.languages.ofPerson(asker.team, asker.user);
  const reply = createReply({ slack: services.slack, asker, responseUrl, log: services.log });
  try {
    const message = await known.answer(services, asker, value, texts);
    if (message !== null) await reply.answer(message);
  } catch (error) {
    services.log.warn({ err: error }, 'a click failed');
    await reply.answer(failureMessage(error, known.doing(texts.failure), texts));
  }
}
