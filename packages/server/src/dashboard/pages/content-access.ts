// Permissions and addresses of a content item.
import type { ContentGa } from '@pressroom/api/contract';
import { html, type Html } from '../html.ts';
import { orNull, type Page, type PageRequest, type Redirect } from '../page.ts';
import {
  actionButton,
  field,
  form,
  inRow,
  pageNumber,
  paging,
  requireUnchanged,
  select,
  shownFields,
  table,
  time,
} from '../parts.ts';
import { accessRequests } from './access-requests.ts';
import { contentPage, loadItem } from './content-frame.ts';
import { findPerson, findPrincipal, nobodyCalled, principals } from './principals.ts';
import { visitorKeys } from './visitor-keys.ts';

const PAGE = 100;
const KINDS = [
  ['all', 'Anyone, no sign-in required'],
  ['logged_in', 'All signed-in users'],
  ['acl', 'Selected users and groups'],
] as const;

export async function contentAccess(request: PageRequest): Promise<Page> {
  const { call, params } = request;
  const item = await loadItem(request);
  const guid = params.guid;
  const path = `/content/${guid}/access`;
  const permissions = await call('getPermissions', { params: { guid } });
  // The last of a page may have been removed.
  const number = Math.min(pageNumber(request), Math.ceil(permissions.length / PAGE) || 1);
  // Each name is looked up: those of a whole company at once would hold up everybody.
  const rows = await Promise.all(
    permissions.slice((number - 1) * PAGE, number * PAGE).map(async (permission) => {
      const name = await nameOf(request, permission.principal_type, permission.principal_guid);
      return [
        name,
        permission.principal_type,
        permission.role === 'owner' ? 'collaborator' : 'viewer',
        permission.expires_time === undefined ? 'no end' : time(permission.expires_time),
        actionButton(request, `${path}/remove`, inRow('Remove', name), {
          id: permission.id,
          page: String(number),
        }),
      ];
    }),
  );
  const known = await principals(request);
  const vanity = await orNull(call('getVanity', { params: { guid } }));
  const body = html`${await accessRequests(request)}
    <h2>Access</h2>
    ${form(request, `${path}/type`, html`${shownFields(request, 'access', shownAccess(item))}${select(request, 'access_type', 'Who can view this content', KINDS, item.access_type)}<button>Save</button>`)}
    <h2>Users and groups</h2>
    ${table('Users and groups with access', ['Name', 'Type', 'Role', 'Until', ''], rows, 'Shared with nobody yet. Add people or groups below.')}
    ${permissions.length > PAGE && paging(request, path, PAGE, permissions.length, ['entry', 'entries'])}
    ${form(
      request,
      `${path}/add`,
      html`${field(request, 'principal', 'Name, email or group', '', { required: true, list: 'principals', hint: 'Who has access already gets this role and end' })}
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
        )}${field(request, 'until', 'Until', '', { type: 'date', hint: 'The last day, in UTC; leave empty for no end' })}<button>
          Add
        </button>`,
      html`class="row"`,
    )}
    ${await ownership(request, item)} ${await visitorKeys(request, item)}
    <h2>Address</h2>
    ${form(
      request,
      `${path}/vanity`,
      html`${shownFields(request, 'vanity', shownPath(vanity))}${field(request, 'path', 'Custom path', vanity?.path ?? '', { hint: 'For example /sales/; leave empty for none', placeholder: '/sales/' })}<button>
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

const shownAccess = ({ access_type }: ContentGa) => ({ access_type });
const shownPath = (vanity: { readonly path: string } | null) => ({ path: vanity?.path ?? null });
const shownOwner = ({ owner_guid }: ContentGa) => ({ owner_guid });

export async function setAccessType(request: PageRequest): Promise<Redirect> {
  const { call, params, form: sent } = request;
  const item = await loadItem(request);
  const now = KINDS.find(([kind]) => kind === item.access_type)![1];
  requireUnchanged(request, 'access', shownAccess(item), now);
  const body = { access_type: sent.get('access_type') };
  await call('updateContentGa', { params: { guid: params.guid }, body });
  return { to: `/content/${params.guid}/access`, note: 'Access updated.' };
}

