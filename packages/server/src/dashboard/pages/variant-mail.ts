// Recipients of a variant's renderings, and the state of the mails.
import { ApiError, errors, MAX_MAIL_RECIPIENTS } from '@pressroom/api/contract';
import type { NamedRecipient, Wanted } from '../../mailing/recipients.ts';
import { findUsers } from '../../people/store.ts';
import { html, type Html } from '../html.ts';
import type { PageRequest, Redirect } from '../page.ts';
import { actionButton, field, form, requireUnchanged, shownFields, table, time } from '../parts.ts';
import { findPrincipal, namesIn } from './principals.ts';

const DELIVERIES_SHOWN = 20;

/** Empty if the server sends no mail. */
export async function mailOf(request: PageRequest, key: string): Promise<Html> {
  const { call, params, parts } = request;
  if (parts.config['Mail.URL'] === '') return html``;
  const { guid } = params;
  const recipients = await call('getMailRecipients', { params: { guid, key } });
  const deliveries = await call('getMailDeliveries', { params: { guid } });
  const path = `/content/${guid}/variants/${key}`;
  const names = namesOf(recipients);
  const fields = html`${shownFields(request, 'recipients', { names })}${field(
      request,
      'recipients',
      'Recipients',
      names,
      {
        hint: 'Usernames, groups and addresses, separated by commas. They get every scheduled rendering',
      },
    )}<button>Save recipients</button>`;
  const shown = deliveries.filter((one) => one.variant_key === key).slice(0, DELIVERIES_SHOWN);
  const guids = shown.flatMap(({ user_guid }) => user_guid ?? []);
  const usernames = new Map(
    (await findUsers(parts.storage.db, guids)).map((user) => [user.guid, user.username]),
  );
  const rows = shown.map((one) => [
    time(one.created_time),
    one.address ||
      (one.state === 'suppressed'
        ? 'nobody: the report wanted no mail'
        : one.user_guid === null
          ? 'others'
          : (usernames.get(one.user_guid) ?? 'a deleted user')),
    one.state === 'failed' ? html`<span class="bad">failed</span>` : one.state,
    String(one.attempts),
    one.error,
    one.next_time === null || one.state !== 'waiting' ? null : time(one.next_time),
  ]);
  return html`<h2 id="mail">Mail</h2>
    ${form(request, `${path}/recipients`, fields)}
    <p>${recipients.length > 0 && actionButton(request, `${path}/send`, 'Send now')}</p>
    ${rows.length > 0 && table('Deliveries', ['Time', 'To', 'State', 'Attempts', 'Error', 'Next attempt'], rows)}`;
}

function namesOf(recipients: readonly NamedRecipient[]): string {
  return recipients.map(({ name }) => name).join(', ');
}

export async function saveRecipients(request: PageRequest): Promise<Redirect> {
  const { call, params, form: sent } = request;
  const { guid, key } = params;
  const words = namesIn(sent.get('recipients') ?? '');
  // Each is looked up.
  if (words.length > MAX_MAIL_RECIPIENTS)
    throw errors.invalidParameter({
      message: `A variant has at most ${MAX_MAIL_RECIPIENTS} recipients.`,
      field: 'recipients',
    });
  const before = await call('getMailRecipients', { params: { guid, key } });
  const names = namesOf(before);
  requireUnchanged(request, 'recipients', { names }, names || 'nobody');
  const recipients = await Promise.all(words.map((word) => meant(request, before, word)));
  await call('setMailRecipients', { params: { guid, key }, body: { recipients } });
  return { to: `/content/${guid}/variants/${key}`, note: 'Recipients saved.' };
}

export async function sendNow({ call, params }: PageRequest): Promise<Redirect> {
  const { guid, key } = params;
  const { mails } = await call('sendMail', { params: { guid, key } });
  return { to: `/content/${guid}/variants/${key}`, note: `Mails on their way: ${mails}` };
}

/** Those that are named already may stay, though the person may not look them up. @throws ApiError 9 for an unknown name */
async function meant(request: PageRequest, before: readonly NamedRecipient[], word: string): Promise<Wanted> {
  const same = before.find(({ name }) => name.toLowerCase() === word.toLowerCase());
  if (same) return { type: same.type, value: same.value };
  try {
    const { principal_type: type, principal_guid: value } = await findPrincipal(request, word);
    return { type, value };
  } catch (error) {
    const isAddress = word.includes('@') && error instanceof ApiError && error.code === 9;
    if (isAddress) return { type: 'address', value: word };
    throw error;
  }
}
