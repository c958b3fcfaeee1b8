// The signed-in account: password, second factors, sessions.
import { errors } from '@pressroom/api/contract';
import { hashSecret } from '../../sign-in/authenticator.ts';
import { changePassword } from '../../sign-in/passwords/commands.ts';
import { factorsOf } from '../../sign-in/second-factors/commands.ts';
import { html, type Html } from '../html.ts';
import type { Page, PageRequest, Redirect } from '../page.ts';
import { field, form } from '../parts.ts';
import { sessionTable } from './sessions.ts';

export async function account(request: PageRequest): Promise<Page> {
  const { call, caller, parts } = request;
  const [user, list] = [
    await call('getCurrentUser'),
    await call('getSessions', { params: { guid: caller.guid } }),
  ];
  const body = html`<dl>
      <dt>Username</dt>
      <dd>${user.username}</dd>
      <dt>Email</dt>
      <dd>
        ${user.email || '–'}
        ${!user.confirmed && html`<span class="bad">not confirmed: open the link that was mailed there</span>`}
      </dd>
      <dt>Role</dt>
      <dd>${user.user_role}</dd>
    </dl>
    ${user.user_role === 'viewer' && publisherRole(request)}
    ${parts.provider.signIn.by === 'form' && (await secondFactors(request))}
    ${parts.provider.kind === 'password' && password(request)}
    <h2>Sessions</h2>
    <p>
      Browsers that are signed in to your account. End sessions that you do not recognize, then change your
      password.
    </p>
    ${sessionTable(request, list, '/account/sessions/end')}`;
  return { title: 'Account', section: 'account', body };
}

function publisherRole(request: PageRequest): Html {
  const fields = html`${field(request, 'message', 'Message', '', { hint: 'Optional: what you want to publish' })}<button>
      Ask to become a publisher
    </button>`;
  return html`<h2>Publishing</h2>
    <p>As a viewer you can open content. Administrators can let you publish.</p>
    ${form(request, '/account/role', fields)}`;
}

export async function askForRole({ call, form: sent, parts }: PageRequest): Promise<Redirect> {
  await call('requestPublisherRole', { body: { message: sent.get('message') ?? '' } });
  const isMailed = parts.config['Mail.URL'] !== '';
  const note = `The administrators were asked.${isMailed ? ' You are told by mail what they decide.' : ''}`;
  return { to: '/account', note };
}

async function secondFactors({ parts, caller, root }: PageRequest): Promise<Html> {
  const { totp, recoveryCodes, passkeys } = await factorsOf(parts, caller.guid);
  return html`<h2>Two-factor authentication</h2>
    <dl>
      <dt><a href="${root}/account/authenticator">Authenticator app</a></dt>
      <dd>${totp ? `Set up; recovery codes left: ${recoveryCodes}` : 'none'}</dd>
      <dt><a href="${root}/account/passkeys">Passkeys</a></dt>
      <dd>${passkeys.length === 0 ? 'none' : passkeys.map((key) => key.name).join(', ')}</dd>
    </dl>`;
}

function password(request: PageRequest): Html {
  const least = request.parts.config['Authentication.PasswordMinLength'];
  const fields = html`${field(request, 'current', 'Current password', '', { required: true, autocomplete: 'current-password' })}
    ${field(request, 'password', 'New password', '', { required: true, autocomplete: 'new-password', hint: `At least ${least} characters. All other sessions end` })}<button>
      Change password
    </button>`;
  return html`<h2>Password</h2>
    ${form(request, '/account/password', fields)}`;
}

export async function savePassword({ parts, caller, form: sent, visit }: PageRequest): Promise<Redirect> {
  const passwords = { current: sent.get('current') ?? '', next: sent.get('password') ?? '' };
  await changePassword(parts, caller, passwords, visit, hashSecret(visit.previous ?? ''));
  return {
    to: '/account',
    note: 'Password changed. All other sessions have ended; API keys still work.',
  };
}

export async function endOwnSession({ call, caller, form: sent }: PageRequest): Promise<Redirect> {
  await call('endSession', { params: { guid: caller.guid, id: sent.get('id') ?? '' } });
  return { to: '/account', note: 'Session ended.' };
}

/** Second factors exist only where this server checks the password. @throws ApiError 95 */
export function requireFactorsHere({ parts }: PageRequest): void {
  if (parts.provider.signIn.by === 'form') return;
  throw errors.authenticationTypeNotAllowed({
    message: 'two-factor authentication is managed by your identity provider',
  });
}
