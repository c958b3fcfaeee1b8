// Search of the content that the caller may see: by text, owner, kind and tag.
import { setImmediate } from 'node:timers/promises';
import { kinds } from '@pressroom/api/contract';
import { offsetOf } from '../../http/paging.ts';
import type { ApiResponse, ApiRequest } from '../../http/request.ts';
import type { Config } from '../../main/config/settings.ts';
import { seesAccount } from '../../people/policy.ts';
import type { Executor, Storage } from '../../platform/database/storage.ts';
import type { Caller } from '../../sign-in/authenticator.ts';
import { branchOf, listTags, taggedContent } from '../../tags/store.ts';
import { contentBaseOf } from '../address.ts';
import { included } from '../included.ts';
import { contentRole, type ContentRole, contentScope } from '../policy.ts';
import { presentContentGa } from '../present.ts';
import {
  type ContentKinds,
  type ContentOrder,
  type ContentRow,
  type ContentTexts,
  type GrantedRole,
  readContentInOrder,
  readContentTexts,
  selectContentWithRole,
} from '../store.ts';
import { parseSearch, type SearchQuery } from './query.ts';
import { contentOwners, type OwnerRow } from './store.ts';

interface Parts {
  readonly config: Config;
  readonly storage: Storage;
}

/** Users whom the caller may not see cannot be found by name. */
const UNSEEN: OwnerRow = { guid: '', username: '', first_name: '', last_name: '' };

interface Candidate {
  readonly content: ContentRow;
  readonly role: ContentRole;
}

/** The caller, as an owner. */
const ME = '@me';

/** Owners in one query: the number of parameters of a statement is limited to some ten thousand. */
const OWNERS_ASKED = 500;

export const searchRoutes = { searchContent };

async function searchContent(
  { storage, config }: Parts,
  { query, caller, base }: ApiRequest<'searchContent'>,
): Promise<ApiResponse<'searchContent'>> {
  const { db } = storage;
  const wanted = parseSearch(query.q);
  const isByPeople = wanted.words.length > 0 || wanted.owners.some((name) => name !== ME);
  const all = isByPeople ? await contentOwners(db) : new Map<string, OwnerRow>();
  const owners = new Map([...all].filter(([guid]) => seesAccount(config, caller, guid)));
  const named = wanted.owners.length > 0 ? ownersNamed(wanted.owners, owners, caller) : null;
  const selection = {
    scope: contentScope(caller, null),
    ...(wanted.tags.length > 0 && { tags: await tagsBelow(db, wanted.tags) }),
    ...(named !== null && named.size <= OWNERS_ASKED && { owners: [...named] }),
    ...(wanted.types.length > 0 && { kinds: kindsNamed(wanted.types) }),
    ...publishedIn(wanted),
  };
  const isAllSelected = wanted.words.length === 0 && (named === null || named.size <= OWNERS_ASKED);
  const { sort, order } = query;
  const { offset, limit } = offsetOf(query);
  const read = async () => {
    if (isAllSelected) {
      const { rows, total } = await readContentInOrder(db, selection, { by: sort, order, offset, limit });
      return { page: rows.flatMap(candidateOf), total };
    }
    const tags = await tagNames(db, wanted);
    const found: Found[] = [];
    for await (const some of readContentTexts(db, selection)) {
      const matching = some.filter((content) => {
        const owner = owners.get(content.owner_guid) ?? UNSEEN;
        const isTheirs = named?.has(content.owner_guid) ?? true;
        return isTheirs && hasWords(wanted, textsOf(content, owner, tags.get(content.guid)));
      });
      found.push(...matching.map((content) => ({ guid: content.guid, key: keyOf(content, sort) })));
      // Others come in between.
      await setImmediate();
    }
    found.sort(compare);
    if (order === 'desc') found.reverse();
    const guids = found.slice(offset, offset + limit).map(({ guid }) => guid);
    if (guids.length === 0) return { page: [], total: found.length };
    const rows = await selectContentWithRole(db, { ...selection, guids });
    const page = rows.toSorted((a, b) => guids.indexOf(a.guid) - guids.indexOf(b.guid));
    return { page: page.flatMap(candidateOf), total: found.length };
  };
  const candidateOf = ({ granted, ...content }: ContentRow & { granted: GrantedRole }): Candidate[] => {
    const role = contentRole(content, caller, granted);
    return role === null ? [] : [{ content, role }];
  };
  const { page, total } = await read();
  const contentBase = contentBaseOf(config, base);
  const shown = { include: query.include, caller, contentBase };
  const extras = await included(
    { config, storage },
    shown,
    page.map(({ content }) => content),
  );
  const results = page.map(({ content, role }) => ({
    ...presentContentGa(content, { role, base, contentBase }),
    ...extras(content),
  }));
  return { current_page: query.page_number, results, total };
}

