// Database access for content items and their permissions.
import { sql, type Insertable, type Selectable, type SelectQueryBuilder, type Updateable } from 'kysely';
import { joinedBundle, JOINED_BUNDLE, type BundleRow } from '../bundles/store.ts';
import { queryTime } from '../platform/clock.ts';
import { fromNearerEnd } from '../platform/database/nearer-end.ts';
import type { Bit, ContentTable, PermissionTable, Schema } from '../platform/database/schema.ts';
import type { Executor } from '../platform/database/storage.ts';
import { hasTexts, type Matching, type TextsMatching } from './search/store.ts';
import { writeTexts } from './search/texts-store.ts';

export type ContentRow = Selectable<ContentTable>;
export type PermissionRow = Selectable<PermissionTable>;
/** A user's highest permission on a content item, direct or through a group. */
export type GrantedRole = 'owner' | 'viewer' | null;

/** The key for Storage.write for changes to this item alone. */
export function aboutContent(guid: string): string {
  return `content:${guid}`;
}

export function findContent(db: Executor, guid: string): Promise<ContentRow | undefined> {
  return db.selectFrom('content').selectAll().where('guid', '=', guid).executeTakeFirst();
}

/** Booleans as the engine returns them. */
type Truth = boolean | Bit;

/** A content item, the bundle to deploy, and which rules apply to a deploy. */
export interface ContentToDeploy {
  readonly content: ContentRow &
    Record<'has_lock' | 'has_approvals' | 'has_canaries' | 'has_draft_pipelines', Truth>;
  readonly bundle: BundleRow | undefined;
}

/**
 * Reads everything in one query instead of five.
 * @param bundleId may belong to other content; null: the active bundle if `isActive`, else the newest
 */
export async function findContentToDeploy(
  db: Executor,
  guid: string,
  { bundleId, isActive }: { readonly bundleId: number | null; readonly isActive: boolean },
): Promise<ContentToDeploy | undefined> {
  const has = (table: string, which = sql`true`) =>
    sql<Truth>`exists (select 1 from ${sql.table(table)} as rule where rule.content_guid = content.guid and ${which})`;
  const newest = sql<number>`(select max(id) from bundle as newest where newest.content_guid = content.guid)`;
  const chosen = isActive ? sql<number>`coalesce(content.bundle_id, ${newest})` : newest;
  const content = await db
    .selectFrom('content')
    .leftJoin('bundle', (join) => join.on('bundle.id', '=', bundleId ?? chosen))
    .selectAll('content')
    .select([
      has('deploy_lock').as('has_lock'),
      has('approval_rule').as('has_approvals'),
      has('canary_rule').as('has_canaries'),
      has('trusted_publisher', sql`rule.drafts_only = 1`).as('has_draft_pipelines'),
    ])
    .select(JOINED_BUNDLE)
    .where('content.guid', '=', guid)
    .executeTakeFirst();
  return content && { content, bundle: joinedBundle(content) };
}

export async function insertContent(db: Executor, row: Insertable<ContentTable>): Promise<void> {
  await db.insertInto('content').values(row).execute();
  await writeTexts(db, [row.guid]);
}

export async function updateContentRow(
  db: Executor,
  guid: string,
  set: Updateable<ContentTable>,
): Promise<void> {
  if (Object.keys(set).length === 0) return;
  await db.updateTable('content').set(set).where('guid', '=', guid).execute();
  if ('name' in set || 'title' in set || 'description' in set) await writeTexts(db, [guid]);
}

/** Updates how processes of a deploy start, if it is still the active one. */
export async function setLaunch(db: Executor, guid: string, site: string, launch: string): Promise<void> {
  await db.updateTable('content').set({ launch }).where('guid', '=', guid).where('site', '=', site).execute();
}

/** Returns the users whose keys for it, or for visits of it, end. */
export async function removeContent(db: Executor, guid: string): Promise<Set<string>> {
  const keys = await db
    .deleteFrom('api_key')
    .where((e) => e.or([e('content_guid', '=', guid), e('visited_guid', '=', guid)]))
    .returning('user_guid')
    .execute();
  await db.deleteFrom('content').where('guid', '=', guid).execute();
  return new Set(keys.map(({ user_guid }) => user_guid));
}

