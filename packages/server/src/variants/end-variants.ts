// Removes expired renderings with own values, which are no longer visible.
import type { DeployService } from '../deploys/deploy-service.ts';
import type { Clock } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import { removeSites } from './commands.ts';
import { endedVariants, removeVariantRow } from './store.ts';

interface Parts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly deploys: DeployService;
}

/** Returns their number. */
export async function endVariants({ storage, clock, deploys }: Parts): Promise<number> {
  if ((await endedVariants(storage.db, clock.now())).length === 0) return 0;
  const ended = await storage.write(async (tx) => {
    const all = await endedVariants(tx, clock.now());
    for (const { variant_key } of all) await removeVariantRow(tx, variant_key);
    return all;
  });
  await removeSites({ deploys }, ended);
  return ended.length;
}
