// Mails to people of the server, and the administrators to notify of requests.
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Executor } from '../platform/database/storage.ts';
import type { Mailer } from '../platform/mailer.ts';
import { listUsers, type UserRow } from './store.ts';

/** Maximum people notified of a request. */
export const NOTIFIED = 20;

/** Unlocked administrators, the first 20. */
export async function listAdministrators(db: Executor): Promise<UserRow[]> {
  const filter = { roles: [['administrator']], statuses: [], activeSince: 0 };
  const { rows } = await listUsers(db, filter, { offset: 0, limit: 500, ascending: true });
  return rows.filter(({ locked }) => locked === 0).slice(0, NOTIFIED);
}

/** Milliseconds that a response waits for its mails: a mail server that does not respond takes minutes to fail. */
const WAIT_MS = 5000;

/** Resolves once they are sent, or before: then they are sent in the background. */
export async function sentInTime(sending: Promise<unknown>, limitMs = WAIT_MS): Promise<void> {
  await Promise.race([sending, delay(limitMs, undefined, { ref: false })]);
}

/** Skips people who are locked, or whose address is missing or may be somebody else's; failed mails are logged. */
export async function mailEach(
  { mailer, log }: { readonly mailer: Mailer | null; readonly log: Logger },
  users: readonly UserRow[],
  subject: string,
  text: string,
  limitMs = WAIT_MS,
): Promise<void> {
  if (!mailer) return;
  const reached = users.filter(
    ({ email, locked, confirmed }) => email !== '' && locked === 0 && confirmed === 1,
  );
  const sending = reached.map(({ email: to, username }) =>
    mailer
      .send({ to, subject, text })
      .catch((error: unknown) => log.warn(error, 'mailing %s: %s', username, subject)),
  );
  await sentInTime(Promise.all(sending), limitMs);
}
