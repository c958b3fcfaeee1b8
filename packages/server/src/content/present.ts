// Rows → what leaves on the wire. The one place where fields are hidden.
import type {
  ApiKey,
  Application,
  Bundle,
  Content,
  ContentGa,
  Group,
  Job,
  Schedule,
  User,
  ServerRole,
} from '@pressroom/api';
import type { BundleRow } from '../bundles/store.ts';
import type { GroupRow } from '../groups/store.ts';
import type { UserRow } from '../people/store.ts';
import { toTimestamp } from '../platform/clock.ts';
import type { JobRow } from '../runtime/jobs/store.ts';
import type { ScheduleRow } from '../schedules/store.ts';
import type { ApiKeyRow } from '../sign-in/store.ts';
import type { ContentRole } from './policy.ts';
import type { ContentRow } from './store.ts';

export function presentUser(row: UserRow, view: { email: boolean }): User {
  return {
    email: view.email ? row.email : '',
    username: row.username,
    first_name: row.first_name,
    last_name: row.last_name,
    user_role: row.user_role,
    created_time: toTimestamp(row.created_time),
    updated_time: toTimestamp(row.updated_time),
    active_time: row.active_time === null ? null : toTimestamp(row.active_time),
    confirmed: row.confirmed === 1,
    locked: row.locked === 1,
    guid: row.guid,
  };
}

export function presentGroup({ guid, name }: GroupRow, owner_guid: string | null): Group {
  return { guid, name, owner_guid };
}

export function presentApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: String(row.id),
    user_guid: row.user_guid,
    name: row.name,
    created_time: toTimestamp(row.created_time),
    last_used_time: row.last_used_time === null ? null : toTimestamp(row.last_used_time),
    role: row.role,
    expires_time: row.expires_time === null ? null : toTimestamp(row.expires_time),
  };
}

export interface BundleView {
  readonly activeId: number | null;
  /** Versions are for publishers and administrators (contract, section 2 "Bundle"). */
  readonly callerRole: ServerRole;
  /** Bytes on disk. */
  readonly size: number;
}

export function presentBundle(row: BundleRow, { activeId, callerRole, size }: BundleView): Bundle {
  const versions = callerRole !== 'viewer';
  return {
    id: String(row.id),
    content_guid: row.content_guid,
    created_time: toTimestamp(row.created_time),
    r_version: versions ? row.r_version : null,
    py_version: versions ? row.py_version : null,
    active: row.id === activeId,
    size,
  };
}

export interface ContentView {
  readonly role: ContentRole;
  /** The address of the server as clients see it, without a slash at the end. */
  readonly base: string;
  /** Where content is. */
  readonly contentBase: string;
  readonly vanityPath?: string | null;
}

function describe(row: ContentRow) {
  return {
    guid: row.guid,
    name: row.name,
    title: row.title,
    description: row.description,
    access_type: row.access_type,
    connection_timeout: row.connection_timeout,
    read_timeout: row.read_timeout,
    init_timeout: row.init_timeout,
    idle_timeout: row.idle_timeout,
    max_processes: row.max_processes,
    min_processes: row.min_processes,
    max_conns_per_process: row.max_conns_per_process,
    load_factor: row.load_factor,
    created_time: toTimestamp(row.created_time),
    last_deployed_time: toTimestamp(row.last_deployed_time ?? row.created_time),
    bundle_id: row.bundle_id === null ? null : String(row.bundle_id),
    app_mode: row.app_mode as Content['app_mode'],
    content_category: row.content_category,
    r_version: row.r_version,
    py_version: row.py_version,
    run_as: row.run_as,
    run_as_current_user: false,
    owner_guid: row.owner_guid,
  };
}

export function presentContent(row: ContentRow, view: ContentView): Content {
  return {
    ...describe(row),
    has_parameters: row.has_parameters === 1,
    needs_config: row.app_mode === 'unknown',
    url: contentUrl(row, view),
    role: view.role,
  };
}

export function presentContentGa(row: ContentRow, view: ContentView): ContentGa {
  return {
    id: row.guid,
    ...describe(row),
    parameterized: row.has_parameters === 1,
    content_url: `${view.contentBase}/content/${row.guid}/`,
    dashboard_url: dashboardUrl(view.base, row.guid),
    app_role: view.role,
  };
}

export function presentApplication(row: ContentRow, view: Omit<ContentView, 'role'>): Application {
  return {
    id: row.guid,
    guid: row.guid,
    name: row.name,
    title: row.title,
    url: contentUrl(row, view),
    bundle_id: row.bundle_id === null ? null : String(row.bundle_id),
    build_status: row.app_mode === 'unknown' ? 'not deployed' : 'deployed',
    created_time: toTimestamp(row.created_time),
    last_deployed_time: toTimestamp(row.last_deployed_time ?? row.created_time),
    owner_guid: row.owner_guid,
  };
}

export function dashboardUrl(base: string, guid: string): string {
  return `${base}/__dashboard__/content/${guid}`;
}

function contentUrl(row: ContentRow, { contentBase, vanityPath }: Omit<ContentView, 'role'>): string {
  return vanityPath ? `${contentBase}${vanityPath}` : `${contentBase}/content/${row.guid}/`;
}

export function presentJob(row: JobRow): Job {
  return {
    key: row.key,
    bundle_id: String(row.bundle_id),
    tag: row.tag as Job['tag'],
    pid: row.pid,
    status: row.ended === null ? 'active' : 'finished',
    start_time: toTimestamp(row.started),
    end_time: row.ended === null ? null : toTimestamp(row.ended),
    exit_code: row.exit_code,
    outcome: row.outcome,
  };
}

export function presentSchedule({ cron, timezone, next_time }: ScheduleRow): Schedule {
  return { cron, timezone, next_time: next_time === null ? null : toTimestamp(next_time) };
}
