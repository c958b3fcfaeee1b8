// API representation of content items. The one place that hides fields.
import { numberOfKind, type Application, type Content, type ContentGa } from '@pressroom/api/contract';
import { DASHBOARD_PREFIX } from '../http/paths.ts';
import { toTimestamp, toWholeSeconds } from '../platform/clock.ts';
import type { ContentRole } from './policy.ts';
import type { ContentRow } from './store.ts';

export interface ContentView {
  readonly role: ContentRole;
  /** The public address of the server, without a trailing slash. */
  readonly base: string;
  /** Base of content addresses. */
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
    // connectwidgets for R reads no fraction.
    created_time: toWholeSeconds(row.created_time),
    last_deployed_time: toWholeSeconds(row.last_deployed_time ?? row.created_time),
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
    app_mode: gaAppMode(row),
    locked: row.locked === 1,
    locked_message: row.locked_message,
    parameterized: row.has_parameters === 1,
    content_url: `${view.contentBase}/content/${row.guid}/`,
    dashboard_url: dashboardUrl(view.base, row.guid),
    app_role: view.role,
  };
}

/** The GA form distinguishes kinds that share an app_mode in the contract: it has the manifest's term. */
function gaAppMode({ app_mode, kind }: ContentRow): ContentGa['app_mode'] {
  return (kind ?? app_mode) as ContentGa['app_mode'];
}

export interface ApplicationView extends Omit<ContentView, 'role'> {
  /** The owner's username. */
  readonly owner: string;
}

export function presentApplication(row: ContentRow, view: ApplicationView): Application {
  return {
    id: row.guid,
    guid: row.guid,
    name: row.name,
    title: row.title,
    description: row.description,
    url: contentUrl(row, view),
    access_type: row.access_type,
    app_mode: numberOfKind(gaAppMode(row)),
    content_category: row.content_category,
    bundle_id: row.bundle_id === null ? null : String(row.bundle_id),
    build_status: row.app_mode === 'unknown' ? 'not deployed' : 'deployed',
    created_time: toTimestamp(row.created_time),
    last_deployed_time: toTimestamp(row.last_deployed_time ?? row.created_time),
    owner_guid: row.owner_guid,
    owner_username: view.owner,
  };
}

/** For mails: a subject is one line. */
export function oneLineName({ title, name }: Pick<ContentRow, 'title' | 'name'>): string {
  return (title ?? name).replaceAll(/\s+/g, ' ');
}

export function dashboardUrl(base: string, guid: string): string {
  return `${base}${DASHBOARD_PREFIX}/content/${guid}`;
}

export function contentUrl(
  row: ContentRow,
  { contentBase, vanityPath }: Pick<ContentView, 'contentBase' | 'vanityPath'>,
): string {
  return vanityPath ? `${contentBase}${vanityPath}` : `${contentBase}/content/${row.guid}/`;
}
