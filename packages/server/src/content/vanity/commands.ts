// Commands on vanity paths: set, take over from other content, remove.
import { errors } from '@pressroom/api/contract';
import type { Audit } from '../../audit/record.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Executor, Storage } from '../../platform/database/storage.ts';
import type { Caller } from '../../sign-in/authenticator.ts';
import { loadContent } from '../commands.ts';
import { conflictingVanities, findVanity, insertVanity, removeVanity, type VanityRow } from './store.ts';

export interface Parts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly contentChanged: (guid: string) => void;
}

/** Reserved first segments. */
const RESERVED = new Set(['content', 'connect', 'dashboard', 'login', 'api', 'assets', 'metrics', 'health']);
const VANITY_PATH = /^(\/[A-Za-z0-9_-]+)+\/$/;

/** Sets the path; adds missing slashes at both ends. @throws ApiError 51, 52 */
export async function setVanityPath(
  parts: Parts,
  caller: Caller,
  guid: string,
  wanted: string,
  force: boolean,
) {
  const { storage, audit, clock, contentChanged } = parts;
  const path = `/${wanted.replace(/^\/+|\/+$/g, '')}/`;
  const key = path.toLowerCase();
  const [, first = ''] = key.split('/');
  if (!VANITY_PATH.test(path)) {
    const message = 'Vanity path not permitted: only letters from a to z, digits, - and _ between slashes';
    throw errors.vanityPathNotPermitted({ message });
  }
  if (RESERVED.has(first) || first.startsWith('__'))
    throw errors.vanityPathNotPermitted({ message: `Vanity path not permitted: /${first}/ is reserved` });
  const { row, taken } = await storage.write(async (tx) => {
    const { content } = await loadContent(tx, guid, caller, 'manageVanity');
    const conflicts = await conflictingVanities(tx, content.guid, key);
    if (conflicts.length > 0) await takeOver(parts, tx, caller, conflicts, key, force);
    const before = await findVanity(tx, content.guid);
    const created: VanityRow = { content_guid: content.guid, path, path_key: key, created_time: clock.now() };
    await removeVanity(tx, content.guid);
    await insertVanity(tx, created);
    await audit(
      tx,
      caller,
      before ? 'update_vanity' : 'add_vanity',
      `Vanity path ${path} of ${content.name} (${guid})`,
      { content: guid },
    );
    return { row: created, taken: conflicts };
  });
  for (const { content_guid } of [row, ...taken]) contentChanged(content_guid);
  await storage.seenByAll();
  return row;
}

async function takeOver(
  { audit }: Pick<Parts, 'audit'>,
  tx: Executor,
  caller: Caller,
  conflicts: VanityRow[],
  key: string,
  force: boolean,
): Promise<void> {
  if (!force || conflicts.some((other) => other.path_key !== key)) throw errors.vanityPathTaken();
  for (const other of conflicts) {
    await loadContent(tx, other.content_guid, caller, 'manageVanity');
    await removeVanity(tx, other.content_guid);
    await audit(tx, caller, 'remove_vanity', `Took vanity path ${other.path} from ${other.content_guid}`, {
      content: other.content_guid,
    });
  }
}

/** Removes the path, if there is one. */
export async function removeVanityPath(
  parts: Omit<Parts, 'clock'>,
  caller: Caller,
  guid: string,
): Promise<void> {
  const { storage, audit, contentChanged } = parts;
  await storage.write(async (tx) => {
    const { content } = await loadContent(tx, guid, caller, 'manageVanity');
    const row = await findVanity(tx, content.guid);
    // Nothing to do.
    if (!row) return;
    await removeVanity(tx, content.guid);
    await audit(tx, caller, 'remove_vanity', `Removed vanity path ${row.path} of ${content.name} (${guid})`, {
      content: guid,
    });
  });
  contentChanged(guid);
  await storage.seenByAll();
}
