// Buttons that are answered with a message for whoever pressed, at once or after linking.
import type { Message } from '../blocks/blocks.ts';
import { failureMessage } from '../blocks/notes.ts';
import { createReply, type Asker } from '../deliver/reply.ts';
import { readClick } from '../link/offer.ts';
import type { Services } from '../services.ts';
import { redeploy } from './deploy/redeploy.ts';
import { noticeLogs, sendLogFile } from './logs/clicks.ts';
import { confirmRollback, rollbackAsMessage } from './rollback/clicks.ts';
import { lockOrUnlock } from './user/lock.ts';

type Answer = (services: Services, asker: Asker, value: string) => Promise<Message>;

export const ANSWERS: Readonly<Record<string, { answer: Answer; doing: string }>> = {
  'notice:logs': { answer: noticeLogs, doing: 'Reading the log' },
  'notice:redeploy': { answer: redeploy, doing: 'The redeploy' },
  'rollback:confirm': {
    answer: (services, asker, key) => confirmRollback(services, asker, key),
    doing: 'The rollback',
  },
  'logs:file': { answer: sendLogFile, doing: 'Sending the log' },
  lock: { answer: lockOrUnlock, doing: 'Locking or unlocking the account' },
};

/** After linking there is no window to open: the question of a rollback comes as a message. */
const AFTER_LINKING: typeof ANSWERS = {
  ...ANSWERS,
  'notice:rollback': { answer: rollbackAsMessage, doing: 'The rollback' },
};

/** Goes on with a button that waited until its presser was linked. */
export async function answerPending(
  services: Services,
  asker: Asker,
  line: string,
  responseUrl: string | null,
): Promise<void> {
  const { action, value } = readClick(line);
  const known = AFTER_LINKING[action];
  if (known === undefined) return;
  const reply = createReply({ slack: services.slack, asker, responseUrl, log: services.log });
  try {
    await reply.answer(await known.answer(services, asker, value));
  } catch (error) {
    services.log.warn({ err: error }, 'a click failed');
    await reply.answer(failureMessage(error, known.doing));
  }
}
