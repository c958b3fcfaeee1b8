// How a content item looks to its caller: role, address and vanity path.
import type { Found } from './commands.ts';
import { contentBaseOf } from '../visitors/content-address.ts';
import type { Services } from '../main/services.ts';
import { findVanity } from './extras-store.ts';

import type { ContentView } from './present.ts';

export async function viewOf(
  { storage, config }: Services,
  { content, role }: Found,
  base: string,
): Promise<ContentView> {
  const vanity = await findVanity(storage.db, content.guid);
  return { role, base, contentBase: contentBaseOf(config, base), vanityPath: vanity?.path ?? null };
}
