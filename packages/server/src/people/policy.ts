// Which accounts and fields a caller sees in lists, and how filters are parsed (contract, 4.8).
import { errors, ROLES, type ServerRole } from '@pressroom/api/contract';
import type { Config } from '../main/config/settings.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import { ROLE_RANK } from './roles.ts';
import type { AccountStatus } from './store.ts';

/** A user active within this many microseconds counts as licensed: a year. */
export const LICENSED_FOR = 365 * 86_400_000_000;

const STATUSES: readonly AccountStatus[] = ['locked', 'licensed', 'inactive'];

export function seesEmail(config: Config, caller: Caller): boolean {
  return caller.role === 'administrator' || !config['Server.HideEmailAddresses'];
}

/** Callers below the minimum role see only themselves. */
export function listingScope(config: Config, caller: Caller): { only?: string } {
  const tooLow = ROLE_RANK[caller.role] < ROLE_RANK[config['Authorization.UsersListingMinRole']];
  const viewerAlone = caller.role === 'viewer' && config['Authorization.ViewersCanOnlySeeThemselves'];
  return tooLow || viewerAlone ? { only: caller.guid } : {};
}

/** Whether a caller may see this account: viewers who see only themselves in lists see no others here, either. */
export function seesAccount(config: Config, caller: Caller, guid: string): boolean {
  return seesAllAccounts(config, caller) || caller.guid === guid;
}

export function seesAllAccounts(config: Config, caller: Caller): boolean {
  return caller.role !== 'viewer' || !config['Authorization.ViewersCanOnlySeeThemselves'];
}

/** `|` is OR within a value; repeated values are ANDed. @throws ApiError 112 */
export function parseRoles(values: readonly string[] = []): ServerRole[][] {
  return neverTwice(
    values.map((value) =>
      value.split('|').map((role) => {
        if (!isRole(role)) throw errors.unknownUserRole();
        return role;
      }),
    ),
  );
}

/** For administrators. @throws ApiError 22, 115 */
export function parseStatuses(values: readonly string[] = [], caller: Caller): AccountStatus[][] {
  if (values.length > 0 && caller.role !== 'administrator') throw errors.operationDenied();
  return neverTwice(values.map(statusesOf));
}

/** In the contract, a repeated filter matches nobody, even with equal values. */
function neverTwice<T>(filters: T[][]): T[][] {
  return filters.length > 1 ? [...filters, []] : filters;
}

function statusesOf(value: string): AccountStatus[] {
  return value.split('|').map((status) => {
    if (!isStatus(status)) throw errors.unknownStatus();
    return status;
  });
}

function isRole(text: string): text is ServerRole {
  return ROLES.some((role) => role === text);
}

function isStatus(text: string): text is AccountStatus {
  return STATUSES.some((status) => status === text);
}
