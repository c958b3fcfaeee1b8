// Searches the server and the directory for groups (contract, 4.4).
import { askDirectory } from '../../people/directory.ts';
import { requireGroups } from '../commands.ts';
import { nearestFirst, makeTicket } from '../../people/tickets.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';
import { findGroupsByUniqueId, listGroups } from '../store.ts';

export async function searchRemoteGroups(
  services: Services,
  { query }: ApiRequest<'searchRemoteGroups'>,
): Promise<ApiAnswer<'searchRemoteGroups'>> {
  requireGroups(services);
  const { storage, directory } = services;
  const page = { offset: 0, limit: query.limit, ascending: true };
  const { rows } = await listGroups(storage.db, query.prefix, page);
  const listed = await askDirectory(directory, (d) => d.searchGroups(query.prefix, query.limit));
  const known = new Set(rows.map((row) => row.unique_id));
  // A group may be too far down the list to be among the first here.
  const unseen = listed.map((group) => group.unique_id).filter((id) => id !== '' && !known.has(id));
  for (const row of await findGroupsByUniqueId(storage.db, unseen)) {
    known.add(row.unique_id);
    rows.push(row);
  }
  const remote = listed.filter((group) => !known.has(group.unique_id));
  const found = nearestFirst(
    [
      ...rows.map((row) => ({ guid: row.guid, name: row.name, unique_id: row.unique_id ?? '' })),
      ...remote.map((group) => ({ guid: null, ...group })),
    ],
    query.prefix,
    (group) => [group.name],
    (group) => [group.name],
  );
  const results = found.slice(0, query.limit).map(({ guid, name, unique_id }) => ({
    guid,
    name,
    temp_ticket: makeTicket(services, 'group', { unique_id, name }),
  }));
  return { current_page: 1, results, total: results.length };
}
