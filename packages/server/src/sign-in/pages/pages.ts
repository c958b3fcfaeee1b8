// Pages before sign-in: sign-in form, second factor, setting a password, the first administrator.
import type { ServerResponse } from 'node:http';
import { renderSVG } from 'uqr';
import { escapeHtml, sendHtml } from '../../http/pages.ts';
import type { OfferedTotp } from '../second-factors/commands.ts';
import { PASSKEY_SCRIPT } from '../second-factors/passkey-script.ts';
import type { Question } from '../second-factors/passkeys.ts';

interface Common {
  readonly status: number;
  /** Path of the server as the browser sees it, without a trailing slash. */
  readonly root: string;
  readonly error: string | null;
}

interface Onward extends Common {
  /** Local path to continue at after sign-in. */
  readonly next: string;
}

export function sendSignInPage(
  response: ServerResponse,
  page: Onward & {
    readonly passkey: Question | null;
    readonly forgotten: boolean;
    readonly note: string | null;
    /** The name typed before. */
    readonly username: string;
  },
): void {
  const { root, next, error, passkey, forgotten, note, username } = page;
  const status = note === null ? '' : `<p role="status">${escapeHtml(note)}</p>`;
  const forgot = forgotten ? `<p><a href="${root}/__login__/password">Forgot password?</a></p>` : '';
  // The name is kept after a refusal: the password is to be typed again.
  const isAgain = error !== null && username !== '';
  const [ofName, ofPassword] = isAgain ? ['', focus(error)] : [focus(error), ''];
  const password = input('Password', 'password', 'password', 'current-password', '', ofPassword);
  const body = `<h1>Sign in</h1>${alertOf(error)}${status}
${form(root, '/__login__', hidden({ next }) + usernameField(username, ofName) + password, 'Sign in')}
${passkey === null ? '' : passkeyForm(root, '/__login__/passkey', passkey, { next }, 'sign-in')}${forgot}`;
  sendHtml(response, page.status, 'Sign in', body, passkey === null ? {} : { script: PASSKEY_SCRIPT });
}

export function sendSecondStepPage(
  response: ServerResponse,
  page: Onward & { readonly step: string; readonly codes: boolean; readonly passkey: Question | null },
): void {
  const { root, next, error, step, codes, passkey } = page;
  const path = '/__login__/second';
  const label = 'Code from the app, or a recovery code';
  const isFirst = passkey === null || error !== null;
  const code = input(label, 'code', 'text', 'one-time-code', '', isFirst ? focus(error) : '');
  const body = `<h1>Two-factor authentication</h1>${alertOf(error)}
${passkey === null ? '' : `${passkeyForm(root, path, passkey, { next, step }, 'second')}<noscript><p>Passkeys require JavaScript.</p></noscript>`}
${codes || passkey === null ? form(root, path, hidden({ next, step }) + code, 'Sign in') : ''}
${codes || passkey === null ? '' : `<details><summary>Use a recovery code</summary>${form(root, path, hidden({ next, step }) + code, 'Sign in')}</details>`}
<p><a href="${root}/__login__">Start over</a></p>`;
  sendHtml(response, page.status, 'Sign in', body, passkey === null ? {} : { script: PASSKEY_SCRIPT });
}

export function sendEnrolPage(
  response: ServerResponse,
  page: Onward & { readonly step: string; readonly offer: OfferedTotp },
): void {
  const { root, next, error, step, offer } = page;
  // At first, people read what is above it.
  const more = error === null ? '' : focus(error);
  const code = input('Code from the app', 'code', 'text', 'one-time-code', '', more);
  const body = `<h1>Set up two-factor authentication</h1>${alertOf(error)}
<p>This server requires two-factor authentication for your role. Scan this QR code with an authenticator app:</p>
${renderSVG(offer.uri)}
<p>Or enter this key: <span class="codes">${escapeHtml(offer.secret)}</span></p>
${form(root, '/__login__/second', hidden({ next, step, offer: offer.sealed }) + code, 'Go on')}`;
  sendHtml(response, page.status, 'Set up two-factor authentication', body);
}

export function sendRecoveryCodesPage(
  response: ServerResponse,
  codes: readonly string[],
  onward: string,
): void {
  const list = codes.map((code) => `<li>${escapeHtml(code)}</li>`).join('');
  const body = `<h1>Recovery codes</h1><p role="status">Keep these codes in a safe place. Each code works once. They
are not shown again.</p><ul class="codes">${list}</ul><p><a href="${escapeHtml(onward)}">Go on</a></p>`;
  sendHtml(response, 200, 'Recovery codes', body);
}

