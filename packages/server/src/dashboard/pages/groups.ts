// Groups and their members.
import { ApiError, errors } from '@pressroom/api/contract';
import { html, type Html } from '../html.ts';
import type { Page, PageRequest, Redirect } from '../page.ts';
import {
  actionButton,
  dangerButton,
  field,
  form,
  inRow,
  pageNumber,
  paging,
  table,
  textArea,
} from '../parts.ts';
import { findPerson, namesIn, nobodyCalled } from './principals.ts';

const PAGE = 100;
/** Each is looked up. */
const MAX_ADDED = 100;

/** The API neither creates such groups by name nor lists their members (contract, 4.4). */
function areOfDirectory({ parts }: PageRequest): boolean {
  return parts.provider.kind === 'ldap';
}

export async function groups(request: PageRequest): Promise<Page> {
  const { call, caller, root } = request;
  const list = await call('getGroups', { query: { page_number: pageNumber(request), page_size: PAGE } });
  const rows = list.results.map((group) => [html`<a href="${root}/groups/${group.guid}">${group.name}</a>`]);
  const fields = html`${field(request, 'name', 'Name', '', { required: true, hint: '3 to 64 letters and digits' })}<button>
      Create group
    </button>`;
  const body = html`${table('Groups', ['Name'], rows, 'There are no groups yet. With one, you give content to several people at once.')}
  ${list.total > 0 && paging(request, '/groups', PAGE, list.total, ['group', 'groups'])}
  ${caller.role !== 'viewer' && html`<h2>New group</h2>`}
  ${
    caller.role !== 'viewer' &&
    (areOfDirectory(request)
      ? html`<p>
          Groups come from the directory. A program adds them: <code>GET /v1/groups/remote</code>, then
          <code>PUT /v1/groups</code>.
        </p>`
      : form(request, '/groups', fields))
  }`;
  return { title: 'Groups', section: 'groups', body };
}

export async function makeGroup({ call, form: sent }: PageRequest): Promise<Redirect> {
  const group = await call('createGroup', { body: { name: sent.get('name') ?? '' } });
  return { to: `/groups/${group.guid}`, note: `Group ${group.name} created.` };
}

export async function group(request: PageRequest): Promise<Page> {
  const { call, caller, params, root } = request;
  const guid = params.guid;
  const found = await call('getGroup', { params: { guid } });
  const path = `/groups/${guid}`;
  const mayChange = caller.role === 'administrator' || found.owner_guid === caller.guid;
  const body = html`${areOfDirectory(request) ? html`<p>Its members are those of the directory; each joins at their next sign-in.</p>` : await membersOf(request, path, mayChange)}
    ${
      mayChange
        ? html`<h2>Delete</h2>
            ${dangerButton(request, `${path}/delete`, 'Delete this group', 'Delete this group. Members lose the access it gave them')}`
        : html`<p class="quiet">Its owner and administrators change this group.</p>`
    }
    <p><a href="${root}/groups">All groups</a></p>`;
  return { title: found.name, windowTitle: `${found.name} · Groups`, section: 'groups', body };
}

async function membersOf(request: PageRequest, path: string, mayChange: boolean): Promise<Html> {
  const { call, params } = request;
  const number = pageNumber(request);
  const members = await call('getGroupMembers', {
    params: { group_guid: params.guid },
    query: { page_number: number, page_size: PAGE },
  });
  const rows = members.results.map((user) => [
    `${user.first_name} ${user.last_name}`.trim(),
    user.username,
    (mayChange || user.guid === request.caller.guid) &&
      actionButton(request, `${path}/remove`, inRow('Remove', user.username), {
        user_guid: user.guid,
        page: String(number),
      }),
  ]);
  const fields = html`${textArea(request, 'username', 'Names or emails', '', 'Several: one in a line, or separated by commas')}<button>
      Add
    </button>`;
  return html`${table('Members', ['Name', 'Username', ''], rows, 'This group has no members yet.')}
  ${members.total > 0 && paging(request, path, PAGE, members.total, ['member', 'members'])}
  ${mayChange && form(request, `${path}/add`, fields, html`class="row"`)}`;
}

/** All that are named, or nobody. */
export async function addMembers(request: PageRequest): Promise<Redirect> {
  const { call, params, form: sent } = request;
  const names = [...new Set(namesIn(sent.get('username') ?? ''))];
  if (names.length === 0 || names.length > MAX_ADDED)
    throw errors.invalidParameter({ message: `Name 1 to ${MAX_ADDED} people.`, field: 'username' });
  const found = await Promise.all(
    names.map(async (name) => ({ name, user: await findPerson(request, name) })),
  );
  const unknown = found.flatMap(({ name, user }) => (user ? [] : [name]));
  if (unknown.length > 0) throw nobodyCalled(unknown.join(', '), 'user');
  const group_guid = params.guid;
  const added: string[] = [];
  const before: string[] = [];
  for (const { guid, username } of found.flatMap(({ user }) => user ?? [])) {
    try {
      await call('addGroupMember', { params: { group_guid }, body: { user_guid: guid } });
      added.push(username);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 16) throw error;
      if (names.length === 1) throw error;
      before.push(username);
    }
  }
  const note = [
    added.length > 0 && `${added.join(', ')} added.`,
    before.length > 0 && `Members already: ${before.join(', ')}.`,
  ];
  return { to: `/groups/${group_guid}`, note: note.filter((part) => part !== false).join(' ') };
}

export async function removeMember({ call, params, form: sent }: PageRequest): Promise<Redirect> {
  const user_guid = sent.get('user_guid') ?? '';
  await call('removeGroupMember', { params: { group_guid: params.guid, user_guid } });
  const page = sent.get('page') ?? '1';
  return { to: `/groups/${params.guid}?page=${encodeURIComponent(page)}`, note: 'Member removed.' };
}

export async function deleteGroup({ call, params }: PageRequest): Promise<Redirect> {
  await call('deleteGroup', { params: { guid: params.guid } });
  return { to: '/groups', note: 'Group deleted.' };
}