/** Selects content by the caller's relation to it; any of these suffices. */
export interface ContentScope {
  readonly caller: string;
  /** Matching permissions, direct or through a group. The caller's own content always matches. */
  readonly granted: readonly NonNullable<GrantedRole>[];
  /** Whether content for everybody or all users matches. */
  readonly open: boolean;
  readonly everything: boolean;
}

export interface ContentSelection {
  readonly scope: ContentScope;
  readonly name?: string | undefined;
  readonly owner_guid?: string | undefined;
  readonly guid?: string | undefined;
  /** One value of each given list must match. */
  readonly guids?: readonly string[] | undefined;
  readonly kinds?: ContentKinds | undefined;
  /** Tag ids. */
  readonly tags?: readonly number[] | undefined;
  /** A group with a permission for it. */
  readonly group?: string | undefined;
  /** Whether visitors see a bundle. */
  readonly isPublished?: boolean | undefined;
  /** Conditions of a search: on the texts of the content, and on its owner. */
  readonly texts?: TextsMatching | undefined;
  readonly owners?: Matching | undefined;
}

/** Content by kind or by category. */
export interface ContentKinds {
  /** Kinds as in manifests; null for content that was never deployed. */
  readonly kinds: readonly (string | null)[];
  /** At least one. */
  readonly categories: readonly string[];
}

/** Items that are read at once of a list without pages. */
const PORTION = 200;

/** A position in the list: additions and deletions in between shift no page. */
export type ContentPlace = Pick<ContentRow, 'created_time' | 'guid'>;

/** A page of content items by creation time, from an offset or after a position, and the total. */
export async function readContentPage(
  db: Executor,
  selection: ContentSelection,
  page: { readonly limit: number; readonly from: number | ContentPlace },
): Promise<{ rows: ContentRow[]; total: number }> {
  const n = await countContent(db, selection);
  const { limit, from } = page;
  const inOrder = <Row>(query: SelectQueryBuilder<Schema, 'content', Row>) =>
    query.orderBy('created_time').orderBy('guid');
  const guids = inOrder(selectedContent(db, selection, n).select('guid')).limit(limit);
  const those =
    typeof from === 'number'
      ? guids.offset(from)
      : guids.where(sql<boolean>`(created_time, guid) > (${from.created_time}, ${from.guid})`);
  const rows = await inOrder(db.selectFrom('content').selectAll().where('guid', 'in', those)).execute();
  return { rows, total: n };
}

async function countContent(db: Executor, { texts, ...others }: ContentSelection): Promise<number> {
  const selected = selectedContent(db, others);
  const count = sql<number>`count(*)`.as('n');
  const query = texts === undefined ? selected.select(count) : withTexts(db, texts, selected).select(count);
  const { n } = await query.executeTakeFirstOrThrow();
  return n;
}

/** The selected items by their texts, which are compared first: each item has one row of them. */
function withTexts(db: Executor, texts: TextsMatching, selected: ReturnType<typeof selectedContent>) {
  const found = db.selectFrom('content_text').where(texts);
  const isAll = selected.toOperationNode().where === undefined;
  if (isAll) return found;
  return found.where(({ exists }) =>
    exists(selected.select('guid').where(sql<boolean>`guid = content_text.content_guid`)),
  );
}

/** Items with the caller's permission on each. */
function withRole(items: ReturnType<typeof selectedContent>, caller: string) {
  return items.selectAll('content').select(granted(caller).as('granted'));
}

/**
 * All selected items by creation time, with the caller's permission on each, in portions. Selects once: selecting again
 * for each portion would take longer than all the rest.
 */
export async function* readContentWithRole(
  db: Executor,
  selection: ContentSelection,
): AsyncGenerator<(ContentRow & { granted: GrantedRole })[]> {
  const inOrder = <Row>(query: SelectQueryBuilder<Schema, 'content', Row>) =>
    query.orderBy('created_time').orderBy('guid').execute();
  const places = await inOrder(selectedContent(db, selection).select('guid'));
  const { scope } = selection;
  for (let at = 0; at < places.length; at += PORTION) {
    const guids = places.slice(at, at + PORTION).map(({ guid }) => guid);
    yield await inOrder(withRole(selectedContent(db, { scope, guids }), scope.caller));
  }
}

