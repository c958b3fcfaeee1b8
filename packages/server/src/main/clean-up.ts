// Cleans up at start what a crash or other settings left behind.
import { resolve } from 'node:path';
import { allBundleArchives } from '../bundles/store.ts';
import { servedSites } from '../content/store.ts';
import { keptSites } from '../deploys/sites/kept-sites.ts';
import { confirmEveryUser } from '../people/store.ts';
import type { Claim } from '../platform/claim-data-directory.ts';
import { sweepRestores } from '../runtime/restore/index.ts';
import type { Launcher } from '../runtime/sandbox/launcher.ts';
import { endVariants } from '../variants/end-variants.ts';
import { removeLeftBackups } from './backup/backup-now.ts';
import { renewSealed } from './renew-sealed.ts';
import type { Services } from './services.ts';

interface Places {
  readonly claim: Claim;
  readonly launcher: Launcher;
  /** Working directory of deploys. */
  readonly sharedWork: string;
  /** Where deployed files are unpacked. */
  readonly sharedUnpacking: string;
  /** Directory of restored packages. */
  readonly environments: string;
}

/**
 * Ends unfinished tasks, and removes archives and directories without a row. Uploads and deploys on other servers look
 * the same, so files are kept while there are any.
 */
export async function cleanUp(
  { config, storage, clock, secrets, tasks, blobs, deploys, mailer, log }: Services,
  { claim, launcher, sharedWork, sharedUnpacking, environments }: Places,
): Promise<void> {
  if (claim.isAlone) {
    await launcher.removeLeftovers().catch((error: unknown) => log.warn(error, 'removing leftovers'));
    for (const directory of [sharedWork, sharedUnpacking])
      await launcher.remove(directory).catch((error: unknown) => log.warn(error, 'removing %s', directory));
    await sweepRestores(environments, launcher);
    await removeLeftBackups(resolve(config['Server.DataDir']), Infinity);
  }
  const interrupted = await tasks.sweep();
  await endVariants({ storage, clock, deploys });
  if (claim.isAlone) {
    const archives = await blobs.sweep(await allBundleArchives(storage.db));
    const sites = await deploys.sweep(await servedSites(storage.db), await keptSites(storage.db));
    // Previous sites stay until the next deploy, for open pages: they are no trace of a crash.
    if (interrupted + archives.length === 0 && sites.length > 0)
      log.info({ sites }, 'removed what content served before its last deploy');
    else if (interrupted + archives.length > 0)
      log.warn({ interrupted, archives, sites }, 'cleaned up after a server that stopped unexpectedly');
  }
  if (!mailer) {
    const confirmed = await storage.write((tx) => confirmEveryUser(tx));
    if (confirmed > 0)
      log.info('%d accounts are confirmed: without Mail.URL nobody can confirm an address', confirmed);
  }
  const { renewed, unreadable } = await renewSealed(storage, secrets);
  if (renewed > 0) log.info('%d secrets were encrypted again with the current key', renewed);
  if (unreadable.length > 0)
    log.error(
      { secrets: unreadable },
      '%d secrets cannot be decrypted: add the previous key to Secrets.PreviousKeys, or set them again',
      unreadable.length,
    );
}
