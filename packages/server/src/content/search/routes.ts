// Search of the content that the caller may see: by text, owner, kind and tag.
import { errors, kinds } from '@pressroom/api/contract';
import { offsetOf } from '../../http/paging.ts';
import type { ApiResponse, ApiRequest } from '../../http/request.ts';
import type { Config } from '../../main/config/settings.ts';
import { seesAllAccounts } from '../../people/policy.ts';
import type { Executor, Storage } from '../../platform/database/storage.ts';
import { branchOf, listTags } from '../../tags/store.ts';
import { contentBaseOf } from '../address.ts';
import { included } from '../included.ts';
import { contentRole, type ContentRole, contentScope } from '../policy.ts';
import { presentContentGa } from '../present.ts';
import { type ContentKinds, type ContentRow, type ContentSelection, readContentInOrder } from '../store.ts';
import { parseSearch, type SearchQuery } from './query.ts';
import { ownedBy, withWords, type SearchedOwners } from './store.ts';
import { writeMissingTexts } from './texts-store.ts';

interface Parts {
  readonly config: Config;
  readonly storage: Storage;
}

interface Candidate {
  readonly content: ContentRow;
  readonly role: ContentRole;
}

/** Of one search: the depth of a condition is limited. */
const MAX_WORDS = 100;

export const searchRoutes = { searchContent };

async function searchContent(
  { storage, config }: Parts,
  { query, caller, base }: ApiRequest<'searchContent'>,
): Promise<ApiResponse<'searchContent'>> {
  const { db } = storage;
  const wanted = parseSearch(query.q);
  if (wanted.words.length > 0) await writeMissingTexts(storage);
  const selection = {
    scope: contentScope(caller, null),
    ...(wanted.tags.length > 0 && { tags: await tagsBelow(db, wanted.tags) }),
    ...(wanted.types.length > 0 && { kinds: kindsNamed(wanted.types) }),
    ...publishedIn(wanted),
    ...(await conditionsOf(db, wanted, {
      caller: caller.guid,
      everybody: seesAllAccounts(config, caller),
    })),
  };
  const { offset, limit } = offsetOf(query);
  const page = { by: query.sort, order: query.order, offset, limit };
  const { rows, total } = await readContentInOrder(db, selection, page);
  const found = rows.flatMap(({ granted, ...content }): Candidate[] => {
    const role = contentRole(content, caller, granted);
    return role === null ? [] : [{ content, role }];
  });
  const contentBase = contentBaseOf(config, base);
  const shown = { include: query.include, caller, contentBase };
  const extras = await included(
    { config, storage },
    shown,
    found.map(({ content }) => content),
  );
  const results = found.map(({ content, role }) => ({
    ...presentContentGa(content, { role, base, contentBase }),
    ...extras(content),
  }));
  return { current_page: query.page_number, results, total };
}

/** Of owners whom the caller may not see, names match nothing. */
async function conditionsOf(
  db: Executor,
  { words, owners }: SearchQuery,
  searched: SearchedOwners,
): Promise<Pick<ContentSelection, 'texts' | 'owners'>> {
  if (words.length + owners.length > MAX_WORDS)
    throw errors.invalidParameter({ message: `q must have at most ${MAX_WORDS} words` });
  return {
    ...(words.length > 0 && { texts: await withWords(db, [...new Set(words)], searched) }),
    ...(owners.length > 0 && { owners: ownedBy([...new Set(owners)], searched) }),
  };
}

/** Other values do not filter. */
function publishedIn({ states }: SearchQuery): { isPublished?: boolean } {
  const [published, unpublished] = ['published', 'unpublished'].map((state) => states.includes(state));
  return published === unpublished ? {} : { isPublished: published === true };
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
