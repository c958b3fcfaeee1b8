// The paged lists of the contract: how rows are inserted directly into the database, and filtered.
import { randomUUID } from 'node:crypto';
import type { Person, TestServer } from '@pressroom/testkit';
import fc from 'fast-check';

/** An inserted row. */
type Row = Readonly<Record<string, string | number | null>>;

/** A filter, and the rows it must find. */
export interface Filter {
  readonly query: Readonly<Record<string, string>>;
  readonly holds: (row: Row) => boolean;
}

export interface PagedList {
  /** Relative to `/__api__`. */
  readonly path: string;
  /** The field that identifies an item, in a response and in the table. */
  readonly key: string;
  /** A query that finds exactly the inserted rows. */
  readonly only: Readonly<Record<string, string>>;
  /** Inserts the rows of a range, counted from 0. */
  readonly add: (from: number, to: number) => Promise<Row[]>;
  readonly filter: fc.Arbitrary<Filter>;
}

/** By operation: the test fails for missing ones. */
export type PagedLists = Readonly<Record<string, PagedList>>;

/** SQLite accepts at most 32,766 parameters, PostgreSQL 65,535. */
const AT_ONCE = 500;
/** Groups of five rows have the same time: pages end between them. */
const timeOf = (i: number) => 1_700_000_000_000_000 + Math.floor(i / 5) * 1_000_000;
const bit = (holds: boolean): 0 | 1 => (holds ? 1 : 0);
export const ALL: Filter = { query: {}, holds: () => true };
const ACTIONS = ['paged', 'a?b&c=50%+ü'];
const VERSIONS = [1, 2, 3];

