import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { makeArchive } from '@pressroom/testkit';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { DEFAULT_ARCHIVE_LIMITS } from '../../bundles/archive/index.ts';
import type { BlobStore } from '../../platform/blobs/blob-store.ts';
import { systemClock } from '../../platform/clock.ts';
import { removeTree } from '../../runtime/sandbox/remove-tree.ts';
import { createOldVersions, isOldVersion } from './old-versions.ts';
import { createUnpackedSites } from './unpacked-sites.ts';

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
  const sites = createUnpackedSites({
    directory,
    workDirectory,
    isOwn: isOldVersion,
    limit: 2 ** 30,
    room: async () => 2 ** 30,
    clock: systemClock(),
    log: pino({ level: 'silent' }),
    removeTree,
    bundlesThatRun: async () => [],
    onGone: () => undefined,
  });
  const versions = createOldVersions({ directory, blobs, sites, limits, removeTree });
  const opening = versions.open({ id: 7, content_guid: GUID, blob: null });
  await expect(opening).rejects.toMatchObject({ code: 4 });
  expect([...(await readdir(directory)), ...(await readdir(workDirectory))]).toEqual([]);
  await rm(parent, { recursive: true });
});
