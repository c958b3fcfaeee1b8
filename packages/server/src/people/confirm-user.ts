// Confirms e-mail addresses by a mailed link, if a mail server is configured.
import { errors } from '@pressroom/api/contract';
import type { Logger } from 'pino';
import type { Audit } from '../audit/record.ts';
import type { Clock } from '../platform/clock.ts';
import type { Executor, Storage } from '../platform/database/storage.ts';
import type { Mailer } from '../platform/mailer.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import { spend } from '../sign-in/store.ts';
import { actorOf } from '../sign-in/visit.ts';
import { findUser, updateUserRow, type UserRow } from './store.ts';

interface Parts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly log: Logger;
  readonly audit: Audit;
  readonly secrets: Secrets;
  readonly mailer: Mailer | null;
}

const PURPOSE = 'confirm-email';
/** Lifetime of the link: a week. */
const LIFETIME = 7 * 86_400_000_000;
/** Links mailed at the request of an account's owner per hour, so that nobody can flood a mailbox. */
const MAILS_AN_HOUR = 3;
const HOUR = 3_600_000_000;

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
  const why =
    user.active_time === null
      ? `An account named ${user.username} was made for you.`
      : `The account ${user.username} was given this address. If it is not yours, do nothing.`;
  const text = `${why}\n\nConfirm this address: ${link}\n`;
  try {
    await mailer.send({ to: user.email, subject: 'Confirm your account', text });
  } catch (error) {
    // The account exists; changing its address sends another mail.
    log.error(error, 'confirmation mail for user %s', user.guid);
  }
}

/** Counts a link that the owner of an account has mailed to an address of their choice. @throws ApiError 21 */
export async function countConfirmation(
  { clock }: Pick<Parts, 'clock'>,
  tx: Executor,
  guid: string,
): Promise<void> {
  const now = clock.now();
  for (let i = 0; i < MAILS_AN_HOUR; i += 1)
    if (await spend(tx, `confirmation ${guid} ${i}`, now, now + HOUR)) return;
  throw errors.changeDenied({
    message: `your address can be changed ${MAILS_AN_HOUR} times an hour: try again later`,
  });
}

/**
 * The account whose address a link confirms.
 * @throws ApiError 101 for a link that is forged, expired, or for a previous address; 42 if confirmed already.
 */
export async function userToConfirm(
  db: Executor,
  { secrets, clock }: Pick<Parts, 'clock' | 'secrets'>,
  ticket: string,
): Promise<UserRow> {
  const found = secrets.verify<Ticket>(ticket, PURPOSE, clock.now());
  const user = found && (await findUser(db, found.guid));
  if (!user || user.email !== found.email)
    throw errors.invalidPasswordToken({ message: 'this link has expired' });
  if (user.confirmed === 1) throw errors.userAlreadyConfirmed();
  return user;
}

/** @throws as userToConfirm does */
export async function confirmUser(
  parts: Pick<Parts, 'storage' | 'clock' | 'secrets' | 'audit'>,
  ticket: string,
): Promise<void> {
  await parts.storage.write(async (tx) => {
    const user = await userToConfirm(tx, parts, ticket);
    await updateUserRow(tx, user.guid, { confirmed: 1 });
    const description = `Confirmed ${user.email}, the address of user ${user.username} (${user.guid})`;
    await parts.audit(tx, actorOf(user), 'edit_user', description);
  });
}
