// Asks owners whether to keep unused content: by mail and as an event, once per period of the setting.
import type { Logger } from 'pino';
import { recordContentEvent } from '../../events/content-event.ts';
import { DASHBOARD_PREFIX } from '../../http/paths.ts';
import { mailEach } from '../../people/notify-people.ts';
import { findUser } from '../../people/store.ts';
import type { Mailer } from '../../platform/mailer.ts';
import { dashboardUrl, oneLineName } from '../present.ts';
import { unusedBefore, type Parts } from './parts.ts';
import { claimNotice, listUnused, type UnusedRow } from './store.ts';

/** Maximum per round; the others follow the next day. */
const MAX_ANNOUNCED = 1000;
const DAY = 86_400_000_000;

/**
 * Returns the number of content items that owners were asked about.
 * @param address of the server, without a trailing slash
 */
export async function announceUnused(
  parts: Parts & { readonly mailer: Mailer | null; readonly log: Logger },
  address: string,
): Promise<number> {
  const before = unusedBefore(parts);
  if (before === null) return 0;
  const { storage, clock } = parts;
  const found = await listUnused(storage.db, { before, owner: null, limit: MAX_ANNOUNCED, isUntold: true });
  const announced: UnusedRow[] = [];
  for (const item of found) {
    const claimed = await storage.write(async (tx) => {
      if (!(await claimNotice(tx, item.guid, clock.now(), before))) return false;
      await recordContentEvent(tx, parts, 'unused', {
        content_guid: item.guid,
        user_guid: item.owner_guid,
        started_time: item.last ?? item.last_deployed_time,
      });
      return true;
    });
    if (claimed) announced.push(item);
  }
  // One mail per owner for all of their content.
  for (const [owner, items] of Map.groupBy(announced, ({ owner_guid }) => owner_guid)) {
    const user = await findUser(storage.db, owner);
    if (!user) continue;
    const days = Math.floor((clock.now() - before) / DAY);
    const list = items.map((item) => `${oneLineName(item)}: ${dashboardUrl(address, item.guid)}`);
    const text = `Nobody used this content of yours in the last ${days} days:\n\n${list.join('\n')}\n\nKeep or delete it: ${address}${DASHBOARD_PREFIX}/unused\n`;
    const [first] = items;
    const subject =
      items.length === 1 ? `Nobody uses ${oneLineName(first!)}` : `Nobody uses ${items.length} content items`;
    await mailEach(parts, [user], subject, text);
  }
  return announced.length;
}
