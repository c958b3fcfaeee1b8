// Lists content items for older clients, filtered and by page.
import { errors, MAX_APPLICATIONS } from '@pressroom/api/contract';
import type { ApiResponse, ApiRequest } from '../../http/request.ts';
import type { Config } from '../../main/config/settings.ts';
import { seesAccount } from '../../people/policy.ts';
import { findUserByName } from '../../people/store.ts';
import type { Storage } from '../../platform/database/storage.ts';
import type { Caller } from '../../sign-in/authenticator.ts';
import { contentBaseOf } from '../address.ts';
import { contentScope } from '../policy.ts';
import { presentApplication } from '../present.ts';
import { withText } from '../search/store.ts';
import { writeMissingTexts } from '../search/texts-store.ts';
import {
  readContentPage,
  type ContentKinds,
  type ContentPlace,
  type ContentRow,
  type ContentSelection,
} from '../store.ts';
import { ownerNames } from './owner-names.ts';

interface Parts {
  readonly config: Config;
  readonly storage: Storage;
}

type Query = ApiRequest<'listApplications'>['query'];
type Filter = Readonly<Partial<Record<string, string>>>;

/** Larger than any list, and within the range of database integers. */
const FAR = 2 ** 52;

/** Lists the content items that the caller may see, for older clients. */
export async function listApplications(
  parts: Parts,
  { query, caller, base }: ApiRequest<'listApplications'>,
): Promise<ApiResponse<'listApplications'>> {
  const { config, storage } = parts;
  const filter: Filter = Object.fromEntries((query.filter ?? []).map((text) => text.split(':', 2)));
  const owners = await ownersOf(parts, caller, filter);
  const [only] = owners;
  const { content_type: type } = filter;
  const search = query.search?.toLowerCase() ?? '';
  if (search !== '') await writeMissingTexts(storage);
  const selection: ContentSelection = {
    scope: contentScope(caller, (filter.min_role as 'viewer' | 'editor' | 'owner' | undefined) ?? null),
    name: filter.name,
    owner_guid: only,
    ...(type !== undefined && type !== 'all' && { kinds: kindsOf(type) }),
    ...(search !== '' && { texts: withText(search) }),
  };
  const { rows: page, total } = owners.length > 1 ? NOTHING : await pageOf(storage, selection, query);
  const names = await ownerNames(parts, caller, page);
  const view = { base, contentBase: contentBaseOf(config, base) };
  const applications = page.map((row) => presentApplication(row, { ...view, owner: names.of(row) }));
  const last = page.at(-1);
  return {
    applications,
    count: applications.length,
    total,
    // Also returned at the end of the list: clients that continue get an empty page.
    continuation: last === undefined ? '' : encodePlace(last),
  };
}

/** The owner that all filters agree on: none for any owner, several if no content can match. */
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

const NOTHING = { rows: [], total: 0 };

/** A category, or an app_mode in the terms of the manifest or of the contract. */
function kindsOf(type: string): ContentKinds {
  const isUnknown = type === 'unknown';
  return { kinds: isUnknown ? [null] : [type], categories: [type] };
}

async function pageOf(
  { db }: Storage,
  selection: ContentSelection,
  query: Query,
): Promise<{ rows: ContentRow[]; total: number }> {
  const first = query.start === undefined ? (query.offset ?? 0) : Math.max(query.start - 1, 0);
  const from = query.cont ? decodePlace(query.cont) : Math.min(first, FAR);
  return readContentPage(db, selection, { limit: Math.min(query.count, MAX_APPLICATIONS), from });
}

function encodePlace({ created_time, guid }: ContentPlace): string {
  return Buffer.from(`${created_time}.${guid}`).toString('base64url');
}

/** @throws ApiError 25 for a token that this server did not issue. */
function decodePlace(text: string): ContentPlace {
  const [, time, guid = ''] =
    /^(\d{1,16})\.([0-9a-f-]{36})$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (time === undefined)
    throw errors.invalidParameter({ message: 'cont must be one that this server returned' });
  return { created_time: Number(time), guid };
}
