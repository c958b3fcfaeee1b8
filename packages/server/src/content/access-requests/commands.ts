// Asking for access to content, and what those who share it decide.
import { errors } from '@pressroom/api/contract';
import type { Logger } from 'pino';
import type { Audit } from '../../audit/record.ts';
import { DASHBOARD_PREFIX } from '../../http/paths.ts';
import { findUser } from '../../people/store.ts';
import type { Clock } from '../../platform/clock.ts';
import { isUniqueViolation, type Executor, type Storage } from '../../platform/database/storage.ts';
import type { Mailer } from '../../platform/mailer.ts';
import type { Caller } from '../../sign-in/authenticator.ts';
import { loadContent } from '../commands.ts';
import { asAlreadyMember, changeWithin, grantWithin } from '../permissions/commands.ts';
import { contentRole } from '../policy.ts';
import { findContent, findGrantedRole, listPermissions, type ContentRow } from '../store.ts';
import {
  accessRequestsBy,
  insertAccessRequest,
  listAccessRequests,
  removeAccessRequest,
  removeOldAccessRequests,
  type NamedAccessRequest,
} from './store.ts';

interface Parts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly log: Logger;
  readonly mailer: Mailer | null;
  readonly contentChanged: (guid: string) => void;
}

interface Decision {
  readonly decision: 'grant' | 'decline';
  readonly role: 'viewer' | 'owner';
}

const OPEN_FOR = 30 * 24 * 3_600_000_000;
/** Of one person: nobody fills the pages and mailboxes of everybody. */
const MOST = 10;

/** The content, for who may not view it. @throws ApiError 4, 16 for who may */
export async function requireNoAccess(db: Executor, caller: Caller, guid: string): Promise<ContentRow> {
  const content = await findContent(db, guid);
  if (!content) throw errors.notFound();
  const role = contentRole(content, caller, await findGrantedRole(db, content.guid, caller.guid));
  if (role !== null && role !== 'none')
    throw errors.alreadyMember({ message: 'you can view this content already' });
  return content;
}

/**
 * The owner is mailed. @param base the address of the server, without a slash at the end
 * @throws ApiError 4, 16 for who may view it or has asked already, 25 for too many open requests
 */
export async function requestAccess(
  parts: Pick<Parts, 'storage' | 'clock' | 'audit' | 'log' | 'mailer'>,
  caller: Caller,
  guid: string,
  message: string | null,
  base: string,
): Promise<NamedAccessRequest> {
  const { storage, clock, audit } = parts;
  try {
    const { content, row } = await storage.write(async (tx) => {
      const wanted = await requireNoAccess(tx, caller, guid);
      const now = clock.now();
      await removeOldAccessRequests(tx, now - OPEN_FOR);
      const open = await accessRequestsBy(tx, caller.guid);
      if (open.some(({ content_guid }) => content_guid === wanted.guid)) throw askedAlready();
      if (open.length >= MOST)
        throw errors.invalidParameter({ message: `a person has at most ${MOST} open requests for access` });
      const made = await insertAccessRequest(tx, {
        content_guid: wanted.guid,
        user_guid: caller.guid,
        message,
        created_time: now,
      });
      const description = `Asked for access to ${wanted.name} (${wanted.guid})`;
      await audit(tx, caller, 'ask_access', description, { content: wanted.guid });
      return { content: wanted, row: made };
    });
    await mailOwner(parts, caller, content, message, base);
    return { ...row, username: caller.username };
  } catch (error) {
    if (isUniqueViolation(error)) throw askedAlready(error);
    throw error;
  }
}

const askedAlready = (cause?: unknown) =>
  errors.alreadyMember({ message: 'you have asked for access to this content already', cause });

export async function accessRequestsOf(
  { storage: { db }, clock }: Pick<Parts, 'storage' | 'clock'>,
  caller: Caller,
  guid: string,
): Promise<NamedAccessRequest[]> {
  const { content } = await loadContent(db, guid, caller, 'readPermissions');
  return listAccessRequests(db, content.guid, clock.now() - OPEN_FOR);
}

/** Grants it, which adds or extends the permission, or declines it. @throws ApiError 18 where there is none, 33, 34, 16 where another grant came first */
export async function decideRequest(
  parts: Pick<Parts, 'storage' | 'clock' | 'audit' | 'contentChanged'>,
  caller: Caller,
  guid: string,
  id: string,
  { decision, role }: Decision,
): Promise<void> {
  const { storage, clock, audit, contentChanged } = parts;
  try {
    await storage.write(async (tx) => {
      const { content } = await loadContent(tx, guid, caller, 'managePermissions');
      const open = await listAccessRequests(tx, content.guid, clock.now() - OPEN_FOR);
      const request = open.find((one) => one.id === Number(id));
      if (!request) throw errors.itemToChangeNotFound();
      await removeAccessRequest(tx, request.id);
      const about = `the request of ${request.username} (${request.user_guid}) for access to ${content.name} (${content.guid})`;
      if (decision === 'decline')
        return audit(tx, caller, 'decline_access', `Declined ${about}`, { content: content.guid });
      await giveRole(tx, audit, caller, content, request.user_guid, role);
      await audit(tx, caller, 'grant_access', `Granted ${about}`, { content: content.guid });
    });
  } catch (error) {
    throw asAlreadyMember(error);
  }
  if (decision === 'grant') contentChanged(guid);
}

/** Adds a permission, or changes the person's own to one that allows more; none for who has the role meanwhile. */
async function giveRole(
  tx: Executor,
  audit: Audit,
  caller: Caller,
  content: ContentRow,
  userGuid: string,
  role: Decision['role'],
): Promise<void> {
  const granted = await findGrantedRole(tx, content.guid, userGuid);
  if (granted === role || granted === 'owner') return;
  const own = (await listPermissions(tx, content.guid)).find((one) => one.principal_guid === userGuid);
  if (own) {
    await changeWithin(tx, audit, caller, content, own, { role, expires_time: null });
    return;
  }
  const principal = { principal_guid: userGuid, principal_type: 'user' } as const;
  await grantWithin(tx, audit, caller, content, { ...principal, role, expires_time: null });
}

async function mailOwner(
  { storage, mailer, log }: Pick<Parts, 'storage' | 'mailer' | 'log'>,
  caller: Caller,
  content: ContentRow,
  message: string | null,
  base: string,
): Promise<void> {
  if (!mailer) return;
  const owner = await findUser(storage.db, content.owner_guid);
  if (!owner || owner.email === '' || owner.locked === 1) return;
  const name = (content.title ?? content.name).replaceAll(/\s+/g, ' ');
  const who = caller.full_name ? `${caller.full_name} (${caller.username})` : caller.username;
  const why = message === null ? '' : ` They write:\n\n${message}`;
  const address = `${base}${DASHBOARD_PREFIX}/content/${content.guid}/access`;
  const text = `${who} asks for access to ${name}.${why}\n\nGrant or decline it: ${address}`;
  await mailer
    .send({ to: owner.email, subject: `Access to ${name}`, text })
    .catch((error: unknown) => log.warn(error, 'mailing %s about a request for access', owner.username));
}
