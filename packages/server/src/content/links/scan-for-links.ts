// Finds links in the files of a content item that went live.
import type { DeployService } from '../../deploys/deploy-service.ts';
import type { Storage } from '../../platform/database/storage.ts';
import { aboutContent, findContent } from '../store.ts';
import { listVanities } from '../vanity/store.ts';
import { findLinks } from './find-links.ts';
import { replaceLinks } from './store.ts';

interface Parts {
  readonly storage: Storage;
  readonly deploys: DeployService;
}

/** @param address of the server, without a trailing slash */
export async function scanForLinks(
  { storage, deploys }: Parts,
  guid: string,
  address: string,
): Promise<void> {
  const content = await findContent(storage.db, guid);
  if (!content?.site) return;
  using held = (await deploys.openDeployed?.served(content)) ?? null;
  const directory = held?.root ?? deploys.siteDirectory(guid, content.site);
  const vanities = await listVanities(storage.db);
  const found = await findLinks(directory, vanities, new URL(address).origin);
  await storage.write(async (tx) => {
    // Another deploy went live meanwhile and finds its own links.
    if ((await findContent(tx, guid))?.site === content.site) await replaceLinks(tx, guid, found);
  }, aboutContent(guid));
}
