import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { BlobStore } from '../../platform/blobs/blob-store.ts';
import { createDirectoryBlobStore } from '../../platform/blobs/directory-blob-store.ts';
import { openStorage } from '../../platform/database/storage.ts';
import type { Applications } from '../../runtime/applications.ts';
import { insertTask } from '../../tasks/store.ts';
import { createSiteDirectories, localSiteOf, siteOf } from './site-directories.ts';

const APPLICATIONS = { sitesInUse: () => [] } as Partial<Applications> as Applications;
/** A running deploy of another server. */
const TASK = {
  id: 'new',
  kind: 'deploy',
  content_guid: 'c',
  bundle_id: 3,
  user_guid: 'u',
  node: 'other',
  lease_until: 1,
  created_time: 1,
} as const;

async function open(stack: AsyncDisposableStack) {
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-sites-'));
  stack.defer(() => rm(directory, { recursive: true }));
  const { db } = stack.use(await openStorage(join(directory, 'pressroom.sqlite')));
  return { directory, db };
}

test('tidy keeps a site that another server stores meanwhile', async () => {
  await using stack = new AsyncDisposableStack();
  const { directory, db } = await open(stack);
  await mkdir(join(directory, 'c', '1-old'), { recursive: true });
  const stored = ['1-old', '2-live'];
  const sites: Partial<BlobStore['sites']> = {
    async removeAllBut(_guid, kept) {
      await insertTask(db, TASK);
      stored.push('3-new');
      const there = [...stored];
      const known = await kept();
      for (const name of there) if (!known.includes(name)) stored.splice(stored.indexOf(name), 1);
    },
  };
  const { tidy } = createSiteDirectories({
    directory,
    blobs: { sites } as BlobStore,
    db,
    applications: APPLICATIONS,
    removeLater: () => undefined,
  });
  await tidy('c', ['2-live']);
  expect(stored).toEqual(['2-live', '3-new']);
});

test('tidy keeps the directories of a deploy that another server runs', async () => {
  await using stack = new AsyncDisposableStack();
  const { directory, db } = await open(stack);
  const site = siteOf(await insertTask(db, TASK));
  const made = [site, localSiteOf(site)];
  for (const name of ['1-old', ...made]) await mkdir(join(directory, 'c', name), { recursive: true });
  const { tidy } = createSiteDirectories({
    directory,
    blobs: createDirectoryBlobStore(join(directory, 'bundles')),
    db,
    applications: APPLICATIONS,
    removeLater: (path) => rmSync(path, { recursive: true }),
  });
  await tidy('c', []);
  expect((await readdir(join(directory, 'c'))).toSorted()).toEqual(made);
});

test('renames a directory and does not wait for its removal: no backup includes part of it', async () => {
  await using stack = new AsyncDisposableStack();
  const { directory, db } = await open(stack);
  await mkdir(join(directory, 'c', '1-old'), { recursive: true });
  const removed: string[] = [];
  const { removeOfDraft, removeAll } = createSiteDirectories({
    directory,
    blobs: {} as BlobStore,
    db,
    applications: { ...APPLICATIONS, abandon: async () => undefined },
    removeLater: (path) => void removed.push(path),
  });
  await removeOfDraft('c', '1-old');
  expect(await readdir(join(directory, 'c'))).toEqual(['1-old.going']);
  await removeAll('c');
  expect((await readdir(directory)).filter((name) => name.startsWith('c'))).toEqual(['c.going']);
  expect(removed).toEqual([join(directory, 'c/1-old.going'), join(directory, 'c.going')]);
});
