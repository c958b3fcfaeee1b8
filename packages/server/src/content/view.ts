// How a content item looks to its caller: role, address and vanity path.
import type { Found } from '../../../commands/content.ts';
import { contentBaseOf } from '../../../config/content-address.ts';
import type { Services } from '../../../services.ts';
import { findVanity } from '../../../storage/content-extras.ts';

import type { ContentView } from '../../../domain/presenters.ts';

export async function viewOf(
  { storage, config }: Services,
  { content, role }: Found,
  base: string,
): Promise<ContentView> {
  const vanity = await findVanity(storage.db, content.guid);
  return { role, base, contentBase: contentBaseOf(config, base), vanityPath: vanity?.path ?? null };
}
