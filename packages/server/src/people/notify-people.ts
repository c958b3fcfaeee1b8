// Mails to people of the server, and the administrators who are told of what waits for one.
import type { Logger } from 'pino';
import type { Executor } from '../platform/database/storage.ts';
import type { Mailer } from '../platform/mailer.ts';
import { listUsers, type UserRow } from './store.ts';

/** As many as are told of a request. */
export const NOTIFIED = 20;

/** Those who are not locked, the first 20. */
export async function listAdministrators(db: Executor): Promise<UserRow[]> {
  const filter = { roles: [['administrator']], statuses: [], activeSince: 0 };
  const { rows } = await listUsers(db, filter, { offset: 0, limit: 500, ascending: true });
  return rows.filter(({ locked }) => locked === 0).slice(0, NOTIFIED);
}

/** Whoever has an address and is not locked; a mail that fails is logged. */
export async function mailEach(
  { mailer, log }: { readonly mailer: Mailer | null; readonly log: Logger },
  users: readonly UserRow[],
  subject: string,
  text: string,
): Promise<void> {
  if (!mailer) return;
  const reached = users.filter(({ email, locked }) => email !== '' && locked === 0);
  await Promise.all(
    reached.map(({ email: to, username }) =>
      mailer
        .send({ to, subject, text })
        .catch((error: unknown) => log.warn(error, 'mailing %s about a request', username)),
    ),
  );
}
