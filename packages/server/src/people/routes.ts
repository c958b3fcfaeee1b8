// User accounts (contract, 4.8).
import { errors } from '@pressroom/api/contract';
import { offsetOf } from '../http/paging.ts';
import type { ApiResponse, ApiRequest } from '../http/request.ts';
import { toTimestamp } from '../platform/clock.ts';
import {
  createRemoteUser as createRemoteUserCommand,
  createUser as createUserCommand,
  lockUser as lockUserCommand,
  updateUser as updateUserCommand,
  type Parts as CommandParts,
} from './commands.ts';
import { askDirectory, type Directory } from './directory.ts';
import { LICENSED_FOR, listingScope, parseRoles, parseStatuses, seesAccount, seesEmail } from './policy.ts';
import { presentUser } from './present.ts';
import { findUser, findUsersByUniqueId, listUsers, type UserFilter } from './store.ts';
import { makeTicket, nearestFirst, readTicket } from './tickets.ts';

interface Parts extends CommandParts {
  readonly directory: Directory | null;
}

export const peopleRoutes = {
  createPullUser,
  createPushUser,
  getCurrentUser,
  getUser,
  getUsers,
  lockUser,
  searchRemoteUsers,
  updateUser,
};

/** Creates a user from a ticket. */
async function createPullUser(
  parts: Pick<Parts, 'config' | 'storage' | 'clock' | 'ids' | 'audit' | 'secrets'>,
  { body, caller }: ApiRequest<'createPullUser'>,
): Promise<ApiResponse<'createPullUser'>> {
  const found = readTicket(parts, 'user', body.temp_ticket);
  const row = await createRemoteUserCommand(parts, caller, found);
  return presentUser(row, { email: seesEmail(parts.config, caller) });
}

async function createPushUser(
  parts: Pick<
    Parts,
    'config' | 'storage' | 'clock' | 'ids' | 'log' | 'audit' | 'passwords' | 'secrets' | 'provider' | 'mailer'
  >,
  { body, caller, base }: ApiRequest<'createPushUser'>,
): Promise<ApiResponse<'createPushUser'>> {
  return presentUser(await createUserCommand(parts, caller, body, base), { email: true });
}

export async function getCurrentUser(
  { storage }: Pick<Parts, 'storage'>,
  { caller }: Pick<ApiRequest<'getCurrentUser'>, 'caller'>,
): Promise<ApiResponse<'getCurrentUser'>> {
  const row = await findUser(storage.db, caller.guid);
  if (!row) throw errors.authenticationRequired();
  // What the key may do: clients decide by it what they offer.
  return { ...presentUser(row, { email: true }), user_role: caller.role };
}

async function getUser(
  { config, storage }: Pick<Parts, 'config' | 'storage'>,
  { params, caller }: ApiRequest<'getUser'>,
): Promise<ApiResponse<'getUser'>> {
  const row = await findUser(storage.db, params.guid);
  if (!row || !seesAccount(config, caller, row.guid)) throw errors.notFound();
  return presentUser(row, { email: seesEmail(config, caller) });
}

async function getUsers(
  parts: Pick<Parts, 'config' | 'storage' | 'clock'>,
  { query, caller }: ApiRequest<'getUsers'>,
): Promise<ApiResponse<'getUsers'>> {
  const prefix = query.prefix || undefined;
  const filter = {
    ...listingScope(parts.config, caller),
    roles: parseRoles(query.user_role),
    statuses: parseStatuses(query.account_status, caller),
    activeSince: parts.clock.now() - LICENSED_FOR,
    ...(prefix !== undefined && { prefix }),
  };
  // A prefix search always returns the first page, but to a client that would never stop.
  const hasPages = prefix === undefined || query.walk_pages === true;
  const page_number = hasPages ? query.page_number : 1;
  const page = { ...offsetOf({ ...query, page_number }), ascending: query.asc_order };
  const { rows, total } = await listUsers(parts.storage.db, filter, page);
  const view = { email: seesEmail(parts.config, caller) };
  return {
    current_page: page_number,
    results: rows.map((row) => presentUser(row, view)),
    // A search has a single page: clients that go by the total must not request another.
    total: hasPages ? total : rows.length,
  };
}

