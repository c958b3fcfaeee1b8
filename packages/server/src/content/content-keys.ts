// The API key that each content item gets in CONNECT_API_KEY: with its owner's rights, for that item only.
import type { Clock } from '../platform/clock.ts';
import type { Executor, Storage } from '../platform/database/storage.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import { hashSecret } from '../sign-in/authenticator.ts';
import { insertContentKey, listKeysOfContent, replaceKeyHash } from '../sign-in/store.ts';
import { deployBegunAfter } from '../tasks/store.ts';
import type { ContentRow } from './store.ts';

export interface ContentKeys {
  /**
   * Derived from the server's secret, so that it need not be stored: the same each time. Empty after it was revoked,
   * until the content is deployed again with a new one.
   */
  keyFor(content: Pick<ContentRow, 'guid' | 'owner_guid' | 'name'>): Promise<string>;
}

export function createContentKeys(storage: Storage, secrets: Secrets, clock: Clock): ContentKeys {
  /** The number of revoked keys makes each key different. */
  const derive = (guid: string, owner: string, revoked: number) =>
    secrets.derive(`content-key ${guid} ${owner}${revoked === 0 ? '' : ` ${revoked}`}`);

  async function make(tx: Executor, { guid, owner_guid, name }: Parameters<ContentKeys['keyFor']>[0]) {
    const rows = await listKeysOfContent(tx, guid, owner_guid);
    const [newest] = rows;
    const isRevoked = newest !== undefined && newest.revoked_time !== null;
    if (isRevoked && !(await deployBegunAfter(tx, guid, newest.revoked_time!))) return '';
    const revoked = rows.filter((row) => row.revoked_time !== null).length;
    const key = derive(guid, owner_guid, revoked);
    const key_hash = hashSecret(key);
    if (newest === undefined || isRevoked) {
      const created_time = clock.now();
      const row = {
        user_guid: owner_guid,
        name: `content ${name}`,
        key_hash,
        content_guid: guid,
        created_time,
      };
      await insertContentKey(tx, row);
      // The server's secret has changed: keys derived from the old one are invalid.
    } else if (newest.key_hash !== key_hash) await replaceKeyHash(tx, newest.id, key_hash);
    return key;
  }

  return {
    async keyFor(content) {
      const { guid, owner_guid } = content;
      const rows = await listKeysOfContent(storage.db, guid, owner_guid);
      const [newest] = rows;
      if (newest?.revoked_time === null) {
        const key = derive(guid, owner_guid, rows.length - 1);
        if (newest.key_hash === hashSecret(key)) return key;
      }
      return storage.write((tx) => make(tx, content));
    },
  };
}
