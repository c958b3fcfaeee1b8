// Search of the content that the caller may see: by text, owner, kind and tag.
import { KINDS } from '@pressroom/api/contract';
import { offsetOf } from '../../http/paging.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Config } from '../../main/config/settings.ts';
import { seesAccount } from '../../people/policy.ts';
import type { Executor, Storage } from '../../platform/database/storage.ts';
import type { Caller } from '../../sign-in/authenticator.ts';
import { branchOf, contentWithTags, listTags } from '../../tags/store.ts';
import { contentBaseOf } from '../address.ts';
import { included } from '../included.ts';
import { contentRole, type ContentRole } from '../policy.ts';
import { presentContentGa } from '../present.ts';
import { type ContentRow, listContent } from '../store.ts';
import { parseSearch, type SearchQuery } from './query.ts';
import { contentOwners, type OwnerRow } from './store.ts';

interface Parts {
  readonly config: Config;
  readonly storage: Storage;
}

/** Whoever the caller may not see is not found by name, either. */
const UNSEEN: OwnerRow = { guid: '', username: '', first_name: '', last_name: '' };

interface Candidate {
  readonly content: ContentRow;
  readonly role: ContentRole;
}

export const searchRoutes = { searchContent };

/** Searches the content that the caller may see. */
async function searchContent(
  { storage, config }: Parts,
  { query, caller, base }: ApiRequest<'searchContent'>,
): Promise<ApiAnswer<'searchContent'>> {
  const { db } = storage;
  const wanted = parseSearch(query.q);
  const tagged = await contentWithEvery(db, wanted.tags);
  const owners = await contentOwners(db);
  const found = (await listContent(db, caller.guid, {})).flatMap(({ granted, ...content }): Candidate[] => {
    const role = contentRole(content, caller, granted);
    const visible = seesAccount(config, caller, content.owner_guid);
    const owner = (visible && owners.get(content.owner_guid)) || UNSEEN;
    if (role === null) return [];
    const fits = (tagged?.has(content.guid) ?? true) && matches(wanted, content, owner, caller);
    return fits ? [{ content, role }] : [];
  });
  const sorted = found.toSorted((a, b) => compare(query.sort, a.content, b.content));
  if (query.order === 'desc') sorted.reverse();
  const { offset, limit } = offsetOf(query);
  const page = sorted.slice(offset, offset + limit);
  const contentBase = contentBaseOf(config, base);
  const asked = { include: query.include, caller, contentBase };
  const extras = await included(
    { config, storage },
    asked,
    page.map(({ content }) => content),
  );
  const results = page.map(({ content, role }) => ({
    ...presentContentGa(content, { role, base, contentBase }),
    ...extras(content),
  }));
  return { current_page: query.page_number, results, total: found.length };
}

function matches(
  { words, owners, types }: SearchQuery,
  content: ContentRow,
  owner: OwnerRow,
  caller: Caller,
) {
  const fullName = `${owner.first_name} ${owner.last_name}`.toLowerCase();
  const username = owner.username.toLowerCase();
  const texts = [content.name, content.title ?? '', content.description, username, fullName];
  const searched = texts.map((text) => text.toLowerCase());
  const isOwner = (name: string) =>
    name === '@me'
      ? owner.guid === caller.guid
      : name !== '' && (name === username || fullName.includes(name));
  return (
    words.every((word) => searched.some((text) => text.includes(word))) &&
    (owners.length === 0 || owners.some(isOwner)) &&
    (types.length === 0 || types.some((type) => typesOf(content).has(type)))
  );
}

/** What a kind is called: by programs, by its category, and by people ("document", "application", "api"). */
function typesOf({ app_mode, content_category }: ContentRow): Set<string> {
  const kinds = Object.entries(KINDS).filter(([key, kind]) => key === app_mode || kind.app_mode === app_mode);
  const names = [app_mode, content_category, ...kinds.map(([, { noun }]) => noun.toLowerCase())];
  return new Set(names.filter((name) => name !== ''));
}

/** Content with one of these tags or one below them; null where none is asked for. */
async function contentWithEvery(db: Executor, names: readonly string[]): Promise<Set<string> | null> {
  if (names.length === 0) return null;
  const tags = (await listTags(db)).filter(({ name_key }) => names.includes(name_key));
  if (tags.length === 0) return new Set();
  const branches = await Promise.all(tags.map(({ id }) => branchOf(db, id)));
  return contentWithTags(db, branches.flat());
}

type SortKey = 'name' | 'created' | 'last_deployed_time';

function compare(key: SortKey, a: ContentRow, b: ContentRow): number {
  const byGuid = a.guid < b.guid ? -1 : 1;
  if (key === 'name') return a.name.localeCompare(b.name, 'en') || byGuid;
  const timeOf = (row: ContentRow) =>
    key === 'created' ? row.created_time : (row.last_deployed_time ?? row.created_time);
  return timeOf(a) - timeOf(b) || byGuid;
}
