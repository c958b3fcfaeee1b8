// Covers how commands find users and groups, also on servers without groups.
import { type Client, RefusedError } from '@pressroom/api/client';
import { expect, test } from 'vitest';
import { UsageError } from '../exit-codes.ts';
import { findPrincipal } from './principal.ts';

const { signal } = new AbortController();
const refusal = (status: number, code: number | null) =>
  new RefusedError({
    operation: 'getGroups',
    server: 'https://s',
    message: 'groups are off',
    status,
    code,
    payload: null,
  });

/** A client that finds ada, and fails with this error when asked for groups. */
function serverWith(error: Error): Client {
  async function* getUsers() {
    yield { guid: 'g', username: 'ada', email: 'ada@example.com' };
  }
  return { each: { getUsers }, getGroups: () => Promise.reject(error) } as unknown as Client;
}

test.each([
  [400, 132],
  [403, 22],
  [400, 25],
  [404, 2],
  [404, null],
])('finds users on a server that reports disabled groups with %i and code %s', async (status, code) => {
  const client = serverWith(refusal(status, code));
  expect(await findPrincipal(client, 'Ada', { signal, about: {} })).toMatchObject({ principal_guid: 'g' });
});

test('throws the server’s error on groups for an unknown user, unless groups are disabled', async () => {
  for (const disabled of [refusal(400, 132), refusal(404, 2)])
    await expect(findPrincipal(serverWith(disabled), 'bob', { signal, about: {} })).rejects.toBeInstanceOf(
      UsageError,
    );
  const other = refusal(403, 22);
  await expect(findPrincipal(serverWith(other), 'bob', { signal, about: {} })).rejects.toBe(other);
});

test('throws an error that does not concern groups', async () => {
  for (const failure of [refusal(401, 24), refusal(500, 1), new Error('no response')])
    await expect(findPrincipal(serverWith(failure), 'ada', { signal, about: {} })).rejects.toBe(failure);
});
