import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { BlobStore } from '../platform/blobs/blob-store.ts';
import { openStorage } from '../platform/database/storage.ts';
import type { Applications } from '../runtime/applications.ts';
import { insertTask } from '../tasks/store.ts';
import { createSiteDirectories } from './site-directories.ts';

test('what another server stores while old directories are removed stays', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-sites-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(directory, { recursive: true }));
  const { db } = stack.use(await openStorage(join(directory, 'pressroom.sqlite')));
  await mkdir(join(directory, 'c', '1-old'), { recursive: true });
  const stored = ['1-old', '2-live'];
  const sites: Partial<BlobStore['sites']> = {
    async removeAllBut(_guid, kept) {
      const there = [...stored];
      const known = await kept();
      for (const name of there) if (!known.includes(name)) stored.splice(stored.indexOf(name), 1);
    },
  };
  const applications: Partial<Applications> = { sitesInUse: () => [] };
  const { tidy } = createSiteDirectories({
    directory,
    blobs: { sites } as BlobStore,
    db,
    applications: applications as Applications,
    async removeTree() {
      const task = { id: 'new', kind: 'deploy', content_guid: 'c', bundle_id: 3, user_guid: 'u' } as const;
      await insertTask(db, { ...task, node: 'other', lease_until: 1, created_time: 1 });
      stored.push('3-new');
    },
  });
  await tidy('c', ['2-live']);
  expect(stored).toEqual(['2-live', '3-new']);
});
