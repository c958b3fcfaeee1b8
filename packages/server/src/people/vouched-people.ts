// The account of a person vouched for by the provider: found, or created at the first sign-in, and updated.
import { errors } from '@pressroom/api/contract';
import { SYSTEM, type Audit } from '../audit/record.ts';
import { joinGroupsOf } from '../groups/provider-groups.ts';
import type { Config } from '../main/config/settings.ts';
import type { Clock, Ids } from '../platform/clock.ts';
import { isUniqueViolation, type Executor, type Storage } from '../platform/database/storage.ts';
import { isPlainText } from '../platform/text.ts';
import type { Authenticator } from '../sign-in/authenticator.ts';
import type { ProfileField, VouchedPerson, SignInProvider } from '../sign-in/providers/provider.ts';
import { insertAccountRow } from './commands.ts';
import {
  countUsers,
  userOf,
  findUserByName,
  findUserByUniqueId,
  updateUserRow,
  type UserRow,
} from './store.ts';
import { isUsername } from './username.ts';

interface Parts {
  readonly config: Config;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly audit: Audit;
  readonly authenticator: Authenticator;
  readonly provider: SignInProvider;
}

const MAX_VALUE_LENGTH = 255;

/**
 * The first person becomes the administrator (contract, 4.8).
 * @throws ApiError 8, 50, 64, 90, 91, 129
 */
export async function accountOf(parts: Parts, vouched: VouchedPerson): Promise<UserRow> {
  const { invited_as, ...rest } = vouched;
  const person = {
    ...rest,
    ...(invited_as !== undefined && isPlainText(invited_as) && { invited_as }),
    profile: cleaned(vouched.profile),
  };
  if (person.unique_id === '' || !isPlainText(person.unique_id ?? '')) throw errors.userUniqueIdBlank();
  const { row, changed } = await findOrCreate(parts, person);
  if (changed) parts.authenticator.forget(row.guid);
  return row;
}

async function findOrCreate(
  parts: Pick<Parts, 'config' | 'storage' | 'clock' | 'ids' | 'audit' | 'provider'>,
  person: VouchedPerson,
): Promise<{ row: UserRow; changed: boolean }> {
  try {
    return await parts.storage.write(async (tx) => {
      const known = await find(parts, tx, person);
      if (known?.locked) throw errors.userLocked();
      const row = known ? await update(parts, tx, known, person) : await create(parts, tx, person);
      const moved = person.groups !== undefined && (await joinGroupsOf(parts, tx, row, person.groups));
      return { row, changed: moved || row !== known };
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw errors.usernameTaken({ cause: error });
    throw error;
  }
}

/** By the provider's id only, if there is one: names are reused. */
async function find(
  { provider }: Pick<Parts, 'provider'>,
  tx: Executor,
  { unique_id, invited_as, username }: VouchedPerson,
) {
  if (unique_id === null) {
    const named = isUsername(username) ? await findUserByName(tx, username) : undefined;
    const isOther =
      named && named.username !== username && provider.isSomebodyElse?.(named.username, username);
    return isOther ? undefined : named;
  }
  const known = await findUserByUniqueId(tx, unique_id);
  return known ?? (invited_as === undefined ? undefined : findUserByUniqueId(tx, invited_as));
}

async function create(
  parts: Pick<Parts, 'config' | 'clock' | 'ids' | 'audit'>,
  tx: Executor,
  person: VouchedPerson,
): Promise<UserRow> {
  const first = (await countUsers(tx, 'all')) === 0;
  if (!first && !parts.config['Authentication.RegisterOnFirstLogin']) throw errors.selfRegistrationDisabled();
  if (!isUsername(person.username))
    throw errors.invalidProviderUsername({
      message:
        'External provider gave no valid username: up to 64 letters, digits and _.@+-, not starting with a sign',
      cause: new Error(`${JSON.stringify(person.username)} cannot be a username`),
    });
  if (await findUserByName(tx, person.username)) {
    throw errors.usernameTaken({
      message:
        `The username ${person.username} belongs to another account on this server. ` +
        'Ask an administrator to lock and rename that account',
    });
  }
  return insertAccountRow(parts, tx, SYSTEM, {
    username: person.username,
    email: '',
    first_name: '',
    last_name: '',
    ...person.profile,
    user_role: first ? 'administrator' : null,
    password_hash: null,
    must_set_password: 0,
    confirmed: 1,
    unique_id: person.unique_id,
  });
}

async function update(
  parts: Pick<Parts, 'clock' | 'audit'>,
  tx: Executor,
  row: UserRow,
  person: VouchedPerson,
) {
  const { clock, audit } = parts;
  const wanted = {
    ...person.profile,
    ...(person.unique_id !== null && { unique_id: person.unique_id }),
    ...((await mayBeCalled(tx, row, person.username)) && { username: person.username }),
  };
  const changes = Object.fromEntries(
    Object.entries(wanted).filter(([field, value]) => row[field as keyof UserRow] !== value),
  );
  const fields = Object.keys(changes);
  if (fields.length === 0) return row;
  await updateUserRow(tx, row.guid, { ...changes, updated_time: clock.now() });
  await audit(tx, SYSTEM, 'edit_user', `Changed ${fields.join(', ')} of user ${row.username} (${row.guid})`);
  return await userOf(tx, row.guid);
}

/** A person renamed in the directory is renamed here, unless the name is taken or not permitted. */
async function mayBeCalled(tx: Executor, row: UserRow, username: string): Promise<boolean> {
  if (row.username.toLowerCase() === username.toLowerCase() || !isUsername(username)) return false;
  return !(await findUserByName(tx, username));
}

/** As both databases store it; otherwise every sign-in would look like a change. */
function cleaned(profile: VouchedPerson['profile']): VouchedPerson['profile'] {
  const entries = Object.entries(profile) as [ProfileField, string][];
  const clean = (value: string) =>
    value.replaceAll('\0', '').trim().slice(0, MAX_VALUE_LENGTH).toWellFormed();
  return Object.fromEntries(entries.map(([field, value]) => [field, clean(value)]));
}
