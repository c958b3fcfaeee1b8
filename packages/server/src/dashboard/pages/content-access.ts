// Who may see and change a content item, and at which address it is.
import { errors } from '@pressroom/api/contract';
import { html, type Html } from '../html.ts';
import { orNull, type Page, type PageRequest, type Redirect } from '../page.ts';
import { actionButton, field, form, select, table } from '../parts.ts';
import { contentPage, loadItem } from './content-frame.ts';

const MOST_SUGGESTED = 500;

export async function contentAccess(request: PageRequest): Promise<Page> {
  const { call, params } = request;
  const item = await loadItem(request);
  const guid = params.guid;
  const path = `/content/${guid}/access`;
  const permissions = await call('getPermissions', { params: { guid } });
  const rows = await Promise.all(
    permissions.map(async (permission) => [
      await nameOf(request, permission.principal_type, permission.principal_guid),
      permission.principal_type,
      permission.role === 'owner' ? 'collaborator' : 'viewer',
      actionButton(request, `${path}/remove`, 'Remove', { id: permission.id }),
    ]),
  );
  const known = await principals(request);
  const vanity = await orNull(call('getVanity', { params: { guid } }));
  const kinds = [
    ['all', 'Anyone, no sign-in required'],
    ['logged_in', 'All signed-in users'],
    ['acl', 'Selected users and groups'],
  ] as const;
  const body = html`<h2>Access</h2>
    ${form(request, `${path}/type`, html`${select(request, 'access_type', 'Who can view this content', kinds, item.access_type)}<button>Save</button>`)}
    <h2>Users and groups</h2>
    ${table('Users and groups with access', ['Name', 'Type', 'Role', ''], rows)}
    ${form(
      request,
      `${path}/add`,
      html`${field(request, 'principal', 'Name, email or group', '', { required: true, list: 'principals' })}
        <datalist id="principals">${known}</datalist>
        ${select(
          request,
          'role',
          'Role',
          [
            ['viewer', 'Viewer'],
            ['owner', 'Collaborator'],
          ],
          'viewer',
        )}<button>Add</button>`,
      html`class="row"`,
    )}
    <h2>Address</h2>
    ${form(
      request,
      `${path}/vanity`,
      html`${field(request, 'path', 'Custom path', vanity?.path ?? '', { hint: 'For example /sales/; leave empty for none', placeholder: '/sales/' })}<button>
          Save
        </button>`,
    )}`;
  return contentPage(request, item, 'access', body);
}

async function nameOf({ call }: PageRequest, kind: 'user' | 'group', guid: string): Promise<Html | string> {
  if (kind === 'group') {
    const group = await orNull(call('getGroup', { params: { guid } }));
    return group?.name ?? guid;
  }
  const user = await orNull(call('getUser', { params: { guid } }));
  return user ? html`${user.first_name} ${user.last_name} <small>${user.username}</small>` : guid;
}

export async function setAccessType({ call, params, form: sent }: PageRequest): Promise<Redirect> {
  const body = { access_type: sent.get('access_type') };
  await call('updateContentGa', { params: { guid: params.guid }, body });
  return { to: `/content/${params.guid}/access`, note: 'Access updated.' };
}

/** Suggested while one types: as many as a list may have. */
async function principals({ call }: PageRequest): Promise<Html[]> {
  const users = await orNull(call('getUsers', { query: { page_size: MOST_SUGGESTED } }));
  const groups = await orNull(call('getGroups', { query: { page_size: MOST_SUGGESTED } }));
  const people = (users?.results ?? []).map(({ username, first_name, last_name, email }) => {
    const label = [`${first_name} ${last_name}`.trim(), email].filter(Boolean).join(', ');
    return html`<option value="${username}">${label}</option>`;
  });
  return [
    ...people,
    ...(groups?.results ?? []).map(({ name }) => html`<option value="${name}">Group</option>`),
  ];
}

/** A person by exact username, email or full name, else a group by exact name. */
export async function addAccess({ call, params, form: sent }: PageRequest): Promise<Redirect> {
  const wanted = (sent.get('principal') ?? '').trim();
  const same = (name: string) => name.toLowerCase() === wanted.toLowerCase();
  // The list is searched by how names begin.
  const prefix = wanted.split(/[\s@]/, 1)[0] ?? '';
  const named = await call('getUsers', { query: { prefix, page_size: MOST_SUGGESTED } });
  const all = wanted.includes('@') ? await call('getUsers', { query: { page_size: MOST_SUGGESTED } }) : named;
  const people = [...named.results, ...all.results];
  const user =
    people.find(({ username }) => same(username)) ??
    onlyOne(
      people.filter((person) => same(person.email) || same(`${person.first_name} ${person.last_name}`)),
    );
  const groups = user
    ? null
    : await orNull(call('getGroups', { query: { prefix: wanted, page_size: MOST_SUGGESTED } }));
  const group = groups?.results.find(({ name }) => same(name));
  const to = `/content/${params.guid}/access`;
  const principal = user ?? group;
  if (!principal)
    throw errors.userNotFound({ message: `No user or group is called ${wanted}, or several are.` });
  const body = {
    principal_guid: principal.guid,
    principal_type: user ? 'user' : 'group',
    role: sent.get('role'),
  };
  await call('addPermission', { params: { guid: params.guid }, body });
  return { to, note: `Access granted to ${user?.username ?? wanted}.` };
}

/** Of two people of one name none is meant. */
function onlyOne<T extends { readonly guid: string }>(people: readonly T[]): T | undefined {
  return new Set(people.map(({ guid }) => guid)).size === 1 ? people[0] : undefined;
}

export async function removeAccess({ call, params, form: sent }: PageRequest): Promise<Redirect> {
  await call('deletePermission', { params: { guid: params.guid, id: sent.get('id') ?? '' } });
  return { to: `/content/${params.guid}/access`, note: 'Access removed.' };
}

export async function setVanity({ call, params, form: sent }: PageRequest): Promise<Redirect> {
  const path = (sent.get('path') ?? '').trim();
  const guid = params.guid;
  if (path === '') await call('deleteVanity', { params: { guid } });
  else await call('setVanity', { params: { guid }, body: { path } });
  return {
    to: `/content/${guid}/access`,
    note: path === '' ? 'Custom path removed.' : `Custom path set to ${path}.`,
  };
}
