// Authorizes a program to act as the person (RFC 8628). Opening the page decides nothing.
import { ApiError } from '@pressroom/api/contract';
import { decideDeviceSignIn, findWaiting, requireOwn } from '../../sign-in/device/commands.ts';
import { readCode, shownCode } from '../../sign-in/device/present.ts';
import type { DeviceSignInRow } from '../../sign-in/device/store.ts';
import { isFresh } from '../../sign-in/fresh-session.ts';
import { html } from '../html.ts';
import type { Page, PageRequest, Redirect } from '../page.ts';
import { field, signInAgain } from '../parts.ts';
import { choicePage, decisionIn, TITLE } from './authorize.ts';

export async function device(request: PageRequest): Promise<Page> {
  const { parts, caller, query, form: sent, refusal } = request;
  const typed = query.get('code') ?? '';
  // After a refused form, shows the field with the error above it.
  if (typed === '' || refusal !== null) return enterCode(request, sent.get('code') ?? typed, null);
  try {
    const program = await findWaiting(parts, caller, typed);
    const code = readCode(typed) ?? '';
    return program.purpose === 'backup'
      ? await chooseBackup(request, program, code)
      : choose(request, program, code);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === 1) throw error;
    return enterCode(request, typed, error.message);
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

function choose(request: PageRequest, program: DeviceSignInRow, code: string): Page {
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

/**
 * A backup contains every key: it requires more than a session, and only the person who requested it can confirm it.
 */
async function chooseBackup(request: PageRequest, program: DeviceSignInRow, code: string): Promise<Page> {
  const { parts, caller, visit } = request;
  requireOwn(program, caller);
  const shown = shownCode(code);
  const again = (await isFresh(parts, visit))
    ? null
    : html`<p>
        A backup is confirmed within ten minutes of signing in.
        ${signInAgain(request, `/device?code=${shown}`)}
      </p>`;
  return choicePage(request, {
    path: '/device',
    name: 'code',
    value: code,
    program,
    title: 'Download a backup?',
    about: html`It asks to download one backup of this server, with the API key of
      <strong>${caller.username}</strong>. A backup contains everything: all content, the hashes of passwords,
      and usually the key that decrypts everything.`,
    instead: again,
    proof: html`<dt>Code</dt>
      <dd class="secret code">${code}</dd>`,
    warning: html`<strong>Allow only if you started this yourself just now and the code matches.</strong> If
      somebody sent you this link or code, deny the request: your API key is in their hands, so revoke it.`,
  });
}

export async function decide(request: PageRequest): Promise<Redirect> {
  const { parts, caller, form: sent, visit } = request;
  const decision = decisionIn(sent);
  const { client_name, purpose } = await decideDeviceSignIn(parts, caller, sent.get('code') ?? '', {
    decision,
    isFresh: await isFresh(parts, visit),
  });
  if (purpose === 'backup' && decision === 'allowed')
    return { to: '/device', note: `“${client_name}” may download one backup now. You can close this page.` };
  return decision === 'allowed'
    ? {
        to: '/keys',
        note: `“${client_name}” is authorized. You can close this page. Its API key appears here once the program has fetched it.`,
      }
    : { to: '/device', note: `“${client_name}” was denied.` };
}
