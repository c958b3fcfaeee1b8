// Searches the server and the directory for people (contract, 4.8).
import { askDirectory } from '../directory.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { listingScope, seesEmail } from '../policy.ts';
import { presentUser } from '../../content/present.ts';
import { nearestFirst, makeTicket } from '../tickets.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';
import { findUsersByUniqueId, listUsers, type UserFilter } from '../store.ts';

export async function searchRemoteUsers(
  services: Services,
  { query, caller }: ApiRequest<'searchRemoteUsers'>,
): Promise<ApiAnswer<'searchRemoteUsers'>> {
  const { storage, directory, config, clock } = services;
  const everyone: UserFilter = {
    roles: [],
    statuses: [],
    activeSince: 0,
    prefix: query.prefix,
    ...listingScope(config, caller),
  };
  const { rows } = await listUsers(storage.db, everyone, { offset: 0, limit: query.limit, ascending: true });
  // Who may see only themselves sees nobody of the directory either.
  const found =
    everyone.only === undefined
      ? await askDirectory(directory, (d) => d.searchPeople(query.prefix, query.limit))
      : [];
  const listed = new Map(found.map((person) => [person.unique_id, person]));
  const known = new Set(rows.map((row) => row.unique_id));
  // The directory may call somebody otherwise than the account does, or the account may be too far down the list.
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
    // Always, under the providers that search (contract, section 2): an account may be older than its provider.
    confirmed: true,
    temp_ticket: makeTicket(services, 'user', { ...row, unique_id: row.unique_id ?? '' }),
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
    temp_ticket: makeTicket(services, 'user', person),
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
