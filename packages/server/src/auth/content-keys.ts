// The API key that each content item gets in CONNECT_API_KEY: its owner's, good for that item only.
import type { Clock } from '../config/clock.ts';
import type { ContentRow } from '../storage/content.ts';
import { ensureContentKey } from '../storage/credentials.ts';
import type { Storage } from '../storage/db.ts';
import { hashSecret } from './authenticator.ts';
import type { Secrets } from './secrets.ts';

export interface ContentKeys {
  /** The same each time: derived from the server's secret, so that it need not be kept. */
  keyFor(content: Pick<ContentRow, 'guid' | 'owner_guid' | 'name'>): Promise<string>;
}

export function createContentKeys(storage: Storage, secrets: Secrets, clock: Clock): ContentKeys {
  const known = new Set<string>();
  return {
    async keyFor({ guid, owner_guid, name }) {
      const key = secrets.derive(`content-key ${guid} ${owner_guid}`);
      if (known.has(key)) return key;
      await storage.write((tx) =>
        ensureContentKey(tx, {
          user_guid: owner_guid,
          name: `content ${name}`,
          key_hash: hashSecret(key),
          content_guid: guid,
          created_time: clock.now(),
        }),
      );
      known.add(key);
      return key;
    },
  };
}
