// A program asks to act as the person (RFC 8628): who asks, and the choice. Opening the page decides nothing.
import { ApiError } from '@pressroom/api';
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
  const fields = html`${field(request, 'code', 'Code that the program shows', typed.slice(0, 64), { required: true, placeholder: 'XXXX-XXXX' })}<button>
      Go on
    </button>`;
  const body = html`${problem !== null && html`<p class="error" role="alert">${problem}</p>`}
    <p>The editor, the command line and the Slack bot show a code when they ask to be signed in.</p>
    <form action="${request.root}/device" class="row">${fields}</form>`;
  return { title: 'Sign in a program', section: 'keys', body };
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
      It will act as you, <strong>${caller.username}</strong> (${caller.role}): all that you may do here, it
      may do too, with a key of yours that you can revoke at any time.
    </p>
    <dl>
      <dt>Program, as it calls itself</dt>
      <dd>${row.client_name}</dd>
      <dt>Asked</dt>
      <dd>${time(toTimestamp(row.created_time))}</dd>
      <dt>From the address</dt>
      <dd>${row.address}</dd>
      <dt>Code</dt>
      <dd class="secret code">${shownCode(code)}</dd>
    </dl>
    <p class="error">
      <strong>Allow only what you started yourself, just now, and where you see this very code.</strong> If
      somebody sent you this link or code, deny: whoever sent it would act in your name.
    </p>
    ${form(request, '/device', buttons)}`;
  return { title: 'Allow this program to act as you?', section: 'keys', body };
}

export async function decide({ parts, caller, form: sent }: PageRequest): Promise<Redirect> {
  const decision = sent.get('decision');
  if (decision !== 'allowed' && decision !== 'denied')
    throw new ApiError(12, { message: 'Choose to allow or to deny.' });
  const { client_name } = await decideDeviceSignIn(parts, caller, sent.get('code') ?? '', decision);
  return decision === 'allowed'
    ? {
        to: '/keys',
        note: `“${client_name}” is allowed and goes on by itself: you can close this page. Its key is listed here once it has fetched it.`,
      }
    : { to: '/device', note: `“${client_name}” is denied: it gets nothing.` };
}
