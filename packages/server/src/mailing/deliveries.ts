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
const MAX_LISTED = 500;

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

/** Creates the mails of a rendering; suppressed ones of a schedule are recorded. Returns their number. */
export async function createDeliveries(
  tx: Executor,
  rendering: MailedRendering,
  { isScheduled, to }: Delivering,
): Promise<number> {
  const { contentGuid, variant, renderingId, mail, now } = rendering;
  const addresses = await addressesOf(tx, to ?? (await listRecipients(tx, contentGuid, variant)));
  const isSuppressed = isScheduled && mail?.isSuppressed === true;
  const row = (address: string, user_guid: string | null): Omit<DeliveryRow, 'id'> => ({
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
  if (addresses.size === 0) return 0;
  const rows = [...addresses].map(([address, user]) => row(address, user));
  if (!isSuppressed) await endEarlierDeliveries(tx, rows);
  await insertDeliveries(tx, isSuppressed ? [row('', null)] : rows);
  return isSuppressed ? 0 : rows.length;
}

/** Each address once, with its user. */
async function addressesOf(
  tx: Executor,
  recipients: readonly Pick<RecipientRow, 'type' | 'value'>[],
): Promise<Map<string, string | null>> {
  const found = new Map<string, string | null>();
  const add = (user: Pick<UserRow, 'guid' | 'email'> | undefined) => {
    if (user && user.email !== '' && found.size < MAX_LISTED) found.set(user.email.toLowerCase(), user.guid);
  };
  for (const { type, value } of recipients) {
    if (type === 'user') add(await findUser(tx, value));
    else if (type === 'group') (await membersWithEmail(tx, value, MAX_LISTED)).forEach(add);
    else if (!found.has(value) && found.size < MAX_LISTED) found.set(value, null);
  }
  return found;
}
