// The passkeys of the signed-in account. Adding one requires JavaScript: only a script can ask the browser for it.
import { toTimestamp } from '../../platform/clock.ts';
import { confirmPassword } from '../../sign-in/passwords/commands.ts';
import { factorsOf } from '../../sign-in/second-factors/commands.ts';
import {
  addPasskey,
  askToRegister,
  mayHavePasskeys,
  removePasskey,
} from '../../sign-in/second-factors/passkeys.ts';
import { html, type Html } from '../html.ts';
import type { Page, PageRequest, Redirect } from '../page.ts';
import { field, form, table, time } from '../parts.ts';
import { requireFactorsHere } from './account.ts';

const PATH = '/account/passkeys';

export async function passkeys(request: PageRequest): Promise<Page> {
  requireFactorsHere(request);
  const { parts, caller, base } = request;
  const list = (await factorsOf(parts, caller.guid)).passkeys;
  const rows = list.map((key) => [
    key.name,
    time(toTimestamp(key.created_time)),
    time(key.last_used_time === null ? null : toTimestamp(key.last_used_time)),
    html`<input type="radio" name="id" value="${key.id}" required aria-label="Remove ${key.name}" />`,
  ]);
  const alone = parts.provider.kind === 'password';
  const use = alone
    ? 'Sign in with a passkey instead of your password. If the device does not verify you, the passkey is your second factor.'
    : 'The passkey is your second factor after the password.';
  const body = html`<p>${use}</p>
    ${rows.length === 0 ? table('Passkeys', COLUMNS, rows) : form(request, `${PATH}/remove`, removal(request, rows))}
    <h2>New passkey</h2>
    ${mayHavePasskeys(base) ? await register(request) : WHERE}`;
  return { title: 'Passkeys', section: 'account', body, passkeys: true };
}

const COLUMNS = ['Name', 'Created', 'Last used', 'Remove'];
const SECRET = { required: true, autocomplete: 'current-password' } as const;

/** Asks for the password, so that nobody at an unattended browser can remove the second factor. */
function removal(request: PageRequest, rows: Parameters<typeof table>[2]): Html {
  return html`${table('Passkeys', COLUMNS, rows)}
    ${field(request, 'remove-password', 'Your password', '', SECRET)}
    <button class="danger">Remove passkey</button>`;
}

const WHERE = html`<p>
  Passkeys require https and a host name, or localhost. They do not work with an IP address.
</p>`;

async function register(request: PageRequest): Promise<Html> {
  const { options, state } = await askToRegister(request.parts, request.caller, request.base);
  const fields = html`<input type="hidden" name="state" value="${state}" />
    <input type="hidden" name="response" value="" />
    ${field(request, 'name', 'Name', '', { required: true, placeholder: 'My phone' })}
    ${field(request, 'password', 'Your password', '', SECRET)}
    <p class="error" role="alert"></p>
    <button>Add passkey</button>`;
  return html`<noscript><p>This needs JavaScript.</p></noscript>
    ${form(request, PATH, fields, html`data-passkey="${options}" data-kind="register" hidden`)}`;
}

export async function registerPasskey(request: PageRequest): Promise<Redirect> {
  const { parts, caller, form: sent, visit, base } = request;
  requireFactorsHere(request);
  await confirmPassword(parts, caller, sent.get('password') ?? '', visit);
  const sentField = (name: string) => sent.get(name) ?? '';
  const given = { state: sentField('state'), response: sentField('response'), name: sentField('name') };
  await addPasskey(parts, caller, given, base);
  return { to: PATH, note: 'Passkey added.' };
}

export async function dropPasskey({ parts, caller, form: sent, visit }: PageRequest): Promise<Redirect> {
  await confirmPassword(parts, caller, sent.get('remove-password') ?? '', visit);
  await removePasskey(parts, caller, sent.get('id') ?? '');
  return { to: PATH, note: 'Passkey removed.' };
}
