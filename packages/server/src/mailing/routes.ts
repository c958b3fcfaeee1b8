// Mail operations of the API.
import { errors } from '@pressroom/api/contract';
import type { MailDelivery } from '@pressroom/api/contract';
import type { Audit } from '../audit/record.ts';
import { loadContent } from '../content/commands.ts';
import type { ApiResponse, ApiRequest } from '../http/request.ts';
import type { Config } from '../main/config/settings.ts';
import { seesEmail } from '../people/policy.ts';
import { toTimestamp, type Clock } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import { messageOf } from '../platform/errors.ts';
import type { Mailer } from '../platform/mailer.ts';
import { DEFAULT_KEY } from '../variants/read.ts';
import { ownAddress, readRecipients, sendShown, setRecipients } from './recipients.ts';
import { listDeliveries, type DeliveryRow } from './store.ts';

interface Parts {
  readonly config: Config;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly mailer: Mailer | null;
}

/** Mail servers repeat an address in their errors. */
const ADDRESS = /[^\s<>()[\],;:"']+@[^\s<>()[\],;:"']+/g;

export const mailingRoutes = {
  getMailDeliveries,
  getMailRecipients,
  sendMail,
  sendTestMail,
  setMailRecipients,
};

/** Lists the mails of renderings. */
async function getMailDeliveries(
  { storage, config }: Pick<Parts, 'storage' | 'config'>,
  { params, caller }: ApiRequest<'getMailDeliveries'>,
): Promise<ApiResponse<'getMailDeliveries'>> {
  const { content } = await loadContent(storage.db, params.guid, caller, 'readJobs');
  const isSeen = seesEmail(config, caller);
  return (await listDeliveries(storage.db, content.guid)).map((row) => present(row, isSeen));
}

/** Lists the recipients. */
async function getMailRecipients(
  parts: Pick<Parts, 'storage' | 'clock'>,
  { params, caller }: ApiRequest<'getMailRecipients'>,
): Promise<ApiResponse<'getMailRecipients'>> {
  const all = await readRecipients(parts, caller, params.guid, params.key);
  return all.map(({ type, value, name }) => ({ type, value, name }));
}

/** Mails the current rendering. */
async function sendMail(
  parts: Parts,
  { params, caller }: ApiRequest<'sendMail'>,
): Promise<ApiResponse<'sendMail'>> {
  return { mails: await sendShown(parts, caller, params.guid, params.key) };
}

/** Mails the caller. @throws ApiError 43, 44, 89 */
async function sendTestMail(
  { storage, mailer }: Pick<Parts, 'storage' | 'mailer'>,
  { caller }: ApiRequest<'sendTestMail'>,
): Promise<void> {
  if (!mailer) throw errors.emailNotConfigured();
  const to = await ownAddress(storage.db, caller);
  const mail = { subject: 'Test mail of Pressroom', text: 'Mail of this server arrives.\n' };
  try {
    await mailer.send({ to, ...mail });
  } catch (error) {
    throw errors.emailFailed({ message: `Unable to send e-mail: ${messageOf(error)}` });
  }
}

/** Sets the recipients. */
async function setMailRecipients(
  parts: Parts,
  { params, body, caller }: ApiRequest<'setMailRecipients'>,
): Promise<ApiResponse<'setMailRecipients'>> {
  await setRecipients(parts, caller, params.guid, params.key, body.recipients);
  const all = await readRecipients(parts, caller, params.guid, params.key);
  return all.map(({ type, value, name }) => ({ type, value, name }));
}

/** @param isSeen whether the caller may read the addresses of people */
function present(row: DeliveryRow, isSeen: boolean): MailDelivery {
  const { id, variant_key, rendering_id, user_guid, state, attempts } = row;
  const isHidden = user_guid !== null && !isSeen;
  const address = isHidden ? '' : row.address;
  const error = isHidden ? row.error.replaceAll(ADDRESS, '…') : row.error;
  const at = (time: number | null) => (time === null ? null : toTimestamp(time));
  return {
    id,
    variant_key: variant_key || DEFAULT_KEY,
    rendering_id,
    address,
    user_guid,
    state,
    attempts,
    error,
    created_time: toTimestamp(row.created_time),
    sent_time: at(row.sent_time),
    next_time: at(row.next_time),
  };
}