/** Locks or unlocks a user. */
function lockUser(
  parts: Pick<Parts, 'config' | 'storage' | 'audit' | 'authenticator'>,
  { params, body, caller }: ApiRequest<'lockUser'>,
): Promise<ApiResponse<'lockUser'>> {
  return lockUserCommand(parts, caller, params.guid, body.locked);
}

/** Searches the server and the directory for users. */
async function searchRemoteUsers(
  parts: Pick<Parts, 'config' | 'storage' | 'clock' | 'secrets' | 'directory'>,
  { query, caller }: ApiRequest<'searchRemoteUsers'>,
): Promise<ApiResponse<'searchRemoteUsers'>> {
  const { storage, directory, config, clock } = parts;
  const everyone: UserFilter = {
    roles: [],
    statuses: [],
    activeSince: 0,
    prefix: query.prefix,
    ...listingScope(config, caller),
  };
  const { rows } = await listUsers(storage.db, everyone, { offset: 0, limit: query.limit, ascending: true });
  // Callers who see only themselves see nobody of the directory either.
  const found =
    everyone.only === undefined
      ? await askDirectory(directory, (d) => d.searchPeople(query.prefix, query.limit))
      : [];
  const listed = new Map(found.map((person) => [person.unique_id, person]));
  const known = new Set(rows.map((row) => row.unique_id));
  // The account may have another name than in the directory, or be beyond the first page.
  const unseen = [...listed.keys()].filter((id) => id !== '' && !known.has(id));
  for (const row of await findUsersByUniqueId(storage.db, unseen)) {
    known.add(row.unique_id);
    rows.push(row);
  }
  const remote = found.filter((person) => !known.has(person.unique_id));
  const view = { email: seesEmail(config, caller) };
  const now = toTimestamp(clock.now());
  const local = rows.map((row) => ({
    ...presentUser(row, view),
    // Always true under providers with search (contract, section 2): accounts may predate their provider.
    confirmed: true,
    temp_ticket: makeTicket(parts, 'user', { ...row, unique_id: row.unique_id ?? '' }),
  }));
  const others = remote.map((person) => ({
    email: view.email ? person.email : '',
    username: person.username,
    first_name: person.first_name,
    last_name: person.last_name,
    user_role: config['Authorization.DefaultUserRole'],
    created_time: now,
    updated_time: now,
    active_time: null,
    confirmed: true,
    locked: false,
    guid: null,
    temp_ticket: makeTicket(parts, 'user', person),
  }));
  const people = nearestFirst(
    [
      ...local.map((user, i) => ({ user, known: [user, listed.get(rows[i]!.unique_id ?? '')] })),
      ...others.map((user) => ({ user, known: [user] })),
    ],
    query.prefix,
    (person) => person.known.flatMap((as) => (as ? [as.username, as.first_name, as.last_name] : [])),
    ({ user }) => [user.first_name, user.last_name, user.username, user.email],
  );
  const results = people.slice(0, query.limit).map(({ user }) => user);
  return { current_page: 1, results, total: results.length };
}

async function updateUser(
  parts: Pick<
    Parts,
    'config' | 'storage' | 'clock' | 'log' | 'audit' | 'authenticator' | 'secrets' | 'provider' | 'mailer'
  >,
  { params, body, caller, base }: ApiRequest<'updateUser'>,
): Promise<ApiResponse<'updateUser'>> {
  const row = await updateUserCommand(parts, caller, params.guid, body, base);
  const { email, username, first_name, last_name, user_role } = row;
  return { email, username, first_name, last_name, user_role, updated_time: toTimestamp(row.updated_time) };
}
