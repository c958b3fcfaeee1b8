// Reasons against going live at the end of a deploy: conditions may have changed since its start.
import { contentRole, mayAct } from '../../content/policy.ts';
import { findGrantedRole, type ContentRow } from '../../content/store.ts';
import type { Reason } from '../../events/store.ts';
import { findUser } from '../../people/store.ts';
import { toTimestamp, type Clock } from '../../platform/clock.ts';
import type { Executor } from '../../platform/database/storage.ts';
import { findDeployLock } from './store.ts';

const RIGHT_LOST: Reason = { code: 'right_lost', text: 'whoever deployed it may no longer deploy' };

/** A lock, or missing rights of the deployer, worded for the owner; null for neither. */
export async function findBlocker(
  tx: Executor,
  clock: Clock,
  content: ContentRow,
  userGuid: string,
): Promise<Reason | null> {
  const lock = await findDeployLock(tx, content.guid, clock.now());
  if (lock) {
    const until = lock.until === null ? '' : ` until ${toTimestamp(lock.until)}`;
    const text = `deploys of the content are locked${until}: ${lock.reason}`;
    return { code: 'locked', text, detail: lock.reason };
  }
  const user = await findUser(tx, userGuid);
  if (!user || user.locked === 1) return RIGHT_LOST;
  const granted = await findGrantedRole(tx, content.guid, user.guid);
  const role = contentRole(content, { guid: user.guid, role: user.user_role }, granted);
  const may = mayAct('deployContent', role, { role: user.user_role });
  return may ? null : RIGHT_LOST;
}
