// Expires requests that nobody decided within 30 days: sends events, and mails the requester.
import { recordRequestEvent, sentPerson } from '../../events/request-event.ts';
import { mailEach } from '../../people/notify-people.ts';
import { closeRoleRequest, unansweredRoleRequests } from '../../people/role-requests/store.ts';
import { findUser, type UserRow } from '../../people/store.ts';
import type { Executor } from '../../platform/database/storage.ts';
import type { Parts } from './parts.ts';
import { closeAccessRequest, unansweredAccessRequests } from './store.ts';

type ExpiryParts = Pick<Parts, 'storage' | 'clock' | 'config' | 'mailer' | 'log'>;

/** Microseconds. */
export const EXPIRES_AFTER = 30 * 24 * 3_600_000_000;
/** Maximum per round; the others follow a minute later. */
const BATCH = 100;

/**
 * Returns their number; each is announced once, however many servers run this.
 * @param address of the server, without a trailing slash
 */
export async function endRequests(parts: ExpiryParts, address: string): Promise<number> {
  const { storage, clock } = parts;
  const until = clock.now() - EXPIRES_AFTER;
  const expired: { user: UserRow; about: string }[] = [];
  for (const { id } of await unansweredAccessRequests(storage.db, until, BATCH)) {
    const ended = await storage.write((tx) => endAccessRequest(tx, parts, id));
    if (ended) expired.push({ user: ended.user, about: `${address}/content/${ended.content}/` });
  }
  for (const { user_guid } of await unansweredRoleRequests(storage.db, until, BATCH)) {
    const user = await storage.write((tx) => endRoleRequest(tx, parts, user_guid, until));
    if (user) expired.push({ user, about: 'the publisher role' });
  }
  for (const { user, about } of expired)
    await mailEach(
      parts,
      [user],
      'Your request has expired',
      `Nobody answered your request for ${about} in 30 days. You can ask again.`,
    );
  return expired.length;
}

/** Also called when the requester asks again before the round. */
export async function endAccessRequest(
  tx: Executor,
  parts: Pick<Parts, 'clock' | 'config'>,
  id: number,
): Promise<{ user: UserRow; content: string } | null> {
  // Another server may have been faster.
  const row = await closeAccessRequest(tx, id);
  const user = row && (await findUser(tx, row.user_guid));
  if (!row || !user) return null;
  const { content_guid: content, message } = row;
  await recordRequestEvent(tx, parts, 'access.expired', {
    content,
    actor: user.guid,
    request: { id: String(id), message, role: null, user: sentPerson(user), deciders: [] },
  });
  return { user, content };
}

async function endRoleRequest(
  tx: Executor,
  parts: Pick<Parts, 'clock' | 'config'>,
  guid: string,
  until: number,
): Promise<UserRow | null> {
  const row = await closeRoleRequest(tx, guid, until);
  const user = row && (await findUser(tx, guid));
  // Whoever is more than a viewer has access in another way.
  if (!row || !user || user.user_role !== 'viewer') return null;
  await recordRequestEvent(tx, parts, 'role.expired', {
    content: '',
    actor: guid,
    request: { id: guid, message: row.message, role: null, user: sentPerson(user), deciders: [] },
  });
  return user;
}
