// Transfers content: by its owner or an administrator, who choose what the previous owner keeps.
import { errors } from '@pressroom/api/contract';
import type { Logger } from 'pino';
import type { Audit } from '../audit/record.ts';
import { mailEach } from '../people/notify-people.ts';
import { findUser, type UserRow } from '../people/store.ts';
import { isUniqueViolation, type Storage } from '../platform/database/storage.ts';
import type { Mailer } from '../platform/mailer.ts';
import type { Authenticator, Caller } from '../sign-in/authenticator.ts';
import { loadContent } from './commands.ts';
import { newOwner } from './ownership.ts';
import { oneLineName } from './present.ts';
import { aboutContent, insertPermission, updateContentRow, type ContentRow } from './store.ts';

interface Parts {
  readonly storage: Storage;
  readonly audit: Audit;
  readonly log: Logger;
  readonly mailer: Mailer | null;
  readonly authenticator: Authenticator;
  readonly contentChanged: (guid: string) => void;
}

/** The permission that the previous owner keeps; null for none. */
type KeptRole = 'owner' | 'viewer' | null;

/**
 * Transfers content. Mails the old and the new owner, unless they did it themselves.
 * @throws ApiError 9, 26 for a new owner who has content of that name, 33 for a previous owner who cannot be a
 * collaborator, 66
 */
export async function transferContent(
  parts: Parts,
  caller: Caller,
  guid: string,
  { owner_guid, keep }: { readonly owner_guid: string; readonly keep: KeptRole },
): Promise<void> {
  const { storage, audit, authenticator, contentChanged } = parts;
  const write = storage.write(async (tx) => {
    const { content } = await loadContent(tx, guid, caller, 'transferContent');
    if (owner_guid === content.owner_guid)
      throw errors.ownershipNotAssignable({ message: 'this user owns the content already' });
    const owner = await newOwner(tx, content, owner_guid);
    const before = await findUser(tx, content.owner_guid);
    await updateContentRow(tx, content.guid, { owner_guid: owner.guid });
    if (before && keep !== null) {
      if (keep === 'owner' && before.user_role === 'viewer') throw errors.collaboratorNotPublisher();
      const grant = { principal_guid: before.guid, principal_type: 'user', role: keep } as const;
      await insertPermission(tx, { content_guid: content.guid, ...grant, expires_time: null });
    }
    const description = `Made ${owner.username} (${owner.guid}) the owner of content ${content.name} (${content.guid}); ${before?.username ?? content.owner_guid} ${KEPT[keep ?? 'nothing']}`;
    await audit(tx, caller, 'edit_application', description, { content: content.guid });
    return { content, owner, before };
  }, aboutContent(guid));
  const done = await write.catch((cause: unknown) => {
    if (!isUniqueViolation(cause)) throw cause;
    const message = 'the new owner has content of this name already: rename one of them';
    throw errors.nameTaken({ message, cause });
  });
  authenticator.forget(done.content.owner_guid);
  contentChanged(done.content.guid);
  await announce(parts, caller, done, keep);
}

const KEPT = {
  owner: 'can still edit it',
  viewer: 'can still view it',
  nothing: 'no longer has access',
} as const;

async function announce(
  parts: Pick<Parts, 'mailer' | 'log'>,
  caller: Caller,
  { content, owner, before }: { content: ContentRow; owner: UserRow; before: UserRow | undefined },
  keep: KeptRole,
): Promise<void> {
  const who = caller.full_name || caller.username;
  const name = content.title ?? content.name;
  const subject = `New owner of ${oneLineName(content)}`;
  if (owner.guid !== caller.guid)
    await mailEach(parts, [owner], subject, `${who} made you the owner of ${name}.`);
  if (!before || before.guid === caller.guid) return;
  const text = `${who} made ${owner.username} the owner of ${name}. Before, it was yours: ${before.username} ${KEPT[keep ?? 'nothing']}.`;
  await mailEach(parts, [before], subject, text);
}