export type ContentOrder = 'name' | 'created' | 'last_deployed_time';
const ORDER = {
  name: sql`lower(name)`,
  created: sql`created_time`,
  last_deployed_time: sql`coalesce(last_deployed_time, created_time)`,
};

/** A page in an order, with the caller's permission on each item, and the total. */
export async function readContentInOrder(
  db: Executor,
  selection: ContentSelection,
  page: {
    readonly by: ContentOrder;
    readonly order: 'asc' | 'desc';
    readonly limit: number;
    readonly offset: number;
  },
): Promise<{ rows: (ContentRow & { granted: GrantedRole })[]; total: number }> {
  const { by, order } = page;
  const n = await countContent(db, selection);
  const selected = selectedContent(db, selection, n);
  const rows = await fromNearerEnd(page, n, ({ offset, limit }, direction) => {
    const sorted = <Row>(query: SelectQueryBuilder<Schema, 'content', Row>) =>
      query.orderBy(ORDER[by], direction(order === 'asc')).orderBy('guid', direction(order === 'asc'));
    // An index has all that the inner query needs: skipped rows are not read.
    const guids = sorted(selected.select('guid')).limit(limit).offset(offset);
    const those = db.selectFrom('content').where('guid', 'in', guids);
    return sorted(withRole(those, selection.scope.caller)).execute();
  });
  return { rows, total: n };
}

/** The selected items as a subquery. @param found how many are expected */
export function selectedContent(db: Executor, selection: ContentSelection, found = 0) {
  const { scope, name, owner_guid, guid, guids, kinds, tags, group, isPublished, texts, owners } = selection;
  let query = db.selectFrom('content');
  if (guid !== undefined) query = query.where('guid', '=', guid);
  if (guids !== undefined) query = query.where('guid', 'in', guids);
  if (tags?.length === 0) query = query.where(sql<boolean>`1 = 0`);
  if (kinds !== undefined)
    query = query.where((eb) => {
      const ofCategory = eb('content_category', 'in', kinds.categories);
      const named = kinds.kinds.filter((kind) => kind !== null);
      const any = [ofCategory];
      if (named.length > 0) any.push(eb('kind', 'in', named));
      if (named.length < kinds.kinds.length) any.push(eb('kind', 'is', null));
      return eb.or(any);
    });
  if (tags !== undefined && tags.length > 0)
    query = query.where('guid', 'in', (eb) =>
      eb.selectFrom('content_tag').select('content_guid').where('tag_id', 'in', tags),
    );
  if (group !== undefined)
    query = query.where('guid', 'in', (eb) =>
      eb
        .selectFrom('permission')
        .select('content_guid')
        .where('principal_guid', '=', group)
        .where(permissionIsOpen('permission')),
    );
  if (isPublished !== undefined) query = query.where('bundle_id', isPublished ? 'is not' : 'is', null);
  // There is an index of names in lower case.
  if (name !== undefined)
    query = query.where(sql<boolean>`lower(name) = lower(${name})`).where('name', '=', name);
  if (owner_guid !== undefined) query = query.where('owner_guid', '=', owner_guid);
  if (texts !== undefined) query = query.where(hasTexts(texts, found));
  if (owners !== undefined) query = query.where(owners);
  const { caller, granted: roles, open, everything } = scope;
  if (everything) return query;
  return query.where((eb) => {
    const any = [eb('owner_guid', '=', caller)];
    if (open) any.push(eb('access_type', '!=', 'acl'));
    if (roles.length > 0) {
      const groups = eb.selectFrom('group_member').select('group_guid').where('user_guid', '=', caller);
      const permitted = eb
        .selectFrom('permission')
        .select('content_guid')
        .where('role', 'in', roles)
        .where(permissionIsOpen('permission'))
        .where((of) => of.or([of('principal_guid', '=', caller), of('principal_guid', 'in', groups)]));
      any.push(eb('guid', 'in', permitted));
    }
    return eb.or(any);
  });
}

