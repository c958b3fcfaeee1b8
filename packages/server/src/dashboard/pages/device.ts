// A program asks to act as the person (RFC 8628): who asks, and the choice. Opening the page decides nothing.
import { ApiError } from '@pressroom/api/contract';
import { decideDeviceSignIn, findWaiting } from '../../sign-in/device/commands.ts';
import { readCode, shownCode } from '../../sign-in/device/present.ts';
import type { DeviceSignInRow } from '../../sign-in/device/store.ts';
import { html } from '../html.ts';
import type { Page, PageRequest, Redirect } from '../page.ts';
import { field } from '../parts.ts';
import { choicePage, decisionIn, TITLE } from './authorize.ts';

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
  return { title: TITLE, section: 'keys', body };
}

function choose(request: PageRequest, program: DeviceSignInRow, typed: string): Page {
  const code = readCode(typed)!;
  return choicePage(request, {
    path: '/device',
    name: 'code',
    value: code,
    program,
    proof: html`<dt>Code</dt>
      <dd class="secret code">${shownCode(code)}</dd>`,
    warning: html`<strong>Allow only if you started this yourself just now and the code matches.</strong> If
      somebody sent you this link or code, deny the request: the sender would act as you.`,
  });
}

export async function decide({ parts, caller, form: sent }: PageRequest): Promise<Redirect> {
  const decision = decisionIn(sent);
  const { client_name } = await decideDeviceSignIn(parts, caller, sent.get('code') ?? '', decision);
  return decision === 'allowed'
    ? {
        to: '/keys',
        note: `“${client_name}” is authorized. You can close this page. Its API key appears here once the program has fetched it.`,
      }
    : { to: '/device', note: `“${client_name}” was denied.` };
}
