// A program asks to act as the person (RFC 8628): who asks, and the choice. Opening the page decides nothing.
import { ApiError, errors } from '@pressroom/api/contract';
import { toTimestamp } from '../../platform/clock.ts';
import { decideDeviceSignIn, findWaiting } from '../../sign-in/device/commands.ts';
import { readCode, shownCode } from '../../sign-in/device/present.ts';
import type { DeviceSignInRow } from '../../sign-in/device/store.ts';
import { html } from '../html.ts';
import type { Page, PageRequest, Redirect } from '../page.ts';
import { field, form, time } from '../parts.ts';

export async function device(request: PageRequest): Promise<Page> {
  const { parts, caller, query, form: sent, error } = request;
  const typed = query.get('code') ?? '';
  // A form that was refused leads back to the field, with what is wrong above it.
  if (typed === '' || error !== null) return enterCode(request, sent.get('code') ?? typed, null);
  try {
    return choose(request, await findWaiting(parts, caller, typed), typed);
  } catch (refusal) {
    if (!(refusal instanceof ApiError) || refusal.code === 1) throw refusal;
    return enterCode(request, typed, refusal.message);
  }
}

function enterCode(request: PageRequest, typed: string, problem: string | null): Page {
  const fields = html`${field(request, 'code', 'Code', typed.slice(0, 64), { required: true, placeholder: 'XXXX-XXXX' })}<button>
      Go on
    </button>`;
  const body = html`${problem !== null && html`<p class="error" role="alert">${problem}</p>`}
    <p>Enter the code that the editor, the command line or the Slack bot shows.</p>
    <form action="${request.root}/device" class="row">${fields}</form>`;
  return { title: 'Authorize a program', section: 'keys', body };
}

function choose(request: PageRequest, row: DeviceSignInRow, typed: string): Page {
  const { caller } = request;
  const code = readCode(typed)!;
  const buttons = html`<input type="hidden" name="code" value="${code}" /><button
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
      <dt>Code</dt>
      <dd class="secret code">${shownCode(code)}</dd>
    </dl>
    <p class="error">
      <strong>Allow only if you started this yourself just now and the code matches.</strong> If somebody sent
      you this link or code, deny the request: the sender would act as you.
    </p>
    ${form(request, '/device', buttons)}`;
  return { title: 'Authorize this program?', section: 'keys', body };
}

export async function decide({ parts, caller, form: sent }: PageRequest): Promise<Redirect> {
  const decision = sent.get('decision');
  if (decision !== 'allowed' && decision !== 'denied')
    throw errors.parameterMissing({ message: 'Choose Allow or Deny.' });
  const { client_name } = await decideDeviceSignIn(parts, caller, sent.get('code') ?? '', decision);
  return decision === 'allowed'
    ? {
        to: '/keys',
        note: `“${client_name}” is authorized. You can close this page. Its API key appears here once the program has fetched it.`,
      }
    : { to: '/device', note: `“${client_name}” was denied.` };
}