/** The owner; the owner and administrators can transfer it. */
async function ownership(request: PageRequest, item: ContentGa): Promise<Html> {
  const mayTransfer =
    request.caller.role === 'administrator' ||
    (item.app_role === 'owner' && request.caller.role !== 'viewer');
  const fields = html`${shownFields(request, 'owner', shownOwner(item))}${field(request, 'new_owner', 'New owner', '', { required: true, list: 'principals', hint: 'A publisher or administrator' })}
    ${select(request, 'keep', 'The owner until now', KEEPS, 'owner')}
    <p>
      <label class="check"
        ><input type="checkbox" name="sure" required /> Only the new owner and administrators can undo
        this</label
      >
    </p>
    <button>Hand over</button>`;
  return html`<h2>Owner</h2>
    <p>${await nameOf(request, 'user', item.owner_guid)}</p>
    ${mayTransfer && form(request, `/content/${item.guid}/access/owner`, fields)}`;
}

const KEEPS = [
  ['owner', 'can still edit it'],
  ['viewer', 'can still view it'],
  ['', 'loses access'],
] as const;
const AFTERWARDS: Readonly<Record<string, string>> = {
  owner: 'You can still edit it.',
  viewer: 'You can still view it.',
};

export async function handOver(request: PageRequest): Promise<Redirect> {
  const { call, params, form: sent, caller } = request;
  const item = await loadItem(request);
  const owner = await orNull(call('getUser', { params: { guid: item.owner_guid } }));
  requireUnchanged(request, 'owner', shownOwner(item), owner?.username ?? item.owner_guid);
  const wanted = (sent.get('new_owner') ?? '').trim();
  const user = await findPerson(request, wanted);
  if (!user) throw nobodyCalled(wanted, 'user');
  const keep = sent.get('keep') ?? '';
  const body = { owner_guid: user.guid, keep: keep === '' ? null : keep };
  await call('transferContent', { params: { guid: params.guid }, body });
  const name = item.title ?? item.name;
  const wasOwn = item.owner_guid === caller.guid;
  const rest = wasOwn ? ` ${AFTERWARDS[keep] ?? 'You no longer have access to it.'}` : '';
  const isSeen = !wasOwn || keep === 'owner' || caller.role === 'administrator';
  return {
    to: isSeen ? `/content/${params.guid}/access` : '/',
    note: `${user.username} owns ${name} now.${rest}`,
  };
}

/** A person, else a group by exact name. Whoever has access already gets the role and the end that were sent. */
export async function addAccess(request: PageRequest): Promise<Redirect> {
  const { call, params, form: sent } = request;
  const wanted = (sent.get('principal') ?? '').trim();
  const { name, ...principal } = await findPrincipal(request, wanted);
  const until = (sent.get('until') ?? '').trim();
  // The last day is included.
  const access = { role: sent.get('role'), expires_time: until === '' ? null : `${until}T23:59:59Z` };
  const { guid } = params;
  const known = (await call('getPermissions', { params: { guid } })).find(
    ({ principal_guid }) => principal_guid === principal.principal_guid,
  );
  if (known) await call('updatePermission', { params: { guid, id: known.id }, body: access });
  else await call('addPermission', { params: { guid }, body: { ...principal, ...access } });
  const end = until === '' ? '' : ` until ${until}`;
  return {
    to: `/content/${guid}/access`,
    note: known ? `Access of ${name} changed${end}.` : `Access granted to ${name}${end}.`,
  };
}

export async function removeAccess({ call, params, form: sent }: PageRequest): Promise<Redirect> {
  await call('deletePermission', { params: { guid: params.guid, id: sent.get('id') ?? '' } });
  const page = sent.get('page') ?? '1';
  return {
    to: `/content/${params.guid}/access?page=${encodeURIComponent(page)}`,
    note: 'Access removed.',
  };
}

export async function setVanity(request: PageRequest): Promise<Redirect> {
  const { call, params, form: sent } = request;
  const path = (sent.get('path') ?? '').trim();
  const guid = params.guid;
  const now = await orNull(call('getVanity', { params: { guid } }));
  requireUnchanged(request, 'vanity', shownPath(now), now?.path ?? 'no custom path');
  if (path === '') await call('deleteVanity', { params: { guid } });
  else await call('setVanity', { params: { guid }, body: { path } });
  return {
    to: `/content/${guid}/access`,
    note: path === '' ? 'Custom path removed.' : `Custom path set to ${path}.`,
  };
}
