// Rights of API keys for one content item, those in its own environment and those of CI runs: only operations whose
// declaration allows it (`contentKey`), whoever owns the content (docs/secure/security.md, 5). And of visitor API keys.
import { type ContentChangesGa, type Endpoint, errors } from '@pressroom/api/contract';
import type { Caller } from '../sign-in/authenticator.ts';
import type { ContentRow } from './store.ts';

/** Limits an administrator's content key to a publisher's rights. */
export function withinKey(caller: Caller | null): Caller | null {
  const tooMuch = caller?.content_guid != null && caller.role === 'administrator';
  return tooMuch ? { ...caller, role: 'publisher' } : caller;
}

/** Whether content acts, with its own key or that of a visitor: as code that anybody who may deploy it has written. */
export function actsForContent({ content_guid, pipeline, visits }: Caller): boolean {
  return visits !== undefined || (content_guid !== null && pipeline === undefined);
}

/** @throws ApiError 22 if a content key is used for another operation or content item. */
export function requireContentKeyRight(
  { contentKey, path }: Pick<Endpoint, 'contentKey' | 'path'>,
  caller: Caller | null,
  params: unknown,
): void {
  const own = caller?.content_guid ?? null;
  if (own === null) return;
  const key = caller?.pipeline === undefined ? 'own' : 'pipeline';
  if (contentKey === key || contentKey === 'both') {
    // Tasks are checked where they are read.
    if (!path.includes('{guid}')) return;
    const { guid } = params as { guid?: unknown };
    if (typeof guid === 'string' && guid.toLowerCase() === own) return;
  }
  throw errors.operationDenied({ message: 'this API key is restricted to one content item' });
}

/** @throws ApiError 22 for a visitor API key that only reads, or an operation that is not for visitor API keys. */
export function requireVisitorKeyRight(
  { visitorKey, method }: Pick<Endpoint, 'visitorKey' | 'method'>,
  caller: Caller | null,
): void {
  if (caller?.visits === undefined) return;
  if (visitorKey === false)
    throw errors.operationDenied({
      message: 'not with a visitor API key: sign in, or use a key of your own',
    });
  if (method !== 'GET') requireMoreThanReading(caller);
}

/** @throws ApiError 22 for a visitor API key that only reads. */
export function requireMoreThanReading(caller: Caller | null): void {
  if (caller?.visits !== undefined && caller.role === 'viewer')
    throw errors.operationDenied({ message: 'this visitor API key only reads' });
}

/** @throws ApiError 22 if a content or visitor key would change visibility, ownership, or the Unix account. */
export function requireKeptRights(
  caller: Caller,
  content: Pick<ContentRow, 'access_type' | 'run_as' | 'owner_guid'>,
  wanted: Pick<ContentChangesGa, 'access_type' | 'run_as' | 'owner_guid'>,
): void {
  if (caller.content_guid === null && caller.visits === undefined) return;
  const access = wanted.access_type ?? content.access_type;
  const account = wanted.run_as === undefined ? content.run_as : wanted.run_as;
  const owner = wanted.owner_guid ?? content.owner_guid;
  if (access !== content.access_type || account !== content.run_as || owner !== content.owner_guid)
    throw errors.operationDenied({
      message: `a ${caller.visits === undefined ? 'content' : 'visitor'} API key cannot change permissions`,
    });
}
