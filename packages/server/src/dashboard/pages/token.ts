// A program that signs its requests asks to act as the person: who asks, and the choice. Opening the page decides nothing.
import { errors } from '@pressroom/api/contract';
import { toTimestamp } from '../../platform/clock.ts';
import { decideToken, findUnclaimed } from '../../sign-in/tokens/commands.ts';
import { fingerprintOf } from '../../sign-in/tokens/public-key.ts';
import { html } from '../html.ts';
import type { Page, PageRequest, Redirect } from '../page.ts';
import { form, time } from '../parts.ts';

export async function token(request: PageRequest): Promise<Page> {
  const { parts, caller, query, error, root } = request;
  // A form that was refused: what is wrong stands above.
  if (error !== null) {
    const body = html`<p>Ask the program for a new link. <a href="${root}/keys">API keys</a></p>`;
    return { title: 'Authorize a program', section: 'keys', body };
  }
  const value = query.get('token') ?? '';
  const row = await findUnclaimed(parts, caller, value);
  const buttons = html`<input type="hidden" name="token" value="${value}" /><button
      name="decision"
      value="allowed"
    >
      Allow
    </button>
    <button name="decision" value="denied" class="danger">Deny</button>`;
  const body = html`<p>
      It will act as you, <strong>${caller.username}</strong> (${caller.role}): it has all your permissions,
      with an API key that you can revoke at any time.
    </p>
    <dl>
      <dt>Program (self-reported)</dt>
      <dd>${row.client_name}</dd>
      <dt>Requested</dt>
      <dd>${time(toTimestamp(row.created_time))}</dd>
      <dt>IP address</dt>
      <dd>${row.address}</dd>
      <dt>Key</dt>
      <dd><code>${fingerprintOf(row.public_key)}</code></dd>
    </dl>
    <p class="error">
      <strong>Allow only if you started this yourself just now.</strong> If somebody sent you this link, deny
      the request: the sender would act as you.
    </p>
    ${form(request, '/token', buttons)}`;
  return { title: 'Authorize this program?', section: 'keys', body };
}

export async function decide({ parts, caller, form: sent }: PageRequest): Promise<Redirect> {
  const decision = sent.get('decision');
  if (decision !== 'allowed' && decision !== 'denied')
    throw errors.parameterMissing({ message: 'Choose Allow or Deny.' });
  const { client_name } = await decideToken(parts, caller, sent.get('token') ?? '', decision);
  return decision === 'allowed'
    ? { to: '/keys', note: `“${client_name}” is authorized. You can close this page.` }
    : { to: '/keys', note: `“${client_name}” was denied.` };
}
