// Confirms e-mail addresses by a mailed link, if a mail server is configured.
import { errors } from '@pressroom/api/contract';
import type { Logger } from 'pino';
import type { Clock } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { Mailer } from '../platform/mailer.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import { findUser, updateUserRow, type UserRow } from './store.ts';

interface Parts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly log: Logger;
  readonly secrets: Secrets;
  readonly mailer: Mailer | null;
}

const PURPOSE = 'confirm-email';
/** Lifetime of the link: a week. */
const LIFETIME = 7 * 86_400_000_000;

interface Ticket {
  guid: string;
  email: string;
}

/** Mails the link to an unconfirmed user; without a mail server nothing is to be confirmed. */
export async function sendConfirmation(
  { mailer, secrets, clock, log }: Pick<Parts, 'clock' | 'log' | 'secrets' | 'mailer'>,
  user: UserRow,
  base: string,
) {
  if (!mailer || user.confirmed === 1 || user.email === '') return;
  const ticket: Ticket = { guid: user.guid, email: user.email };
  const link = `${base}/__confirm__?ticket=${secrets.sign(ticket, PURPOSE, clock.now() + LIFETIME)}`;
  const text = `An account named ${user.username} was made for you.\n\nConfirm this address: ${link}\n`;
  try {
    await mailer.send({ to: user.email, subject: 'Confirm your account', text });
  } catch (error) {
    // The account exists; changing its address sends another mail.
    log.error(error, 'confirmation mail for user %s', user.guid);
  }
}

/** @throws ApiError 101 for a link that is forged, expired, or for a previous address; 42 if confirmed already. */
export async function confirmUser(
  { storage, secrets, clock }: Pick<Parts, 'storage' | 'clock' | 'secrets'>,
  ticket: string,
): Promise<void> {
  const found = secrets.verify<Ticket>(ticket, PURPOSE, clock.now());
  if (!found) throw errors.invalidPasswordToken({ message: 'this link has expired' });
  await storage.write(async (tx) => {
    const user = await findUser(tx, found.guid);
    if (!user || user.email !== found.email)
      throw errors.invalidPasswordToken({ message: 'this link has expired' });
    if (user.confirmed === 1) throw errors.userAlreadyConfirmed();
    await updateUserRow(tx, user.guid, { confirmed: 1 });
  });
}