/** @param token of a link; null for the page that requests one. */
export function sendPasswordPage(
  response: ServerResponse,
  page: Common & {
    readonly token: string | null;
    readonly username: string | null;
    readonly least: number;
    /** Whether the server sends mail. */
    readonly mails: boolean;
  },
): void {
  const { root, error, token, username, least, mails } = page;
  if (token === null) {
    const request = mails
      ? `<p>We will email you a link to set a new password.</p>${form(root, '/__login__/password', usernameField('', focus(error)), 'Send link')}`
      : '<p>Ask an administrator of this server for a link to set a new password.</p>';
    const body = `<h1>Forgot your password?</h1>${alertOf(error)}${request}<p><a href="${escapeHtml(root)}/__login__">Sign in</a></p>`;
    sendHtml(response, page.status, 'Forgot your password?', body);
    return;
  }
  const whose = username === null ? '' : `<p>Account: <strong>${escapeHtml(username)}</strong>.</p>`;
  const fields = hidden({ token }) + newPassword(least, focus(error));
  const body = `<h1>Set your password</h1>${alertOf(error)}${whose}${form(root, '/__login__/password', fields, 'Set password')}`;
  sendHtml(response, page.status, 'Set your password', body);
}

export function sendSetUpPage(
  response: ServerResponse,
  page: Common & {
    readonly token: string;
    readonly typed: Readonly<Record<string, string>>;
    readonly least: number;
  },
): void {
  const { root, error, token, typed, least } = page;
  const email = input('Email', 'email', 'email', 'email', typed.email);
  const username = input('Username', 'username', 'text', 'username', typed.username, focus(error));
  const fields = hidden({ token }) + username + email + newPassword(least);
  const body = `<h1>Set up Pressroom</h1>${alertOf(error)}<p>Create the first administrator. This link works until then.</p>
${form(root, '/__setup__', fields, 'Create administrator')}`;
  sendHtml(response, page.status, 'Set up Pressroom', body);
}

export function sendConfirmPage(
  response: ServerResponse,
  {
    root,
    ticket,
    user,
  }: {
    readonly root: string;
    readonly ticket: string;
    readonly user: { readonly email: string; readonly username: string };
  },
): void {
  const address = `<strong>${escapeHtml(user.email)}</strong>`;
  const body = `<h1>Confirm your address</h1>
<p>${address} becomes the address of the account <strong>${escapeHtml(user.username)}</strong>. If that account is not yours, close this page.</p>
${form(root, '/__confirm__', hidden({ ticket }), 'Confirm address')}`;
  sendHtml(response, 200, 'Confirm your address', body);
}

function newPassword(least: number, more = ''): string {
  const field = input(
    'New password',
    'password',
    'password',
    'new-password',
    '',
    ` minlength="${least}"${more}`,
  );
  return `${field}<p>At least ${least} characters. A few unrelated words make a good password.</p>`;
}

function input(
  label: string,
  name: string,
  type: string,
  autocomplete: string,
  value = '',
  more = '',
): string {
  const shown = type === 'password' ? '' : ` value="${escapeHtml(value)}"`;
  return `<label>${label} <input name="${name}" type="${type}" autocomplete="${autocomplete}"${shown}${more} required></label>`;
}

function usernameField(typed: string, more: string): string {
  return input('Username', 'username', 'text', 'username', typed, more);
}

/** Of the field to fill in first: screen readers announce an error of a new page only with the field in focus. */
function focus(error: string | null): string {
  return error === null ? ' autofocus' : ' autofocus aria-describedby="error"';
}

function hidden(fields: Readonly<Record<string, string>>): string {
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`,
  );
  return inputs.join('');
}

function form(root: string, path: string, fields: string, button: string): string {
  return `<form method="post" action="${escapeHtml(root)}${path}">${fields}<button>${button}</button></form>`;
}

/** Shown by its script only. */
function passkeyForm(
  root: string,
  path: string,
  { options, state }: Question,
  fields: Readonly<Record<string, string>>,
  kind: 'sign-in' | 'second',
): string {
  const inputs = hidden({ ...fields, state, response: '' });
  return `<form method="post" action="${escapeHtml(root)}${path}" data-passkey="${escapeHtml(options)}" data-kind="${kind}" hidden>${inputs}
<p class="error" role="alert"></p><button>Use a passkey</button></form>`;
}

function alertOf(error: string | null): string {
  return error === null ? '' : `<p class="error" role="alert" id="error">${escapeHtml(error)}</p>`;
}
