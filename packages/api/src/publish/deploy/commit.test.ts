import { expect, test } from 'vitest';
import type { Client } from '../../client/client.ts';
import { metadataOf } from './commit.ts';

const { signal } = new AbortController();
const at = (version: string) => ({ getServerSettings: async () => ({ version }) }) as unknown as Client;
const sha = '0123456789abcdef0123456789abcdef01234567';

test.each([
  ['https://token@example.com/acme/site.git?x=1', 'https://example.com/acme/site.git'],
  ['git@example.com:acme/site.git', 'https://example.com/acme/site.git'],
  ['ssh://git@example.com:2222/acme/site.git', 'https://example.com/acme/site.git'],
  ['/home/ada/site', undefined],
  ['file:///home/ada/site', undefined],
])('the address %s is sent as %s', async (repository, sent) => {
  const metadata = await metadataOf(at('2026.04.0'), { sha, repository }, signal);
  expect(metadata).toEqual({ source: 'git', source_commit: sha, ...(sent && { source_repo: sent }) });
});

test.each(['2025.11.0', '0.1.0', ''])('nothing is sent to a server of version %j', async (version) => {
  expect(await metadataOf(at(version), { sha }, signal)).toBeUndefined();
});

test('nor if there is no commit, or the server does not say its version', async () => {
  expect(await metadataOf(at('2026.04.0'), Promise.resolve(undefined), signal)).toBeUndefined();
  const silent = { getServerSettings: () => Promise.reject(new Error('no')) } as unknown as Client;
  expect(await metadataOf(silent, { sha }, signal)).toBeUndefined();
});
