// Conditions of searches for content. All words are in lower case, as are the columns they are compared with.
import { sql, type RawBuilder } from 'kysely';
import type { Executor } from '../../platform/database/storage.ts';

/** A condition on rows of `content`. */
export type Matching = RawBuilder<boolean>;
/** A condition on rows of `content_text`. */
export type TextsMatching = RawBuilder<boolean>;

/** Whose names are searched. */
export interface SearchedOwners {
  readonly caller: string;
  /** Otherwise only the caller's own. */
  readonly everybody: boolean;
}

const ME = '@me';
const FULL_NAME = sql`first_name_key || ' ' || last_name_key`;
/** If there are more owners, or tags, each word may be in one of them. */
const NAMES_READ = 1000;

/** If more are found, a page is sooner read by looking at items in its order than by sorting what was found. */
const MANY = 5000;

/**
 * Content with such texts.
 * @param found how many. SQLite sorts what `in` finds, and so does PostgreSQL while it does not know texts that are new to
 * it; a subquery as a value has both look at items in the order of the page
 */
export function hasTexts(texts: TextsMatching, found: number): Matching {
  return found > MANY
    ? sql`(select ${texts} from content_text where content_guid = content.guid)`
    : sql`guid in (select content_guid from content_text where ${texts})`;
}

/** The text in the name, title or description. */
export function withText(text: string): TextsMatching {
  return contains('lowercase', text);
}

/** All words in the texts, the GUID of the content, the names of its owner, or the name of one of its tags. */
export async function withWords(
  db: Executor,
  words: readonly string[],
  owners: SearchedOwners,
): Promise<TextsMatching> {
  // Most words name nobody and no tag: databases plan a search better that does not ask for them.
  const named = await namesWith(db, words, owners);
  const conditions = words.map((word) => {
    const places = [contains('lowercase', word)];
    if (/^[\da-f-]+$/.test(word)) places.push(contains('content_guid', word));
    if (named.owner(word)) {
      const those = ownersWith(hasName(word), owners);
      places.push(sql`content_guid in (select guid from content where owner_guid in ${those})`);
    }
    if (named.tag(word)) {
      const those = sql`(select id from tag where ${contains('name_key', word)})`;
      places.push(sql`content_guid in (select content_guid from content_tag where tag_id in ${those})`);
    }
    return sql`(${either(places)})`;
  });
  return sql`${sql.join(conditions, sql` and `)}`;
}

/** Which of the words are in the name of an owner, and of a tag. */
async function namesWith(db: Executor, words: readonly string[], owners: SearchedOwners) {
  const isAmong = async (query: RawBuilder<{ names: string }>) => {
    const { rows } = await query.execute(db);
    return (word: string) => rows.length === NAMES_READ || rows.some(({ names }) => names.includes(word));
  };
  const owner = await isAmong(sql`select username_key || ' ' || ${FULL_NAME} as names from user_account
    where ${isSearched(owners)} and (${either(words.map(hasName))}) limit ${NAMES_READ}`);
  const tag = await isAmong(sql`select name_key as names from tag
    where ${either(words.map((word) => contains('name_key', word)))} limit ${NAMES_READ}`);
  return { owner, tag };
}

/** Content of owners with one of the names: a username, or part of the full name; `@me` for the caller. */
export function ownedBy(names: readonly string[], owners: SearchedOwners): Matching {
  const each = names.map((name) => sql<boolean>`(username_key = ${name} or ${contains(FULL_NAME, name)})`);
  const named = sql<boolean>`owner_guid in ${ownersWith(either(each), owners)}`;
  return names.includes(ME) ? sql`(${named} or owner_guid = ${owners.caller})` : named;
}

function ownersWith(condition: Matching, owners: SearchedOwners): RawBuilder<unknown> {
  return sql`(select guid from user_account where ${isSearched(owners)} and (${condition}))`;
}

function isSearched({ caller, everybody }: SearchedOwners): Matching {
  return everybody ? sql`guid in (select owner_guid from content)` : sql`guid = ${caller}`;
}

function hasName(word: string): Matching {
  return sql`(${contains('username_key', word)} or ${contains(FULL_NAME, word)})`;
}

function either(conditions: readonly Matching[]): Matching {
  return sql`${sql.join(conditions, sql` or `)}`;
}

function contains(text: string | RawBuilder<unknown>, word: string): Matching {
  const column = typeof text === 'string' ? sql.ref(text) : text;
  const pattern = `%${word.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  return sql`${column} like ${pattern} escape '\\'`;
}
