// Requests for access to content: commands of the people who ask.
import { errors } from '@pressroom/api/contract';
import { recordRequestEvent, sentPerson } from '../../events/request-event.ts';
import { userOf } from '../../people/store.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { isUniqueViolation, type Executor } from '../../platform/database/storage.ts';
import type { Caller } from '../../sign-in/authenticator.ts';
import { loadContent } from '../commands.ts';
import { contentRole, mayAct } from '../policy.ts';
import { findContent, findGrantedRole, type ContentRow } from '../store.ts';
import { listDeciders } from './deciders.ts';
import { endAccessRequest, EXPIRES_AFTER } from './expire.ts';
import { mailDeciders } from './mail.ts';
import type { Parts } from './parts.ts';
import {
  accessRequestsBy,
  insertAccessRequest,
  listAccessRequests,
  listAllAccessRequests,
  removeAccessRequest,
  removeOldAccessRequests,
  type ListedAccessRequest,
  type NamedAccessRequest,
} from './store.ts';

/** Microseconds after which a declined request can be repeated (contract, 7). */
export const REPEAT_AFTER = 24 * 3_600_000_000;
/** Open requests per person, so that nobody can flood pages and mailboxes. */
const MAX_OPEN = 10;
const LISTED = 500;

/** The content, for a caller who may not view it. @throws ApiError 4, 16 if they may */
export async function requireNoAccess(db: Executor, caller: Caller, guid: string): Promise<ContentRow> {
  const content = await findContent(db, guid);
  if (!content) throw errors.notFound();
  const role = contentRole(content, caller, await findGrantedRole(db, content.guid, caller.guid));
  if (role !== null && role !== 'none')
    throw errors.alreadyMember({ message: 'you can view this content already' });
  return content;
}

/**
 * Mails those who may grant it. @param base the address of the server, without a trailing slash
 * @throws ApiError 4, 16 if the caller may view it or has asked already, 25 for too many open requests, 94 within 24
 * hours of a declined request
 */
export async function requestAccess(
  parts: Omit<Parts, 'contentChanged'>,
  caller: Caller,
  guid: string,
  message: string | null,
  base: string,
): Promise<NamedAccessRequest> {
  const { storage, clock, audit } = parts;
  try {
    const { content, row, deciders } = await storage.write(async (tx) => {
      const wanted = await requireNoAccess(tx, caller, guid);
      const now = clock.now();
      await removeOldAccessRequests(tx, now - EXPIRES_AFTER);
      for (const { id, created_time } of await accessRequestsBy(tx, caller.guid))
        if (created_time <= now - EXPIRES_AFTER) await endAccessRequest(tx, parts, id);
      const mine = await accessRequestsBy(tx, caller.guid);
      const before = mine.find(({ content_guid }) => content_guid === wanted.guid);
      if (before?.declined === 0) throw askedAlready();
      if (before && now - before.created_time < REPEAT_AFTER) throw tooSoon(before.created_time);
      if (mine.filter(({ declined }) => declined === 0).length >= MAX_OPEN)
        throw errors.invalidParameter({
          message: `a person has at most ${MAX_OPEN} open requests for access`,
        });
      if (before) await removeAccessRequest(tx, before.id);
      const made = await insertAccessRequest(tx, {
        content_guid: wanted.guid,
        user_guid: caller.guid,
        message,
        created_time: now,
      });
      const description = `Asked for access to ${wanted.name} (${wanted.guid})`;
      await audit(tx, caller, 'ask_access', description, { content: wanted.guid });
      const who = await listDeciders(tx, wanted);
      const user = sentPerson(await userOf(tx, caller.guid));
      await recordRequestEvent(tx, parts, 'access.asked', {
        content: wanted.guid,
        actor: caller.guid,
        request: {
          id: String(made.id),
          message,
          role: null,
          user,
          deciders: who.map(({ guid: decider, username }) => ({ guid: decider, username })),
        },
      });
      return { content: wanted, row: made, deciders: who };
    });
    await mailDeciders(parts, caller, { content, deciders, message, base });
    return named(row, caller.username);
  } catch (error) {
    if (isUniqueViolation(error)) throw askedAlready(error);
    throw error;
  }
}

function named(
  { id, content_guid, user_guid, message, created_time }: Omit<NamedAccessRequest, 'username'>,
  username: string,
): NamedAccessRequest {
  return { id, content_guid, user_guid, message, created_time, username };
}

const askedAlready = (cause?: unknown) =>
  errors.alreadyMember({ message: 'you have asked for access to this content already', cause });

const tooSoon = (requested: number) =>
  errors.permissionRequestTooSoon({
    message: `your request was declined; you can ask again from ${toTimestamp(requested + REPEAT_AFTER)}`,
  });

export async function accessRequestsOf(
  { storage: { db }, clock }: Pick<Parts, 'storage' | 'clock'>,
  caller: Caller,
  guid: string,
): Promise<NamedAccessRequest[]> {
  const { content } = await loadContent(db, guid, caller, 'readPermissions');
  return listAccessRequests(db, content.guid, clock.now() - EXPIRES_AFTER);
}

/** For all content that the caller may share; at most 500. */
export async function allAccessRequests(
  { storage: { db }, clock }: Pick<Parts, 'storage' | 'clock'>,
  caller: Caller,
): Promise<ListedAccessRequest[]> {
  if (!mayAct('managePermissions', 'owner', caller)) return [];
  const sharer = caller.role === 'administrator' ? null : caller.guid;
  return listAllAccessRequests(db, sharer, clock.now() - EXPIRES_AFTER, LISTED);
}
