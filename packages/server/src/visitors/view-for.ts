// Who sees the bar above content, whether the owner is named on it, and whether the visitor wants it.
import type { IncomingMessage } from 'node:http';
import { contentRole } from '../content/policy.ts';
import { findGrantedRole, type ContentRow } from '../content/store.ts';
import { readCookie } from '../http/read-cookie.ts';
import type { Config } from '../main/config/settings.ts';
import { seesAccount } from '../people/policy.ts';
import { findUser } from '../people/store.ts';
import type { Executor, Storage } from '../platform/database/storage.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import type { Located } from './locate-content.ts';

/** Cookie that hides the bar, per content item. */
const BAR_COOKIE = 'pressroom-bar';
const YEAR = 31_536_000;

interface BarChoice {
  readonly isWanted: boolean;
  /** To be set, if the visitor has just chosen. */
  readonly cookie: string | null;
  /** Host name of the server that the visitor came from. */
  readonly from: string | null;
  /** Query for the content itself, with its question mark; empty for none. */
  readonly query: string;
}

/** @param path of the view, as the browser sees it */
export function readBarChoice({ headers }: IncomingMessage, { query }: Located, path: string): BarChoice {
  const values = new URLSearchParams(query);
  const [bar, from] = [values.get('bar'), values.get('from')];
  values.delete('bar');
  values.delete('from');
  const rest = values.size === 0 ? '' : `?${values.toString()}`;
  const life = bar === 'off' ? YEAR : bar === 'on' ? 0 : null;
  const cookie =
    life === null ? null : `${BAR_COOKIE}=off; HttpOnly; Path=${path}; SameSite=Lax; Max-Age=${life}`;
  const isWanted = life === null ? readCookie(headers.cookie, BAR_COOKIE) !== 'off' : life === 0;
  return { isWanted, cookie, from, query: rest };
}

/** Owner, collaborators and administrators. */
export async function mayView(db: Executor, content: ContentRow, caller: Caller): Promise<boolean> {
  if (caller.role === 'administrator') return true;
  const role = contentRole(content, caller, await findGrantedRole(db, content.guid, caller.guid));
  return role === 'owner' || role === 'editor';
}

/** Null if the visitor may not know the owner. */
export async function ownerFor(
  { config, storage }: { readonly config: Config; readonly storage: Storage },
  { owner_guid }: ContentRow,
  caller: Caller,
): Promise<string | null> {
  if (owner_guid !== caller.guid && !seesAccount(config, caller, owner_guid)) return null;
  return (await findUser(storage.db, owner_guid))?.username ?? null;
}
