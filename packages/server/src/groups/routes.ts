// Groups and their members (contract, 4.4).
import { offsetOf } from '../http/paging.ts';
import type { ApiResponse, ApiRequest } from '../http/request.ts';
import { askDirectory, type Directory } from '../people/directory.ts';
import { listingScope, seesEmail } from '../people/policy.ts';
import { presentUser } from '../people/present.ts';
import { makeTicket, nearestFirst, readTicket } from '../people/tickets.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import {
  addMember,
  createGroup as createGroupCommand,
  createRemoteGroup as createRemoteGroupCommand,
  deleteGroup as deleteGroupCommand,
  leaveGroup,
  loadGroup,
  ownerOf,
  requireGroups,
  type Parts as CommandParts,
} from './commands.ts';
import { contentOfGroup } from './group-content.ts';
import { presentGroup } from './present.ts';
import { findGroupsByUniqueId, listGroups, listMembers } from './store.ts';

interface Parts extends CommandParts {
  readonly secrets: Secrets;
  readonly directory: Directory | null;
}

export const groupsRoutes = {
  addGroupMember,
  createGroup,
  createRemoteGroup,
  deleteGroup,
  getGroup,
  getGroupContent,
  getGroupMembers,
  getGroups,
  removeGroupMember,
  searchRemoteGroups,
};

function addGroupMember(
  parts: Pick<Parts, 'config' | 'storage' | 'audit' | 'provider'>,
  { params, body, caller }: ApiRequest<'addGroupMember'>,
): Promise<ApiResponse<'addGroupMember'>> {
  requireGroups(parts);
  return addMember(parts, caller, params.group_guid, body.user_guid);
}

async function createGroup(
  parts: Pick<Parts, 'config' | 'storage' | 'clock' | 'ids' | 'audit' | 'provider'>,
  { body, caller }: ApiRequest<'createGroup'>,
): Promise<ApiResponse<'createGroup'>> {
  requireGroups(parts);
  const group = await createGroupCommand(parts, caller, body.name);
  return presentGroup(group, ownerOf(parts, group));
}

/** Creates a group from a ticket. */
async function createRemoteGroup(
  parts: Pick<Parts, 'config' | 'storage' | 'clock' | 'ids' | 'audit' | 'secrets' | 'provider'>,
  { body, caller }: ApiRequest<'createRemoteGroup'>,
): Promise<ApiResponse<'createRemoteGroup'>> {
  requireGroups(parts);
  const group = readTicket(parts, 'group', body.temp_ticket);
  const created = await createRemoteGroupCommand(parts, caller, group);
  return presentGroup(created, ownerOf(parts, created));
}

function deleteGroup(
  parts: Pick<Parts, 'config' | 'storage' | 'audit' | 'provider' | 'rightsChanged'>,
  { params, caller }: ApiRequest<'deleteGroup'>,
): Promise<ApiResponse<'deleteGroup'>> {
  requireGroups(parts);
  return deleteGroupCommand(parts, caller, params.guid);
}

async function getGroup(
  parts: Pick<Parts, 'config' | 'storage' | 'provider'>,
  { params }: ApiRequest<'getGroup'>,
): Promise<ApiResponse<'getGroup'>> {
  requireGroups(parts);
  const group = await loadGroup(parts.storage.db, params.guid);
  return presentGroup(group, ownerOf(parts, group));
}

/** Lists the content that a group has a permission for. */
async function getGroupContent(
  parts: Pick<Parts, 'config' | 'storage'>,
  { params, caller, again }: ApiRequest<'getGroupContent'>,
): Promise<ApiResponse<'getGroupContent'>> {
  requireGroups(parts);
  const group = await loadGroup(parts.storage.db, params.guid);
  return contentOfGroup(parts, group.guid, { caller, again });
}

async function getGroupMembers(
  parts: Pick<Parts, 'config' | 'storage'>,
  { params, query, caller }: ApiRequest<'getGroupMembers'>,
): Promise<ApiResponse<'getGroupMembers'>> {
  requireGroups(parts);
  const group = await loadGroup(parts.storage.db, params.group_guid);
  const { only } = listingScope(parts.config, caller);
  const { page_number = 1, page_size } = query;
  const page = page_size === undefined ? null : offsetOf({ page_number, page_size });
  const { rows, total } = await listMembers(parts.storage.db, group.guid, only, page);
  const view = { email: seesEmail(parts.config, caller) };
  // Without a page size, everything is on the first page.
  const shown = page === null && page_number > 1 ? [] : rows;
  return { current_page: page_number, results: shown.map((row) => presentUser(row, view)), total };
}

async function getGroups(
  parts: Pick<Parts, 'config' | 'storage' | 'provider'>,
  { query }: ApiRequest<'getGroups'>,
): Promise<ApiResponse<'getGroups'>> {
  requireGroups(parts);
  // A prefix search always returns the first page.
  const page_number = query.prefix ? 1 : query.page_number;
  const page = { ...offsetOf({ ...query, page_number }), ascending: query.asc_order };
  const { rows, total } = await listGroups(parts.storage.db, query.prefix, page);
  return {
    current_page: page_number,
    results: rows.map((row) => presentGroup(row, ownerOf(parts, row))),
    // A search has a single page: clients that go by the total must not request another.
    total: query.prefix ? rows.length : total,
  };
}

function removeGroupMember(
  parts: Pick<Parts, 'config' | 'storage' | 'audit' | 'provider' | 'rightsChanged'>,
  { params, caller }: ApiRequest<'removeGroupMember'>,
): Promise<ApiResponse<'removeGroupMember'>> {
  requireGroups(parts);
  return leaveGroup(parts, caller, params.group_guid, params.user_guid);
}

/** Searches the server and the directory for groups. */
async function searchRemoteGroups(
  parts: Pick<Parts, 'config' | 'storage' | 'clock' | 'secrets' | 'directory'>,
  { query }: ApiRequest<'searchRemoteGroups'>,
): Promise<ApiResponse<'searchRemoteGroups'>> {
  requireGroups(parts);
  const { storage, directory } = parts;
  const page = { offset: 0, limit: query.limit, ascending: true };
  const { rows } = await listGroups(storage.db, query.prefix, page);
  const listed = await askDirectory(directory, (d) => d.searchGroups(query.prefix, query.limit));
  const known = new Set(rows.map((row) => row.unique_id));
  // A group may exist here beyond the first page.
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
    temp_ticket: makeTicket(parts, 'group', { unique_id, name }),
  }));
  return { current_page: 1, results, total: results.length };
}
