// People, for administrators: list, add, lock; name, address and role of one.
import { ApiError, errors } from '@pressroom/api/contract';
import { factorsOf } from '../../sign-in/second-factors/commands.ts';
import { html, type Html } from '../html.ts';
import { orNull, type Page, type PageRequest, type Redirect, requireAdministrator } from '../page.ts';
import {
  actionButton,
  dangerButton,
  field,
  form,
  pageNumber,
  paging,
  changedFields,
  select,
  shownFields,
  shownOnce,
  table,
  time,
} from '../parts.ts';
import { keyTable } from './key-parts.ts';
import { sessionTable } from './sessions.ts';

const ROLES = [
  ['viewer', 'Viewer'],
  ['publisher', 'Publisher'],
  ['administrator', 'Administrator'],
] as const;
const PAGE = 50;
/** A search has a single page: the largest there is. */
const FOUND = 500;

export async function people(request: PageRequest): Promise<Page> {
  const { call, query, root, parts, caller } = request;
  await requireAdministrator(request);
  const prefix = query.get('q')?.trim() ?? '';
  const users = await call('getUsers', {
    query:
      prefix === '' ? { page_number: pageNumber(request), page_size: PAGE } : { page_size: FOUND, prefix },
  });
  const count =
    prefix === ''
      ? paging(request, '/users', PAGE, users.total, ['person', 'people'])
      : html`<p>${found(users.results.length)}</p>`;
  const rows = users.results.map((user) => [
    user.guid !== caller.guid &&
      html`<label class="check"
        ><input type="checkbox" form="bulk" name="guid" value="${user.guid}" />
        <span class="hidden">Select ${user.username}</span></label
      >`,
    html`<a href="${root}/users/${user.guid}"
      >${`${user.first_name} ${user.last_name}`.trim() || user.username}</a
    >`,
    user.username,
    user.email,
    user.user_role,
    user.locked ? html`<span class="bad">locked</span>` : null,
    time(user.active_time),
  ]);
  const searchForm = html`<form class="search" action="${root}/users" role="search">
    <p class="field">
      <label for="q">Search by name</label> <input id="q" name="q" type="search" value="${prefix}" />
    </p>
    <button>Search</button>
  </form>`;
  const head = ['Select', 'Name', 'Username', 'Email', 'Role', 'Status', 'Last active'];
  const add = parts.config['Authentication.Provider'] === 'password' && newPerson(request);
  return {
    title: 'People',
    section: 'users',
    body: html`${searchForm}${table('People', head, rows, html`Nobody matches. <a href="${root}/users">Show all people</a>`)}${count}${bulk(request)}${add}`,
  };
}

function found(count: number): string {
  if (count >= FOUND) return `The ${FOUND} people who match best: search for more of a name to find others`;
  return count === 1 ? '1 person' : `${count} people`;
}

const CHANGES: readonly (readonly [value: string, label: string])[] = [
  ['lock', 'Lock'],
  ['unlock', 'Unlock'],
  ...ROLES.map(([role, label]) => [role, `Make ${label.toLowerCase()}`] as const),
];

/** Actions for the selected people. */
function bulk(request: PageRequest): Html {
  const fields = html`${select(request, 'change', 'Selected people', CHANGES, 'lock')}<button>Apply</button>`;
  return form(request, `/users/bulk${search(request)}`, fields, html`id="bulk" class="row"`);
}

/** The list goes on to show the same search and page. */
function search({ query }: PageRequest): string {
  return query.size === 0 ? '' : `?${query.toString()}`;
}

/** One by one: a refusal does not affect the others. */
export async function changePeople(request: PageRequest): Promise<Redirect> {
  const { call, form: sent } = request;
  const guids = [...new Set(sent.getAll('guid'))].slice(0, FOUND);
  const change = CHANGES.find(([value]) => value === sent.get('change'))?.[0];
  if (change === undefined || guids.length === 0)
    throw errors.invalidParameter({ message: 'Select at least one person.' });
  const refused: string[] = [];
  for (const guid of guids) {
    const params = { guid };
    try {
      if (change === 'lock' || change === 'unlock')
        await call('lockUser', { params, body: { locked: change === 'lock' } });
      else await call('updateUser', { params, body: { user_role: change } });
    } catch (error) {
      if (!(error instanceof ApiError) || error.code === 1) throw error;
      const user = await orNull(call('getUser', { params }));
      refused.push(`${user?.username ?? guid}: ${error.message}`);
    }
  }
  const done = guids.length - refused.length;
  const note = [`${done} ${done === 1 ? 'account' : 'accounts'} changed.`, ...refused].join(' ');
  return { to: `/users${search(request)}`, note };
}

function newPerson(request: PageRequest) {
  const fields = html`${field(request, 'username', 'Username', '', { required: true })}
    ${field(request, 'first_name', 'First name')}${field(request, 'last_name', 'Last name')}
    ${field(request, 'email', 'Email', '', { type: 'email', required: true })}
    ${field(request, 'password', 'Initial password', '', { autocomplete: 'new-password', hint: 'Leave empty to create a link with which the user sets one' })}
    ${select(request, 'user_role', 'Role', ROLES, request.parts.config['Authorization.DefaultUserRole'])}<button>
      Add
    </button>`;
  return html`<h2>New user</h2>
    ${form(request, '/users', fields)}`;
}

export async function addPerson({ call, form: sent, root }: PageRequest): Promise<Redirect | Page> {
  const names = ['username', 'first_name', 'last_name', 'email', 'user_role'];
  const fields = Object.fromEntries(names.map((name) => [name, sent.get(name) ?? '']));
  const password = sent.get('password') ?? '';
  const first = password === '' ? { user_must_set_password: true } : { password };
  const user = await call('createPushUser', { body: { ...fields, ...first } });
  if (password === '') {
    const { url, expires_time } = await call('createPasswordLink', { params: { guid: user.guid } });
    return passwordLink(root, user, url, expires_time);
  }
  return { to: `/users/${user.guid}`, note: `User ${user.username} created.` };
}

