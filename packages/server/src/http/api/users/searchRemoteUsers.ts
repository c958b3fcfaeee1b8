// Searches the server and the directory for people (contract, 4.8).
import { askDirectory } from '../../../auth/directory.ts';
import { toTimestamp } from '../../../config/clock.ts';
import { listingScope, seesEmail } from '../../../domain/people.ts';
import { presentUser } from '../../../domain/presenters.ts';
import { nearestFirst, makeTicket } from '../../../domain/tickets.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';
import { listUsers, type UserFilter } from '../../../storage/users.ts';

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
  const known = new Set(rows.map((row) => row.unique_id));
  // Who may see only themselves sees nobody of the directory either.
  const found =
    everyone.only === undefined
      ? await askDirectory(directory, (d) => d.searchPeople(query.prefix, query.limit))
      : [];
  const remote = found.filter((person) => !known.has(person.unique_id));
  const view = { email: seesEmail(config, caller) };
  const now = toTimestamp(clock.now());
  const local = rows.map((row) => ({
    ...presentUser(row, view),
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
  const people = nearestFirst([...local, ...others], query.prefix, (p) => [
    p.username,
    p.first_name,
    p.last_name,
  ]);
  const results = people.slice(0, query.limit);
  return { current_page: 1, results, total: results.length };
}
