// Granting a request for access, which adds a permission, or declining it.
import { errors } from '@pressroom/api/contract';
import type { Audit } from '../../audit/record.ts';
import { recordRequestEvent, sentPerson } from '../../events/request-event.ts';
import { userOf } from '../../people/store.ts';
import type { Executor } from '../../platform/database/storage.ts';
import type { Caller } from '../../sign-in/authenticator.ts';
import { loadContent } from '../commands.ts';
import { asAlreadyMember, changeWithin, grantWithin } from '../permissions/commands.ts';
import { findGrantedRole, listPermissions, type ContentRow } from '../store.ts';
import { EXPIRES_AFTER } from './expire.ts';
import { mailOutcome } from './mail.ts';
import type { Parts } from './parts.ts';
import { declineAccessRequest, listAccessRequests, removeAccessRequest } from './store.ts';

interface Decision {
  readonly decision: 'grant' | 'decline';
  readonly role: 'viewer' | 'owner';
}

/**
 * Grants it, which adds or extends the permission, or declines it; mails the requester. @param base the address of the
 * server, without a trailing slash
 * @throws ApiError 18 if there is none, 33, 34, 16 if another grant came first
 */
export async function decideRequest(
  parts: Parts,
  caller: Caller,
  { guid, id }: { guid: string; id: string },
  { decision, role }: Decision,
  base: string,
): Promise<void> {
  const { storage, clock, audit, contentChanged } = parts;
  const isGranted = decision === 'grant';
  try {
    const { content, user } = await storage.write(async (tx) => {
      const { content: wanted } = await loadContent(tx, guid, caller, 'managePermissions');
      const open = await listAccessRequests(tx, wanted.guid, clock.now() - EXPIRES_AFTER);
      const request = open.find((one) => one.id === Number(id));
      if (!request) throw errors.itemToChangeNotFound();
      const { user_guid: requester, username, message } = request;
      const about = `the request of ${username} (${requester}) for access to ${wanted.name} (${wanted.guid})`;
      const subject = { content: wanted.guid };
      if (isGranted) {
        await removeAccessRequest(tx, request.id);
        await giveRole(tx, audit, caller, wanted, requester, role);
        await audit(tx, caller, 'grant_access', `Granted ${about}`, subject);
      } else {
        await declineAccessRequest(tx, request.id);
        await audit(tx, caller, 'decline_access', `Declined ${about}`, subject);
      }
      await recordRequestEvent(tx, parts, isGranted ? 'access.granted' : 'access.declined', {
        content: wanted.guid,
        actor: caller.guid,
        request: {
          id: String(request.id),
          message,
          role: isGranted ? role : null,
          user: sentPerson(await userOf(tx, requester)),
          deciders: [],
        },
      });
      return { content: wanted, user: requester };
    });
    if (isGranted) contentChanged(guid);
    await mailOutcome(parts, user, { content, isGranted, base });
  } catch (error) {
    throw asAlreadyMember(error);
  }
}

/** Adds a permission, or raises the existing one; does nothing if the person has the role meanwhile. */
async function giveRole(
  tx: Executor,
  audit: Audit,
  caller: Caller,
  content: ContentRow,
  userGuid: string,
  role: Decision['role'],
): Promise<void> {
  const granted = await findGrantedRole(tx, content.guid, userGuid);
  if (content.owner_guid === userGuid || granted === role || granted === 'owner') return;
  const own = (await listPermissions(tx, content.guid)).find((one) => one.principal_guid === userGuid);
  if (own) {
    await changeWithin(tx, audit, caller, content, own, { role, expires_time: null });
    return;
  }
  const principal = { principal_guid: userGuid, principal_type: 'user' } as const;
  await grantWithin(tx, audit, caller, content, { ...principal, role, expires_time: null });
}
