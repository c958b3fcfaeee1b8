// Open requests that this person can decide: access to content, and the publisher role.
import { ROLE_RANK } from '../../people/roles.ts';
import { html, type Html } from '../html.ts';
import type { Page, PageRequest, Redirect } from '../page.ts';
import { actionButton, inRow, table, time } from '../parts.ts';
import { accessButtons, decideAccess } from './access-requests.ts';

export async function requests(request: PageRequest): Promise<Page> {
  const { call, caller, root } = request;
  const access = await call('getAccessRequests');
  const rows = access.map(({ id, username, created_time, message, ...item }) => [
    username,
    html`<a href="${root}/content/${item.content_guid}/access"
      >${item.content_title || item.content_name}</a
    >`,
    time(created_time),
    message,
    accessButtons(request, '/requests/access', `${username}, ${item.content_title || item.content_name}`, {
      guid: item.content_guid,
      id,
    }),
  ]);
  const isAdministrator = ROLE_RANK[caller.role] >= ROLE_RANK.administrator;
  const body = html`<h2>Access to content</h2>
    ${table('Access to content', ['Who', 'Content', 'Asked', 'Message', ''], rows, 'Nobody asks for access to your content.')}
    ${isAdministrator && (await roleRequests(request))}`;
  return { title: 'Requests', section: 'requests', body };
}

async function roleRequests(request: PageRequest): Promise<Html> {
  const open = await request.call('getRoleRequests');
  const button = (label: string, username: string, guid: string, decision: string) =>
    actionButton(request, '/requests/role', inRow(label, username), { guid, decision });
  const rows = open.map(({ user_guid, username, created_time, message }) => [
    html`<a href="${request.root}/users/${user_guid}">${username}</a>`,
    time(created_time),
    message,
    html`${button('Make publisher', username, user_guid, 'grant')}
    ${button('Decline', username, user_guid, 'decline')}`,
  ]);
  return html`<h2>Publisher role</h2>
    ${table('Publisher role', ['Who', 'Asked', 'Message', ''], rows, 'Nobody asks to become a publisher.')}`;
}

export async function decideListedAccess(request: PageRequest): Promise<Redirect> {
  const guid = request.form.get('guid') ?? '';
  return { ...(await decideAccess({ ...request, params: { ...request.params, guid } })), to: '/requests' };
}

export async function decideRole({ call, form: sent }: PageRequest): Promise<Redirect> {
  const decision = sent.get('decision');
  await call('decideRoleRequest', { params: { guid: sent.get('guid') ?? '' }, body: { decision } });
  return { to: '/requests', note: decision === 'grant' ? 'They can publish now.' : 'Request declined.' };
}