/** The newest public content. */
export function listPublicContent(
  db: Executor,
  limit: number,
): Promise<Pick<ContentRow, 'guid' | 'name' | 'title'>[]> {
  return db
    .selectFrom('content')
    .select(['guid', 'name', 'title'])
    .where('access_type', '=', 'all')
    .where('locked', '=', 0)
    .where('site', 'is not', null)
    .orderBy('created_time', 'desc')
    .limit(limit)
    .execute();
}

export async function findGrantedRole(
  db: Executor,
  contentGuid: string,
  userGuid: string,
): Promise<GrantedRole> {
  const row = await db
    .selectFrom('content')
    .select(granted(userGuid).as('granted'))
    .where('guid', '=', contentGuid)
    .executeTakeFirst();
  return row?.granted ?? null;
}

/** `owner` sorts before `viewer`: the minimum is the highest. */
function granted(userGuid: string) {
  return sql<GrantedRole>`(
    select min(p.role) from permission p where p.content_guid = content.guid and ${permissionIsOpen('p')} and (
      p.principal_guid = ${userGuid}
      or p.principal_guid in (select m.group_guid from group_member m where m.user_guid = ${userGuid})
    ))`;
}

/** Whether a permission has not expired: part of every query, since nothing happens at the moment of expiry. */
export function permissionIsOpen(table: string) {
  const ends = sql.ref(`${table}.expires_time`);
  return sql<boolean>`(${ends} is null or ${ends} > ${queryTime()})`;
}

/** By id, without expired ones. */
export function listPermissions(db: Executor, contentGuid: string): Promise<PermissionRow[]> {
  return db
    .selectFrom('permission')
    .selectAll()
    .where('content_guid', '=', contentGuid)
    .where(permissionIsOpen('permission'))
    .orderBy('id')
    .execute();
}

/** Expired permissions of all content. */
export function endedPermissions(db: Executor): Promise<PermissionRow[]> {
  return db.selectFrom('permission').selectAll().where('expires_time', '<=', queryTime()).execute();
}

export function findPermission(
  db: Executor,
  contentGuid: string,
  id: number,
): Promise<PermissionRow | undefined> {
  return db
    .selectFrom('permission')
    .selectAll()
    .where('content_guid', '=', contentGuid)
    .where('id', '=', id)
    .where(permissionIsOpen('permission'))
    .executeTakeFirst();
}

/** Replaces an expired permission of the same principal. */
export async function insertPermission(db: Executor, row: Omit<PermissionRow, 'id'>): Promise<PermissionRow> {
  await db
    .deleteFrom('permission')
    .where('content_guid', '=', row.content_guid)
    .where('principal_guid', '=', row.principal_guid)
    .where('expires_time', '<=', queryTime())
    .execute();
  return db.insertInto('permission').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function updatePermissionRow(
  db: Executor,
  { id, role, expires_time }: Pick<PermissionRow, 'id' | 'role' | 'expires_time'>,
): Promise<void> {
  await db.updateTable('permission').set({ role, expires_time }).where('id', '=', id).execute();
}

export async function removePermissionsOf(
  db: Executor,
  contentGuid: string,
  userGuid: string,
): Promise<void> {
  await db
    .deleteFrom('permission')
    .where('content_guid', '=', contentGuid)
    .where('principal_guid', '=', userGuid)
    .execute();
}

export async function removePermission(db: Executor, id: number): Promise<void> {
  await db.deleteFrom('permission').where('id', '=', id).execute();
}

/** Content that runs on demand. */
export function applicationContents(db: Executor): Promise<ContentRow[]> {
  return db.selectFrom('content').selectAll().where('launch', 'is not', null).execute();
}

/** Rendered documents with the directory they are served from. */
export async function renderedSites(db: Executor): Promise<{ guid: string; site: string }[]> {
  const rows = await db
    .selectFrom('content')
    .select(['guid', 'site'])
    .where('rendering_id', 'is not', null)
    .orderBy('guid')
    .execute();
  return rows.flatMap(({ guid, site }) => (site === null ? [] : [{ guid, site }]));
}

/** Every content item with the directory it is served from, for the start-up sweep. */
export async function servedSites(db: Executor): Promise<Map<string, string | null>> {
  const rows = await db.selectFrom('content').select(['guid', 'site']).execute();
  return new Map(rows.map((row) => [row.guid, row.site]));
}
