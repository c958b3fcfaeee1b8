// Searches the server and the directory for people (contract, 4.8).
import { toTimestamp } from '../../../config/clock.ts';
import { listingScope, seesEmail } from '../../../domain/people.ts';
import { presentUser } from '../../../domain/presenters.ts';
import { nearestFirst, signTicket } from '../../../domain/tickets.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';
import { listUsers } from '../../../storage/users.ts';

export async function searchRemoteUsers(
  services: Services,
  { query, caller }: ApiRequest<'searchRemoteUsers'>,
): Promise<ApiAnswer<'searchRemoteUsers'>> {
  const { storage, directory, config, clock } = services;
  const everyone = {
    roles: [],
    statuses: [],
    activeSince: 0,
    prefix: query.prefix,
    ...listingScope(config, caller),
  };
  const { rows } = await listUsers(storage.db, everyone, { offset: 0, limit: query.limit, ascending: true });
  const known = new Set(rows.map((row) => row.unique_id));
  const remote = (await directory!.searchPeople(query.prefix, query.limit)).filter(
    (found) => !known.has(found.unique_id),
  );
  const view = { email: seesEmail(config, caller) };
  const now = toTimestamp(clock.now());
  const local = rows.map((row) => ({
    ...presentUser(row, view),
    temp_ticket: signTicket(services, 'user', { ...row, unique_id: row.unique_id ?? '' }),
  }));
  const others = remote.map((found) => ({
    email: view.email ? found.email : '',
    username: found.username,
    first_name: found.first_name,
    last_name: found.last_name,
    user_role: config['Authorization.DefaultUserRole'],
    created_time: now,
    updated_time: now,
    active_time: null,
    confirmed: true,
    locked: false,
    guid: null,
    temp_ticket: signTicket(services, 'user', found),
  }));
  const people = nearestFirst([...local, ...others], query.prefix, (p) => [
    p.username,
    p.first_name,
    p.last_name,
  ]);
  const results = people.slice(0, query.limit);
  return { current_page: 1, results, total: results.length };
}
