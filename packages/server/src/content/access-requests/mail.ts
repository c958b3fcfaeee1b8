// Mails about requests for access: to those who decide, and to the requester.
import { mailEach } from '../../people/notify-people.ts';
import { findUser, type UserRow } from '../../people/store.ts';
import type { Caller } from '../../sign-in/authenticator.ts';
import { dashboardUrl, oneLineName } from '../present.ts';
import type { ContentRow } from '../store.ts';
import type { Parts } from './parts.ts';

type MailParts = Pick<Parts, 'storage' | 'mailer' | 'log'>;

interface Asking {
  readonly content: ContentRow;
  readonly deciders: readonly UserRow[];
  readonly message: string | null;
  /** Address of the server, without a trailing slash. */
  readonly base: string;
}

export async function mailDeciders(
  parts: Pick<MailParts, 'mailer' | 'log'>,
  caller: Caller,
  { content, deciders, message, base }: Asking,
): Promise<void> {
  const name = oneLineName(content);
  const who = caller.full_name ? `${caller.full_name} (${caller.username})` : caller.username;
  const why = message === null ? '' : ` They write:\n\n${message}`;
  const address = `${dashboardUrl(base, content.guid)}/access`;
  const text = `${who} asks for access to ${name}.${why}\n\nGrant or decline it: ${address}`;
  await mailEach(parts, deciders, `Access to ${name}`, text);
}

/** Mails the requester. A declined request reveals nothing of the content but its address. */
export async function mailOutcome(
  parts: MailParts,
  userGuid: string,
  { content, isGranted, base }: { content: ContentRow; isGranted: boolean; base: string },
): Promise<void> {
  const user = await findUser(parts.storage.db, userGuid);
  if (!user) return;
  const address = `${base}/content/${content.guid}/`;
  const name = oneLineName(content);
  return isGranted
    ? mailEach(parts, [user], `Access to ${name}`, `You have access to ${name} now: ${address}`)
    : mailEach(
        parts,
        [user],
        'Access declined',
        `Your request for access was declined: ${address}\n\nYou can ask again 24 hours after you asked.`,
      );
}
