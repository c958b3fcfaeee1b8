// The list of content items for clients of an older generation: filtered, and a page at a time.
import { errors, MAX_APPLICATIONS } from '@pressroom/api/contract';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Config } from '../../main/config/settings.ts';
import { seesAccount } from '../../people/policy.ts';
import { findUserByName } from '../../people/store.ts';
import type { Storage } from '../../platform/database/storage.ts';
import type { Caller } from '../../sign-in/authenticator.ts';
import { contentBaseOf } from '../address.ts';
import { contentRole, type ContentRole } from '../policy.ts';
import { gaAppMode, presentApplication } from '../present.ts';
import { type ContentRow, listContent } from '../store.ts';
import { ownerNames } from './owner-names.ts';

interface Parts {
  readonly config: Config;
  readonly storage: Storage;
}

type Query = ApiRequest<'listApplications'>['query'];
type Filter = Readonly<Partial<Record<string, string>>>;

/** Roles on content, the least first. */
const ROLES: readonly ContentRole[] = ['none', 'viewer', 'editor', 'owner'];

/** Lists the content items that the caller may see, for older clients. */
export async function listApplications(
  parts: Parts,
  { query, caller, base }: ApiRequest<'listApplications'>,
): Promise<ApiAnswer<'listApplications'>> {
  const { config, storage } = parts;
  const filter: Filter = Object.fromEntries((query.filter ?? []).map((text) => text.split(':', 2)));
  const owners = await ownersOf(parts, caller, filter);
  const [only] = owners;
  const rows =
    owners.length > 1
      ? []
      : await listContent(storage.db, caller.guid, { name: filter.name, owner_guid: only });
  const text = query.search?.toLowerCase() ?? '';
  const visible = rows.filter((row) => {
    const role = contentRole(row, caller, row.granted);
    return role !== null && isOfRole(role, filter) && isOfType(row, filter) && holds(row, text);
  });
  const page = pageOf(visible, query);
  const names = await ownerNames(parts, caller, page);
  const view = { base, contentBase: contentBaseOf(config, base) };
  const applications = page.map((row) => presentApplication(row, { ...view, owner: names.of(row) }));
  const last = page.at(-1);
  return {
    applications,
    count: applications.length,
    total: visible.length,
    // Said also where nothing follows: who asks for that gets an empty page, and with it the end.
    continuation: last === undefined ? '' : encodePlace(last),
  };
}

/** The owners that all filters name: none for any owner, several where nothing can be theirs all. */
async function ownersOf(
  { config, storage }: Parts,
  caller: Caller,
  { account_id, owner_username }: Filter,
): Promise<string[]> {
  const owners = new Set<string>();
  if (account_id !== undefined) owners.add(account_id.toLowerCase());
  if (owner_username !== undefined) {
    const user = await findUserByName(storage.db, owner_username);
    if (!user || !seesAccount(config, caller, user.guid)) return ['', ''];
    owners.add(user.guid);
  }
  return [...owners];
}

function isOfRole(role: ContentRole, { min_role }: Filter): boolean {
  return min_role === undefined || ROLES.indexOf(role) >= ROLES.findIndex((least) => least === min_role);
}

function isOfType(row: ContentRow, { content_type: type }: Filter): boolean {
  return type === undefined || type === 'all' || [row.content_category, gaAppMode(row)].includes(type);
}

function holds({ name, title, description }: ContentRow, text: string): boolean {
  return [name, title ?? '', description].some((field) => field.toLowerCase().includes(text));
}

function pageOf<Row extends Place>(rows: readonly Row[], query: Query): Row[] {
  const count = Math.min(query.count, MAX_APPLICATIONS);
  if (query.cont) {
    const place = decodePlace(query.cont);
    return rows.filter((row) => isBehind(row, place)).slice(0, count);
  }
  const first = query.start === undefined ? (query.offset ?? 0) : Math.max(query.start - 1, 0);
  return rows.slice(first, first + count);
}

/** Where a row stands among all: what is added or deleted meanwhile shifts no page. */
type Place = Pick<ContentRow, 'created_time' | 'guid'>;

function isBehind(row: Place, place: Place): boolean {
  return (
    row.created_time > place.created_time ||
    (row.created_time === place.created_time && row.guid > place.guid)
  );
}

function encodePlace({ created_time, guid }: Place): string {
  return Buffer.from(`${created_time}.${guid}`).toString('base64url');
}

/** @throws ApiError 25 for what this server did not say. */
function decodePlace(text: string): Place {
  const [, time, guid = ''] =
    /^(\d{1,16})\.([0-9a-f-]{36})$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (time === undefined) throw errors.invalidParameter({ message: 'the continuation is invalid' });
  return { created_time: Number(time), guid };
}
