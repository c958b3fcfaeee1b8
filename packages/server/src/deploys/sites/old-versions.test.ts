import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { makeArchive } from '@pressroom/testkit';
import { expect, test } from 'vitest';
import { DEFAULT_ARCHIVE_LIMITS } from '../../bundles/archive/index.ts';
import type { BlobStore } from '../../platform/blobs/blob-store.ts';
import { removeTree } from '../../runtime/sandbox/remove-tree.ts';
import { createOldVersions } from './old-versions.ts';

const GUID = '11111111-2222-4333-8444-555555555555';

test('opening a bundle of content that is deleted meanwhile returns error 4, and leaves nothing', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'pressroom-versions-'));
  const [directory, workDirectory] = [join(parent, 'content'), join(parent, 'work')];
  await mkdir(directory);
  const archive = makeArchive({ 'index.html': 'hello' });
  const blobs = {
    async open() {
      await rm(join(directory, GUID), { recursive: true });
      return { stream: Readable.from([archive]), size: archive.length };
    },
  } as unknown as BlobStore;
  const limits = { ...DEFAULT_ARCHIVE_LIMITS, diskReserve: 0 };
  const versions = createOldVersions({ directory, workDirectory, blobs, sites: null, limits, removeTree });
  const opening = versions.open({ id: 7, content_guid: GUID, blob: null });
  await expect(opening).rejects.toMatchObject({ code: 4 });
  expect([...(await readdir(directory)), ...(await readdir(workDirectory))]).toEqual([]);
  await rm(parent, { recursive: true });
});
