// Who may grant access to a content item.
import { listCollaborators } from '../../deploys/approvals/approver-store.ts';
import { listAdministrators, NOTIFIED } from '../../people/notify-people.ts';
import { findUsers, type UserRow } from '../../people/store.ts';
import type { Executor } from '../../platform/database/storage.ts';
import type { ContentRow } from '../store.ts';

/** The owner and collaborators, the owner first; administrators if none of them may. */
export async function listDeciders(db: Executor, content: ContentRow): Promise<UserRow[]> {
  const everybody = { named: [], author: null, limit: NOTIFIED };
  const sharing = (await listCollaborators(db, content, everybody)).map(({ guid }) => guid);
  const owner = content.owner_guid;
  const isOwned = sharing.includes(owner) || (sharing.length === NOTIFIED && (await mayOwn(db, owner)));
  const guids = [...(isOwned ? [owner] : []), ...sharing.filter((guid) => guid !== owner)].slice(0, NOTIFIED);
  if (guids.length === 0) return listAdministrators(db);
  const users = await findUsers(db, guids);
  return users.toSorted((a, b) => guids.indexOf(a.guid) - guids.indexOf(b.guid));
}

async function mayOwn(db: Executor, guid: string): Promise<boolean> {
  const [user] = await findUsers(db, [guid]);
  return user !== undefined && user.locked === 0 && user.user_role !== 'viewer';
}
