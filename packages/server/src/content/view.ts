// A content item as its caller sees it: role, address and vanity path.
import type { Config } from '../main/config/settings.ts';
import type { Storage } from '../platform/database/storage.ts';
import { contentBaseOf } from './address.ts';
import type { Found } from './commands.ts';
import type { ContentView } from './present.ts';
import { findVanity } from './vanity/store.ts';

interface Parts {
  readonly config: Config;
  readonly storage: Storage;
}

export async function viewOf(
  { storage, config }: Parts,
  { content, role }: Found,
  base: string,
): Promise<ContentView> {
  const vanity = await findVanity(storage.db, content.guid);
  return { role, base, contentBase: contentBaseOf(config, base), vanityPath: vanity?.path ?? null };
}