export async function person(request: PageRequest): Promise<Page> {
  const { call, params, caller } = request;
  await requireAdministrator(request);
  const user = await call('getUser', { params: { guid: params.guid } });
  const path = `/users/${user.guid}`;
  const keys = await call('getApiKeys', { params: { guid: user.guid } });
  const { username, first_name, last_name, email, user_role } = user;
  const shown = shownFields(request, 'person', { username, first_name, last_name, email, user_role });
  const mayRename = request.parts.provider.kind === 'password' || user.locked;
  const name = mayRename && field(request, 'username', 'Username', user.username, { required: true });
  const fields = html`${shown}${name}${field(request, 'first_name', 'First name', user.first_name)}
    ${field(request, 'last_name', 'Last name', user.last_name)}
    ${field(request, 'email', 'Email', user.email, { type: 'email' })}
    ${select(request, 'user_role', 'Role', ROLES, user.user_role)}<button>Save</button>`;
  const lock =
    user.guid !== caller.guid &&
    actionButton(request, `${path}/lock`, user.locked ? 'Unlock' : 'Lock', {
      locked: user.locked ? '0' : '1',
    });
  const body = html`<dl>
      <dt>Username</dt>
      <dd>${user.username}</dd>
      <dt>GUID</dt>
      <dd>${user.guid}</dd>
      <dt>Created</dt>
      <dd>${time(user.created_time)}</dd>
      <dt>Last active</dt>
      <dd>${time(user.active_time)}</dd>
      <dt>State</dt>
      <dd>
        ${user.locked ? html`<span class="bad">locked</span>` : user.confirmed ? 'may sign in' : 'has not confirmed the email address'}
        ${lock}
      </dd>
    </dl>
    ${form(request, path, fields)}
    <h2>API keys</h2>
    ${keyTable(request, keys, `${path}/revoke`)} ${await gettingIn(request, user.guid)}`;
  const title = `${user.first_name} ${user.last_name}`.trim() || user.username;
  return { title, windowTitle: `${title} · People`, section: 'users', body };
}

export async function savePerson(request: PageRequest): Promise<Redirect> {
  const { call, params, form: sent } = request;
  const names = changedFields(request, 'person', [
    'username',
    'first_name',
    'last_name',
    'email',
    'user_role',
  ]);
  const body = Object.fromEntries(names.map((name) => [name, sent.get(name) ?? '']));
  await call('updateUser', { params: { guid: params.guid }, body });
  return { to: `/users/${params.guid}`, note: 'Saved.' };
}

export async function lockPerson({ call, params, form: sent }: PageRequest): Promise<Redirect> {
  const locked = sent.get('locked') === '1';
  await call('lockUser', { params: { guid: params.guid }, body: { locked } });
  return {
    to: `/users/${params.guid}`,
    note: locked ? 'Account locked.' : 'Account unlocked.',
  };
}

export async function revokeOf({ call, params, form: sent }: PageRequest): Promise<Redirect> {
  await call('deleteApiKey', { params: { guid: params.guid, id: sent.get('id') ?? '' } });
  return { to: `/users/${params.guid}`, note: 'Key revoked.' };
}

/** Sessions and second factors, and help for people who cannot sign in. */
async function gettingIn(request: PageRequest, guid: string): Promise<Html> {
  const { call, parts } = request;
  const path = `/users/${guid}`;
  const list = await call('getSessions', { params: { guid } });
  const { totp, passkeys } = await factorsOf(parts, guid);
  const link =
    parts.provider.kind === 'password' &&
    html`<h2>Password</h2>
      ${actionButton(request, `${path}/password-link`, 'Create password link')}`;
  const some = passkeys.length === 1 ? '1 passkey' : `${passkeys.length} passkeys`;
  const has = [totp && 'an authenticator app', passkeys.length > 0 && some];
  const factors = has.filter((part) => part !== false).join(', ');
  return html`${link}
    <h2>Two-factor authentication</h2>
    <p>${factors || 'none'}</p>
    ${factors !== '' && dangerButton(request, `${path}/second-factors/remove`, 'Remove', 'Remove two-factor authentication from this account')}
    <h2>Sessions</h2>
    ${sessionTable(request, list, `${path}/sessions/end`)}`;
}

function passwordLink(
  root: string,
  user: { guid: string; username: string },
  url: string,
  until: string,
): Page {
  const body = html`<p>
      Give it to ${user.username}, and to nobody else: whoever has it gets in, until ${time(until)}.
    </p>
    ${shownOnce('Password link', url)}
    <p><a href="${root}/users/${user.guid}">Back to ${user.username}</a></p>`;
  return { title: 'Password link', section: 'users', body };
}

export async function makePasswordLink({ call, params, root }: PageRequest): Promise<Page> {
  const guid = params.guid;
  const user = await call('getUser', { params: { guid } });
  const { url, expires_time } = await call('createPasswordLink', { params: { guid } });
  return passwordLink(root, user, url, expires_time);
}

export async function endSessionOf({ call, params, form: sent }: PageRequest): Promise<Redirect> {
  await call('endSession', { params: { guid: params.guid, id: sent.get('id') ?? '' } });
  return { to: `/users/${params.guid}`, note: 'Session ended.' };
}

export async function dropFactors({ call, params }: PageRequest): Promise<Redirect> {
  await call('removeSecondFactors', { params: { guid: params.guid } });
  return {
    to: `/users/${params.guid}`,
    note: 'Two-factor authentication removed. All sessions have ended.',
  };
}