/** Other values do not filter. */
function publishedIn({ states }: SearchQuery): { isPublished?: boolean } {
  const [published, unpublished] = ['published', 'unpublished'].map((state) => states.includes(state));
  return published === unpublished ? {} : { isPublished: published === true };
}

/** Case-insensitive for all languages, which the databases do not do alike. */
function hasWords({ words }: SearchQuery, texts: readonly string[]): boolean {
  const searched = texts.map((text) => text.toLowerCase());
  return words.every((word) => searched.some((text) => text.includes(word)));
}

function textsOf(content: ContentTexts, owner: OwnerRow, tags: readonly string[] = []): string[] {
  const { guid, name, title, description } = content;
  return [guid, name, title ?? '', description, owner.username, fullNameOf(owner), ...tags];
}

/** Names of tags that have a word of the query, by content item. */
async function tagNames(db: Executor, { words }: SearchQuery): Promise<Map<string, string[]>> {
  const names = new Map<string, string[]>();
  for (const { id, name } of await listTags(db)) {
    if (!words.some((word) => name.toLowerCase().includes(word))) continue;
    for (const guid of await taggedContent(db, id)) names.set(guid, [...(names.get(guid) ?? []), name]);
  }
  return names;
}

function fullNameOf({ first_name, last_name }: OwnerRow): string {
  return `${first_name} ${last_name}`;
}

function ownersNamed(
  names: readonly string[],
  owners: ReadonlyMap<string, OwnerRow>,
  caller: Caller,
): Set<string> {
  const isNamed = (owner: OwnerRow) =>
    names.some(
      (name) => owner.username.toLowerCase() === name || fullNameOf(owner).toLowerCase().includes(name),
    );
  const named = [...owners.values()].filter(isNamed).map(({ guid }) => guid);
  return new Set(names.includes(ME) ? [...named, caller.guid] : named);
}

/** The kinds with a name: technical, category, or everyday ("document", "application", "api", "streamlit"). */
function kindsNamed(types: readonly string[]): ContentKinds {
  const named = kinds.filter(({ appmode, app_mode, isNearest, label, noun }) => {
    const called = label.toLowerCase();
    const names = [appmode, noun.toLowerCase(), called, called.replace(/ .*/, '')];
    return (isNearest ? names : [...names, app_mode]).some((name) => types.includes(name));
  });
  const unknown = types.includes('unknown') ? [null] : [];
  return { kinds: [...named.map(({ appmode }) => appmode), ...unknown], categories: types };
}

/** Tags with these names, and all tags below them. */
async function tagsBelow(db: Executor, names: readonly string[]): Promise<number[]> {
  const tags = (await listTags(db)).filter(({ name_key }) => names.includes(name_key));
  return (await Promise.all(tags.map(({ id }) => branchOf(db, id)))).flat();
}

interface Found {
  readonly guid: string;
  readonly key: string | number;
}

/** Orders as the database does. */
function keyOf({ name, created_time, last_deployed_time }: ContentTexts, by: ContentOrder): string | number {
  if (by === 'name') return name.toLowerCase();
  return by === 'created' ? created_time : (last_deployed_time ?? created_time);
}

function compare(a: Found, b: Found): number {
  if (a.key === b.key) return a.guid < b.guid ? -1 : 1;
  return a.key < b.key ? -1 : 1;
}
