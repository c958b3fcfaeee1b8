// Seals again with the key of now what was sealed with one before it, so that the old key can go.
import { listSealed, replaceSealed } from '../storage/content-extras.ts';
import type { Storage } from '../storage/db.ts';
import type { Secrets } from './secrets.ts';

/** Rows that are written in one turn. */
const AT_ONCE = 200;

/** Answers how many were sealed again. Values that no key opens stay as they are; `unreadable` counts them. */
export async function renewSealed(
  storage: Storage,
  secrets: Secrets,
): Promise<{ renewed: number; unreadable: number }> {
  let [renewed, unreadable] = [0, 0];
  const old = (await listSealed(storage.db)).filter(({ value }) => !secrets.isCurrent(value));
  for (let at = 0; at < old.length; at += AT_ONCE) {
    const turn = old.slice(at, at + AT_ONCE);
    await storage.write(async (tx) => {
      for (const { content_guid, name, value } of turn) {
        const context = `${content_guid}/${name}`;
        let plain: string;
        try {
          plain = secrets.decrypt(value, context);
        } catch {
          unreadable += 1;
          continue;
        }
        // Unless somebody set it anew meanwhile.
        if (await replaceSealed(tx, { content_guid, name, value }, secrets.encrypt(plain, context)))
          renewed += 1;
      }
    });
  }
  return { renewed, unreadable };
}
