import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createDirectoryBlobStore } from '../platform/blobs/directory-blob-store.ts';
import { openStorage } from '../platform/database/storage.ts';
import type { Applications } from '../runtime/applications.ts';
import { insertTask } from '../tasks/store.ts';
import { createSiteDirectories, localSiteOf, siteOf } from './site-directories.ts';

it('what another server is making of the same content stays, with what its publisher rendered', async () => {
  const home = mkdtempSync(join(tmpdir(), 'pressroom-sites-'));
  const storage = await openStorage(join(home, 'pressroom.sqlite'));
  try {
    const [directory, content_guid] = [join(home, 'content'), 'c'];
    const times = { lease_until: 1, created_time: 1 };
    const task = await insertTask(storage.db, {
      ...times,
      id: 't',
      kind: 'deploy',
      content_guid,
      bundle_id: 2,
      user_guid: 'u',
      node: 'another',
    });
    const made = [siteOf(task), localSiteOf(siteOf(task))];
    for (const name of ['1-old', ...made])
      mkdirSync(join(directory, content_guid, name), { recursive: true });
    const directories = createSiteDirectories({
      directory,
      blobs: createDirectoryBlobStore(join(home, 'bundles')),
      db: storage.db,
      applications: { sitesInUse: () => [] } as unknown as Applications,
      removeTree: async (path) => rmSync(path, { recursive: true }),
    });
    await directories.tidy(content_guid, []);
    expect(readdirSync(join(directory, content_guid)).toSorted()).toEqual(made);
  } finally {
    await storage[Symbol.asyncDispose]();
    rmSync(home, { recursive: true });
  }
});
