// The token of a visit, as the server sends it to an application.
import type { Person, TestServer } from '@pressroom/testkit';
import { findContent } from '../../packages/server/src/content/store.ts';
import { sessionTokenFor } from '../../packages/server/src/integrations/session-tokens.ts';
import { hashSecret } from '../../packages/server/src/sign-in/authenticator.ts';
import { findApiKey } from '../../packages/server/src/sign-in/store.ts';

/**
 * Of a person who came with their key, some hours ago; null for content that may not act for its visitors.
 * @param session with whose token they came instead
 */
export async function visitToken(
  { running }: Pick<TestServer, 'running'>,
  person: Person,
  content: string,
  hours = 0,
  session: string | null = null,
): Promise<string | null> {
  const { config, secrets, clock, storage } = running.services;
  const { id: keyId } = (await findApiKey(storage.db, hashSecret(person.key)))!;
  const caller = {
    ...person,
    full_name: '',
    role: 'publisher',
    by: 'key',
    content_guid: null,
    ...(session === null ? { keyId } : { session: hashSecret(session) }),
  } as const;
  const then = { now: () => clock.now() - hours * 3600 * 1_000_000 };
  return sessionTokenFor({ config, secrets, clock: then }, (await findContent(storage.db, content))!, caller);
}
