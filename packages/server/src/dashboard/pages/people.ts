// People, for administrators: listed, added, locked; name, address and role of one.
import { html } from '../html.ts';
import type { Page, PageRequest, Redirect } from '../page.ts';
import { actionButton, field, form, pageNumber, paging, select, table, time } from '../parts.ts';

const ROLES = [
  ['viewer', 'Viewer'],
  ['publisher', 'Publisher'],
  ['administrator', 'Administrator'],
] as const;
const PAGE = 50;

export async function people(request: PageRequest): Promise<Page> {
  const { call, query, root, services } = request;
  const prefix = query.get('q')?.trim() ?? '';
  const users = await call('getUsers', {
    query: { page_number: pageNumber(request), page_size: PAGE, ...(prefix && { prefix }) },
  });
  const rows = users.results.map((user) => [
    html`<a href="${root}/users/${user.guid}"
      >${`${user.first_name} ${user.last_name}`.trim() || user.username}</a
    >`,
    user.username,
    user.email,
    user.user_role,
    user.locked ? html`<span class="bad">locked</span>` : null,
    time(user.active_time),
  ]);
  const search = html`<form class="search" action="${root}/users" role="search">
    <p class="field">
      <label for="q">Search by name</label> <input id="q" name="q" type="search" value="${prefix}" />
    </p>
    <button>Search</button>
  </form>`;
  const head = ['Name', 'Username', 'E-mail', 'Role', 'State', 'Last active'];
  const add = services.config['Authentication.Provider'] === 'password' && newPerson(request);
  return {
    title: 'People',
    section: 'users',
    body: html`${search}${table('People', head, rows)}${paging(request, '/users', PAGE, users.total, 'people')}${add}`,
  };
}

function newPerson(request: PageRequest) {
  const fields = html`${field(request, 'username', 'Username', '', { required: true })}
    ${field(request, 'first_name', 'First name')}${field(request, 'last_name', 'Last name')}
    ${field(request, 'email', 'E-mail', '', { type: 'email' })}
    ${field(request, 'password', 'First password', '', { type: 'password', autocomplete: 'new-password', hint: 'At least six characters', required: true })}
    ${select(request, 'user_role', 'Role', ROLES, request.services.config['Authorization.DefaultUserRole'])}<button>
      Add
    </button>`;
  return html`<h2>New person</h2>
    ${form(request, '/users', fields)}`;
}

export async function addPerson({ call, form: sent }: PageRequest): Promise<Redirect> {
  const names = ['username', 'first_name', 'last_name', 'email', 'password', 'user_role'];
  const body = Object.fromEntries(names.map((name) => [name, sent.get(name) ?? '']));
  const user = await call('createPushUser', { body });
  return { to: `/users/${user.guid}`, note: `${user.username} is added.` };
}

export async function person(request: PageRequest): Promise<Page> {
  const { call, params, caller } = request;
  const user = await call('getUser', { params: { guid: params.guid! } });
  const path = `/users/${user.guid}`;
  const keys = await call('getApiKeys', { params: { guid: user.guid } });
  const rows = keys.map((key) => [
    key.name,
    time(key.created_time),
    time(key.last_used_time),
    actionButton(request, `${path}/revoke`, 'Revoke', { id: key.id }),
  ]);
  const fields = html`${field(request, 'first_name', 'First name', user.first_name)}
    ${field(request, 'last_name', 'Last name', user.last_name)}
    ${field(request, 'email', 'E-mail', user.email, { type: 'email' })}
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
      <dd>${user.locked ? html`<span class="bad">locked</span>` : 'may sign in'} ${lock}</dd>
    </dl>
    ${form(request, path, fields)}
    <h2>API keys</h2>
    ${table('API keys', ['Name', 'Made', 'Last used', ''], rows)}`;
  return { title: `${user.first_name} ${user.last_name}`.trim() || user.username, section: 'users', body };
}

export async function savePerson({ call, params, form: sent }: PageRequest): Promise<Redirect> {
  const names = ['first_name', 'last_name', 'email', 'user_role'];
  const body = Object.fromEntries(names.map((name) => [name, sent.get(name) ?? '']));
  await call('updateUser', { params: { guid: params.guid! }, body });
  return { to: `/users/${params.guid}`, note: 'Saved.' };
}

export async function lockPerson({ call, params, form: sent }: PageRequest): Promise<Redirect> {
  const locked = sent.get('locked') === '1';
  await call('lockUser', { params: { guid: params.guid! }, body: { locked } });
  return {
    to: `/users/${params.guid}`,
    note: locked ? 'The account is locked.' : 'The account is unlocked.',
  };
}

export async function revokeOf({ call, params, form: sent }: PageRequest): Promise<Redirect> {
  await call('deleteApiKey', { params: { guid: params.guid!, id: sent.get('id') ?? '' } });
  return { to: `/users/${params.guid}`, note: 'The key is revoked.' };
}
