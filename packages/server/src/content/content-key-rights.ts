// What keys for one content item may do, those in its own environment and those of pipelines: operations whose declaration
// allows it (`contentKey`) and nothing else, whoever owns the content (docs/secure/security.md, 5).
import { type ContentChangesGa, type Endpoint, errors } from '@pressroom/api/contract';
import type { Caller } from '../sign-in/authenticator.ts';
import type { ContentRow } from './store.ts';

/** Whoever owns the content: its key has a publisher's rights at most. */
export function withinKey(caller: Caller | null): Caller | null {
  const tooMuch = caller?.content_guid != null && caller.role === 'administrator';
  return tooMuch ? { ...caller, role: 'publisher' } : caller;
}

/** @throws ApiError 22 for the key of content where the operation, or the content item, is not its own. */
export function requireContentKeyRight(
  { contentKey, path }: Pick<Endpoint, 'contentKey' | 'path'>,
  caller: Caller | null,
  params: unknown,
): void {
  const own = caller?.content_guid ?? null;
  if (own === null) return;
  const key = caller?.pipeline === undefined ? 'own' : 'pipeline';
  if (contentKey === key || contentKey === 'both') {
    // Of tasks: which content they are about is asked where they are read.
    if (!path.includes('{guid}')) return;
    const { guid } = params as { guid?: unknown };
    if (typeof guid === 'string' && guid.toLowerCase() === own) return;
  }
  throw errors.operationDenied({ message: 'this API key is restricted to one content item' });
}

/** @throws ApiError 22 where the key of content would change who may see it, whose it is, or what it runs as. */
export function requireKeptRights(
  caller: Caller,
  content: Pick<ContentRow, 'access_type' | 'run_as' | 'owner_guid'>,
  wanted: Pick<ContentChangesGa, 'access_type' | 'run_as' | 'owner_guid'>,
): void {
  if (caller.content_guid === null) return;
  const access = wanted.access_type ?? content.access_type;
  const account = wanted.run_as === undefined ? content.run_as : wanted.run_as;
  const owner = wanted.owner_guid ?? content.owner_guid;
  if (access !== content.access_type || account !== content.run_as || owner !== content.owner_guid)
    throw errors.operationDenied({ message: 'a content API key cannot change permissions' });
}
