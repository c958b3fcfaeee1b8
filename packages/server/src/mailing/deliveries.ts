// The mails of a rendering: one per address, created in the transaction that makes it current.
import { findUser, type UserRow } from '../people/store.ts';
import type { Micros } from '../platform/database/schema.ts';
import type { Executor } from '../platform/database/storage.ts';
import type { ReportMail } from './report-mail.ts';
import {
  endEarlierDeliveries,
  insertDeliveries,
  listRecipients,
  membersWithEmail,
  type DeliveryRow,
  type RecipientRow,
} from './store.ts';

/** Maximum addresses of one rendering. */
const MAX_ADDRESSES = 500;
const LEFT_OUT = `a rendering is mailed to ${MAX_ADDRESSES} addresses: the others were left out`;

export interface MailedRendering {
  readonly contentGuid: string;
  /** Empty for the document with the values of its source. */
  readonly variant: string;
  readonly renderingId: number;
  readonly mail: ReportMail | null;
  readonly now: Micros;
}

export interface Delivering {
  readonly isScheduled: boolean;
  /** Those of the variant by default. */
  readonly to?: readonly Pick<RecipientRow, 'type' | 'value'>[] | undefined;
}

/**
 * Creates the mails of a rendering. Suppressed ones of a schedule are recorded, and that some were left out. Returns
 * their number.
 */
export async function createDeliveries(
  tx: Executor,
  rendering: MailedRendering,
  { isScheduled, to }: Delivering,
): Promise<number> {
  const { contentGuid, variant, renderingId, mail, now } = rendering;
  const all = await addressesOf(tx, to ?? (await listRecipients(tx, contentGuid, variant)));
  const addresses = [...all].slice(0, MAX_ADDRESSES);
  const isSuppressed = isScheduled && mail?.isSuppressed === true;
  const row = ([address, user_guid]: readonly [string, string | null]): Omit<DeliveryRow, 'id'> => ({
    content_guid: contentGuid,
    variant_key: variant,
    rendering_id: renderingId,
    address,
    user_guid,
    state: isSuppressed ? 'suppressed' : 'waiting',
    attempts: 0,
    error: '',
    created_time: now,
    sent_time: null,
    next_time: isSuppressed ? null : now,
  });
  if (addresses.length === 0) return 0;
  if (isSuppressed) {
    await insertDeliveries(tx, [row(['', null])]);
    return 0;
  }
  const rows = addresses.map(row);
  await endEarlierDeliveries(tx, rows);
  const leftOut = { ...row(['', null]), state: 'failed', error: LEFT_OUT, next_time: null } as const;
  await insertDeliveries(tx, all.size > rows.length ? [...rows, leftOut] : rows);
  return rows.length;
}

/** Each address once, with its user; of many, one more than are mailed. */
async function addressesOf(
  tx: Executor,
  recipients: readonly Pick<RecipientRow, 'type' | 'value'>[],
): Promise<Map<string, string | null>> {
  const most = MAX_ADDRESSES + 1;
  const found = new Map<string, string | null>();
  const add = (user: Pick<UserRow, 'guid' | 'email'> | undefined) => {
    if (user && user.email !== '' && found.size < most) found.set(user.email.toLowerCase(), user.guid);
  };
  for (const { type, value } of recipients) {
    if (type === 'user') add(await findUser(tx, value));
    else if (type === 'group') (await membersWithEmail(tx, value, most)).forEach(add);
    else if (!found.has(value) && found.size < most) found.set(value, null);
  }
  return found;
}
