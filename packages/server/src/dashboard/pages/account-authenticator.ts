// The authenticator app of the signed-in account: set up with a QR code, confirm, remove.
import { renderSVG } from 'uqr';
import { confirmPassword } from '../../sign-in/passwords/commands.ts';
import {
  addTotp,
  factorsOf,
  makeRecoveryCodes,
  offerTotp,
  removeTotp,
} from '../../sign-in/second-factors/commands.ts';
import { html, trusted } from '../html.ts';
import type { Page, PageRequest, Redirect } from '../page.ts';
import { field, form } from '../parts.ts';
import { requireFactorsHere } from './account.ts';

const PATH = '/account/authenticator';

export async function authenticator(request: PageRequest): Promise<Page> {
  requireFactorsHere(request);
  const { parts, caller } = request;
  const { totp, recoveryCodes } = await factorsOf(parts, caller.guid);
  return totp ? setUp(request, recoveryCodes) : offered(request);
}

function offered(request: PageRequest): Page {
  const offer = offerTotp(request.parts, request.caller, request.form.get('offer'));
  // Trusted: the picture is generated here.
  const picture = trusted(renderSVG(offer.uri));
  const fields = html`<input type="hidden" name="offer" value="${offer.sealed}" />
    ${field(request, 'code', 'Code from the app', '', { required: true, autocomplete: 'one-time-code' })}
    ${passwordField(request)}<button>Set up</button>`;
  const body = html`<p>
      From then on, signing in with the password asks for a code of the app too. API keys go on working
      without.
    </p>
    <p class="picture">${picture}</p>
    <p>Or enter this key in the app: <span class="secret">${offer.secret}</span></p>
    ${form(request, PATH, fields)}`;
  return { title: 'Authenticator app', section: 'account', body };
}

function setUp(request: PageRequest, codes: number): Page {
  const body = html`<p>The app is set up. Recovery codes left: ${codes}.</p>
    <h2>New recovery codes</h2>
    ${form(request, `${PATH}/codes`, html`${passwordField(request)}<button>Create new codes</button>`)}
    <h2>Remove</h2>
    ${form(request, `${PATH}/remove`, html`${passwordField(request, 'remove-password')}<button class="danger">Remove app</button>`)}`;
  return { title: 'Authenticator app', section: 'account', body };
}

export async function confirmAuthenticator(request: PageRequest): Promise<Page> {
  const { parts, caller, form: sent } = request;
  const user = await confirmed(request);
  const totp = { sealed: sent.get('offer') ?? '', code: sent.get('code') ?? '' };
  const codes = await addTotp(parts, user, caller, totp);
  return recovery(request, codes);
}

export async function renewCodes(request: PageRequest): Promise<Page> {
  await confirmed(request);
  return recovery(request, await makeRecoveryCodes(request.parts, request.caller));
}

export async function dropAuthenticator(request: PageRequest): Promise<Redirect> {
  await confirmed(request);
  await removeTotp(request.parts, request.caller);
  return { to: '/account', note: 'Authenticator app removed.' };
}

function confirmed({ parts, caller, form: sent, visit }: PageRequest) {
  const password = sent.get('password') ?? sent.get('remove-password') ?? '';
  return confirmPassword(parts, caller, password, visit);
}

function recovery({ root }: PageRequest, codes: readonly string[]): Page {
  const items = codes.map((code) => html`<li>${code}</li>`);
  const body = html`<p class="note" role="status">Copy these codes now. They are not shown again.</p>
    <p>Each code works once, if you do not have the app at hand.</p>
    <ul class="secret">
      ${items}
    </ul>
    <p><a href="${root}/account">Back to your account</a></p>`;
  return { title: 'Recovery codes', section: 'account', body };
}

/** Asked again, so that nobody at an unattended browser can change how people sign in. */
function passwordField(request: PageRequest, name = 'password') {
  const options = { required: true, autocomplete: 'current-password' } as const;
  return field(request, name, 'Your password', '', options);
}