/** Lists of the same table have content items of their own. */
export async function pagedLists(server: TestServer, admin: Person): Promise<PagedLists> {
  const { db } = server.running.services.storage;
  const contents = await Promise.all(
    ['visited', 'used', 'archived', 'other'].map(
      async (name): Promise<string> =>
        (await admin.call('POST', '/v1/content', { body: { name } })).body.guid,
    ),
  );
  const [visited = '', used = '', archived = '', other = ''] = contents;
  const owner = (await server.person('publisher')).guid;
  const searched = await server.person('publisher');

  /** Created with its members: the list of groups has no filter to hide it. */
  const crowd = {
    guid: randomUUID(),
    name: 'Crowd',
    name_key: 'crowd',
    owner_guid: null,
    unique_id: null,
    created_time: timeOf(0),
  };

  /** Creates rows and inserts them in batches, in one transaction. */
  const adding =
    <R extends Row>(row: (i: number) => R, insert: (tx: typeof db, rows: R[]) => Promise<unknown>) =>
    async (from: number, to: number): Promise<R[]> => {
      const rows = Array.from({ length: to - from }, (_, i) => row(from + i));
      await server.running.services.storage.write(async (tx) => {
        for (let i = 0; i < rows.length; i += AT_ONCE) await insert(tx, rows.slice(i, i + AT_ONCE));
      });
      return rows;
    };
  const person = (i: number) => ({
    guid: randomUUID(),
    username: `u${i}`,
    username_key: `u${i}`,
    email: '',
    // Many share it: the order needs all its columns.
    first_name: `F${i % 3}`,
    last_name: 'L',
    first_name_key: `f${i % 3}`,
    last_name_key: 'l',
    user_role: 'viewer' as const,
    password_hash: null,
    must_set_password: bit(false),
    confirmed: bit(true),
    locked: bit(i % 4 === 0),
    unique_id: null,
    created_time: timeOf(i),
    updated_time: timeOf(i),
    active_time: null,
  });
  const auditRow = (i: number) => ({
    id: 1_000_000 + i,
    time: timeOf(i),
    user_id: owner,
    user_description: 'p',
    action: ACTIONS[i % ACTIONS.length]!,
    event_description: '',
    content_guid: i % 2 === 0 ? other : null,
    bundle_id: null,
    task_id: null,
    slack_user: null,
    seq: null,
    mac: null,
  });
  const usage = (i: number, content: string) => ({
    content_guid: i % 3 === 0 ? other : content,
    // Also identifies it in the response.
    user_guid: randomUUID(),
    data_version: VERSIONS[i % VERSIONS.length]!,
  });
  const usageFilter = (content: string, time: 'time' | 'started'): fc.Arbitrary<Filter> =>
    fc.oneof(
      fc.constant({ query: { content_guid: content }, holds: (row: Row) => row['content_guid'] === content }),
      fc.constantFrom(...VERSIONS, 4).map((least) => ({
        query: { min_data_version: String(least) },
        holds: (row: Row) => Number(row['data_version']) >= least,
      })),
      fc.nat(25).map((i) => ({
        query: { to: new Date(timeOf(i) / 1000).toISOString() },
        holds: (row: Row) => Number(row[time]) <= timeOf(i),
      })),
    );

  const addAudit = adding(auditRow, (tx, rows) => tx.insertInto('audit_log').values(rows).execute());
  /** Replaces existing rows: the list has no filter to hide them. */
  const renewAudit = async (from: number, to: number) => {
    if (from === 0) await db.deleteFrom('audit_log').execute();
    return addAudit(from, to);
  };
  const field = (name: string, value: string): Filter => ({
    query: { [name]: value },
    holds: (row) => row[name] === value,
  });

  const contentRow = (i: number) => ({
    guid: randomUUID(),
    name: `c${i}`,
    description: '',
    access_type: i % 3 === 0 ? ('all' as const) : ('acl' as const),
    app_mode: i % 3 === 0 ? 'static' : 'shiny',
    kind: i % 3 === 0 ? 'static' : 'shiny',
    content_category: i % 4 === 0 ? 'pin' : '',
    has_parameters: bit(false),
    git_managed: bit(false),
    created_time: timeOf(i),
  });
  /** All in the manifest of one bundle. */
  const addPackages = async (from: number, to: number): Promise<Row[]> => {
    const rows = Array.from({ length: to }, (_, i) => ({ name: `p${i}`, version: `1.${i % 3}` }));
    const packages = Object.fromEntries(
      rows.map(({ name, version }) => [
        name,
        { Source: 'CRAN', description: { Package: name, Version: version } },
      ]),
    );
    const manifest = JSON.stringify({ version: 1, metadata: { appmode: 'shiny' }, packages });
    const bundle = {
      content_guid: other,
      created_time: timeOf(0),
      created_by: admin.guid,
      size: 1,
      md5: '',
      manifest,
      sha1: null,
      r_version: null,
      py_version: null,
      deployed_time: null,
    };
    await server.running.services.storage.write(async (tx) => {
      const { id } = await tx.insertInto('bundle').values(bundle).returning('id').executeTakeFirstOrThrow();
      await tx.updateTable('content').set({ bundle_id: id }).where('guid', '=', other).execute();
    });
    return rows.slice(from);
  };

  const insertMembers = adding(
    (i) => ({ ...person(i), username: `m${i}`, username_key: `m${i}`, user_role: 'publisher' as const }),
    async (tx, rows) => {
      await tx.insertInto('user_account').values(rows).execute();
      const joined = rows.map(({ guid }) => ({ group_guid: crowd.guid, user_guid: guid }));
      await tx.insertInto('group_member').values(joined).execute();
    },
  );
  const addMembers = async (from: number, to: number) => {
    if (from === 0) {
      const group = db.insertInto('user_group').values(crowd);
      await group.onConflict((conflict) => conflict.doNothing()).execute();
    }
    return insertMembers(from, to);
  };

  return {
    getAuditLogs: {
      path: '/v1/audit_logs',
      key: 'id',
      only: {},
      add: renewAudit,
      filter: fc.constant(ALL),
    },
    getAuditEvents: {
      path: '/v1/audit_events',
      key: 'id',
      only: {},
      add: renewAudit,
      filter: fc.constantFrom(
        ...ACTIONS.map((action) => field('action', action)),
        field('content_guid', other),
      ),
    },
    getContentVisits: {
      path: '/v1/instrumentation/content/visits',
      key: 'user_guid',
      only: { content_guid: `${visited}|${other}` },
      add: adding(
        (i) => ({
          ...usage(i, visited),
          time: timeOf(i),
          bundle_id: 1,
          rendering_id: null,
          variant_key: null,
        }),
        (tx, rows) => tx.insertInto('visit').values(rows).execute(),
      ),
      filter: usageFilter(visited, 'time'),
    },
    getShinyAppUsage: {
      path: '/v1/instrumentation/shiny/usage',
      key: 'user_guid',
      only: { content_guid: `${used}|${other}` },
      add: adding(
        (i) => ({ ...usage(i, used), started: timeOf(i), ended: timeOf(i), job_key: null }),
        (tx, rows) => tx.insertInto('app_session').values(rows).execute(),
      ),
      filter: usageFilter(used, 'started'),
    },
    getUsers: {
      path: '/v1/users',
      key: 'guid',
      only: { user_role: 'viewer' },
      add: adding(person, (tx, rows) => tx.insertInto('user_account').values(rows).execute()),
      filter: fc.constantFrom<Filter>(
        { query: { account_status: 'locked' }, holds: (row) => row['locked'] === 1 },
        { query: { account_status: 'inactive' }, holds: (row) => row['locked'] === 0 },
        { query: { account_status: 'licensed' }, holds: () => false },
        { query: { account_status: 'locked|inactive' }, holds: () => true },
      ),
    },
    getGroups: {
      path: '/v1/groups',
      key: 'guid',
      only: {},
      add: adding(
        (i) => ({
          guid: randomUUID(),
          name: `G${i}`,
          name_key: `g${i}`,
          owner_guid: null,
          unique_id: null,
          created_time: timeOf(i),
        }),
        (tx, rows) => tx.insertInto('user_group').values(rows).execute(),
      ),
      filter: fc.constant(ALL),
    },
    getGroupMembers: {
      path: `/v1/groups/${crowd.guid}/members`,
      key: 'guid',
      only: {},
      add: addMembers,
      filter: fc.constant(ALL),
    },
    getBundles: {
      path: `/v1/experimental/content/${archived}/bundles`,
      key: 'id',
      only: {},
      add: adding(
        (i) => ({
          id: 1_000_000 + i,
          content_guid: archived,
          created_time: timeOf(i),
          created_by: admin.guid,
          size: 1,
          md5: '',
          manifest: '{}',
          sha1: null,
          r_version: null,
          py_version: null,
          deployed_time: null,
        }),
        (tx, rows) => tx.insertInto('bundle').values(rows).execute(),
      ),
      filter: fc.constant(ALL),
    },
    listApplications: {
      path: '/applications',
      key: 'guid',
      only: { filter: `account_id:${owner}` },
      add: adding(
        (i) => ({ ...contentRow(i), title: i % 2 === 0 ? 'Zur ÜBERSICHT' : null, owner_guid: owner }),
        (tx, rows) => tx.insertInto('content').values(rows).execute(),
      ),
      filter: fc.oneof(
        fc.constantFrom('pin', 'static', 'shiny', 'all').map((type) => ({
          query: { filter: `content_type:${type}` },
          holds: (row: Row) => ['all', row['content_category'], row['app_mode']].includes(type),
        })),
        fc.constantFrom<Filter>(
          { query: { filter: 'min_role:viewer' }, holds: (row) => row['access_type'] !== 'acl' },
          { query: { search: 'übersicht' }, holds: (row) => row['title'] !== null },
        ),
        fc.nat(25).map((i) => ({
          query: { filter: `name:c${i}` },
          holds: (row: Row) => row['name'] === `c${i}`,
        })),
      ),
    },
    searchContent: {
      path: '/v1/search/content',
      key: 'guid',
      // Words are searched in portions, filters in the database.
      only: { q: searched.username },
      add: adding(
        (i) => ({ ...contentRow(i), title: null, owner_guid: searched.guid }),
        (tx, rows) => tx.insertInto('content').values(rows).execute(),
      ),
      filter: fc.constantFrom('static', 'shiny').map((type) => ({
        query: { q: `owner:${searched.username} type:${type}` },
        holds: (row: Row) => row['app_mode'] === type,
      })),
    },
    getPackages: {
      path: '/v1/packages',
      key: 'name',
      only: { app_guid: other },
      add: addPackages,
      filter: fc.constantFrom<Filter>(
        { query: { language: 'r' }, holds: () => true },
        { query: { version: '1.1' }, holds: (row) => row['version'] === '1.1' },
      ),
    },
  };
}
