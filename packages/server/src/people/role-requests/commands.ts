// Requests of viewers to become publishers, decided by administrators (contract, codes 94 and 124).
import { errors } from '@pressroom/api/contract';
import { REPEAT_AFTER } from '../../content/access-requests/commands.ts';
import { EXPIRES_AFTER } from '../../content/access-requests/expire.ts';
import type { Parts as RequestParts } from '../../content/access-requests/parts.ts';
import { recordRequestEvent, sentPerson } from '../../events/request-event.ts';
import { DASHBOARD_PREFIX } from '../../http/paths.ts';
import { toTimestamp } from '../../platform/clock.ts';
import type { Caller } from '../../sign-in/authenticator.ts';
import { changeWithin, type updateUser } from '../commands.ts';
import { listAdministrators, mailEach } from '../notify-people.ts';
import { findUser, userOf } from '../store.ts';
import {
  findRoleRequest,
  listRoleRequests,
  removeRoleRequest,
  saveRoleRequest,
  type NamedRoleRequest,
} from './store.ts';

export type Parts = Omit<RequestParts, 'contentChanged'>;

const LISTED = 500;

/**
 * Mails administrators. @param base the address of the server, without a trailing slash
 * @throws ApiError 16 for anybody above a viewer, 94 within 24 hours, 124
 */
export async function requestRole(
  parts: Parts,
  caller: Caller,
  message: string | null,
  base: string,
): Promise<NamedRoleRequest> {
  const { storage, clock, audit } = parts;
  const { row, administrators, who } = await storage.write(async (tx) => {
    const now = clock.now();
    const person = await userOf(tx, caller.guid);
    // The role of the account: a key may have a lower one.
    if (person.user_role !== 'viewer') throw errors.alreadyMember({ message: 'you can publish already' });
    const before = await findRoleRequest(tx, caller.guid);
    if (before && now - before.created_time < REPEAT_AFTER) throw tooSoon(before.created_time);
    const administrators = await listAdministrators(tx);
    if (administrators.every(({ email }) => email === '')) throw errors.noAdministratorEmail();
    const made = { user_guid: caller.guid, message, created_time: now, declined: 0 } as const;
    await saveRoleRequest(tx, made);
    await audit(tx, caller, 'ask_role', 'Asked for the publisher role');
    const user = sentPerson(person);
    const deciders = administrators.map(({ guid, username }) => ({ guid, username }));
    const request = { id: caller.guid, message, role: null, user, deciders };
    await recordRequestEvent(tx, parts, 'role.asked', { content: '', actor: caller.guid, request });
    return { row: made, administrators, who: user.name };
  });
  const why = message === null ? '' : ` They write:\n\n${message}`;
  const address = `${base}${DASHBOARD_PREFIX}/requests`;
  const text = `${who} asks to become a publisher.${why}\n\nMake them one, or decline: ${address}`;
  await mailEach(parts, administrators, `${caller.username} asks to publish`, text);
  return { ...row, username: caller.username };
}

const tooSoon = (requested: number) =>
  errors.permissionRequestTooSoon({
    message: `you can ask again from ${toTimestamp(requested + REPEAT_AFTER)}`,
  });

export function openRoleRequests({
  storage: { db },
  clock,
}: Pick<Parts, 'storage' | 'clock'>): Promise<NamedRoleRequest[]> {
  return listRoleRequests(db, clock.now() - EXPIRES_AFTER, LISTED);
}

/** Mails the requester. @throws ApiError 18 without a request, and those of updateUser */
export async function decideRole(
  parts: Parts & Parameters<typeof updateUser>[0],
  caller: Caller,
  guid: string,
  decision: 'grant' | 'decline',
  base: string,
): Promise<void> {
  const { storage, audit, clock, authenticator } = parts;
  const isGranted = decision === 'grant';
  // One transaction: if the role cannot be granted, the request stays open.
  const user = await storage.write(async (tx) => {
    const open = await listRoleRequests(tx, clock.now() - EXPIRES_AFTER, LISTED);
    const request = open.find(({ user_guid }) => user_guid === guid);
    const person = await findUser(tx, guid);
    if (!request || !person) throw errors.itemToChangeNotFound();
    if (isGranted) {
      await changeWithin(tx, parts, caller, guid, { user_role: 'publisher' });
      await removeRoleRequest(tx, guid);
    } else {
      const { user_guid, message, created_time } = request;
      await saveRoleRequest(tx, { user_guid, message, created_time, declined: 1 });
      await audit(tx, caller, 'decline_role', `Declined the publisher role for ${person.username} (${guid})`);
    }
    await recordRequestEvent(tx, parts, isGranted ? 'role.granted' : 'role.declined', {
      content: '',
      actor: caller.guid,
      request: {
        id: guid,
        message: request.message,
        role: isGranted ? 'publisher' : null,
        user: sentPerson(person),
        deciders: [],
      },
    });
    return person;
  });
  authenticator.forget(guid);
  const text = isGranted
    ? `You are a publisher now: ${base}${DASHBOARD_PREFIX}/`
    : 'Your request to become a publisher was declined. You can ask again 24 hours after you asked.';
  await mailEach(parts, [user], isGranted ? 'You can publish' : 'Publisher role declined', text);
}
