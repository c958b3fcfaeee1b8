// Rules on fields of a content item that depend on more than one field (contract, sections 2 and 7).
import { type ContentChanges, type ContentChangesGa, errors } from '@pressroom/api/contract';
import { listOf } from '../main/config/setting-kinds.ts';
import type { Config } from '../main/config/settings.ts';
import { belongsTo, findAccount, isRoot, type Account } from '../runtime/sandbox/accounts.ts';
import type { ContentRow } from './store.ts';

const SCHEDULER_FIELDS = [
  'connection_timeout',
  'read_timeout',
  'init_timeout',
  'idle_timeout',
  'max_processes',
  'min_processes',
  'max_conns_per_process',
  'load_factor',
] as const;

type Changes = Partial<
  Pick<
    ContentRow,
    | 'name'
    | 'title'
    | 'description'
    | 'access_type'
    | 'run_as'
    | 'locked'
    | 'locked_message'
    | (typeof SCHEDULER_FIELDS)[number]
  >
>;

/**
 * The columns that a create or update body changes, with nulls interpreted as interop.md says.
 * @throws ApiError 22, 45, 55–58, 113, 114, 118
 */
export function contentChanges(
  body: ContentChangesGa,
  current: ContentRow | null,
  { config, administrator }: { config: Config; administrator: boolean },
): Changes {
  const changes: Changes = {};
  if (body.name) changes.name = body.name;
  if (body.title !== undefined) changes.title = body.title || null;
  if (body.description !== undefined) changes.description = body.description ?? '';
  if (body.access_type) changes.access_type = body.access_type;
  for (const field of SCHEDULER_FIELDS) {
    if (body[field] !== undefined) changes[field] = body[field];
  }
  takeLock(changes, body, current, administrator);
  if (body.run_as !== undefined && (body.run_as ?? null) !== (current?.run_as ?? null)) {
    if (!administrator)
      throw errors.operationDenied({
        message: 'only administrators can choose the account that content runs as',
      });
    changes.run_as = body.run_as;
    if (body.run_as !== null) checkRunAs(body.run_as, current?.app_mode, config);
  }
  checkAccessType(changes, current, config);
  checkProcesses({ ...current, ...changes }, changes, config);
  return changes;
}

/** Unchanged values sent back by clients are accepted. @throws ApiError 22 */
function takeLock(
  changes: Changes,
  { locked, locked_message }: ContentChangesGa,
  current: ContentRow | null,
  administrator: boolean,
): void {
  if (current === null) return;
  const wanted = {
    locked: typeof locked === 'boolean' ? (locked ? 1 : 0) : current.locked,
    locked_message: locked_message ?? current.locked_message,
  } as const;
  if (wanted.locked === current.locked && wanted.locked_message === current.locked_message) return;
  if (!administrator)
    throw errors.operationDenied({ message: 'only administrators can lock and unlock content' });
  Object.assign(changes, wanted);
}

function checkAccessType(changes: Changes, current: ContentRow | null, config: Config): void {
  if (changes.access_type === undefined || changes.access_type === current?.access_type) return;
  if (!listOf(config['Applications.AccessTypes']).includes(changes.access_type))
    throw errors.accessTypeProhibited();
}

function checkProcesses(after: Changes, changes: Changes, config: Config): void {
  if (changes.min_processes === undefined && changes.max_processes === undefined) return;
  const min = after.min_processes ?? config['Scheduler.MinProcesses'];
  const max = after.max_processes ?? config['Scheduler.MaxProcesses'];
  if (min > config['Scheduler.MinProcessesLimit']) throw errors.minProcessesOverLimit();
  if (max > config['Scheduler.MaxProcessesLimit']) throw errors.maxProcessesOverLimit();
  if (min > max) throw errors.minProcessesOverMax();
}

function checkRunAs(account: string, appMode: string | undefined, config: Config): void {
  if (appMode === 'static') throw errors.runAsNotForStatic();
  if (account === 'root' || isProhibited(account, config)) throw errors.runAsProhibited();
  const found = findAccount(account);
  if (!found) throw errors.invalidRunAs();
  if (isRoot(found)) throw errors.runAsProhibited();
  if (!isInGroup(found, config)) throw errors.runAsWrongGroup();
}

/** Whether the settings allow content to run as this account. */
export function mayRunAs(account: Account, config: Config): boolean {
  return !isRoot(account) && !isProhibited(account.name, config) && isInGroup(account, config);
}

function isProhibited(name: string, config: Config): boolean {
  return [config['Server.Account'], ...listOf(config['Applications.ProhibitedRunAs'])].includes(name);
}

function isInGroup(account: Account, config: Config): boolean {
  const group = config['Applications.RunAsGroup'];
  return group === '' || belongsTo(account, group);
}

type Kind = Pick<ContentChanges, 'app_mode' | 'content_category' | 'has_parameters'>;

/** The kind of a content item is fixed by its first deploy (contract, section 3). @throws ApiError 48, 110, 111 */
export function checkImmutable(content: ContentRow, wanted: Kind): void {
  if (content.app_mode === 'unknown') return;
  const { app_mode, content_category, has_parameters } = wanted;
  if ((app_mode ?? content.app_mode) !== content.app_mode) throw errors.contentTypeFixed();
  if ((content_category ?? content.content_category) !== content.content_category)
    throw errors.contentCategoryFixed();
  const parameters = content.has_parameters === 1;
  if ((has_parameters ?? parameters) !== parameters) throw errors.parametersFixed();
}
