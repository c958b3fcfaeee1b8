// Who asks for access to a content item, and the buttons that decide.
import { html, type Html } from '../html.ts';
import type { PageRequest, Redirect } from '../page.ts';
import { actionButton, table, time } from '../parts.ts';

/** Nothing where nobody asks. */
export async function accessRequests(request: PageRequest): Promise<Html | false> {
  const { call, params } = request;
  const { guid } = params;
  const open = await call('getContentAccessRequests', { params: { guid } });
  if (open.length === 0) return false;
  const button = (label: string, fields: Record<string, string>) =>
    actionButton(request, `/content/${guid}/access/requests`, label, fields);
  const rows = open.map(({ id, username, created_time, message }) => [
    username,
    time(created_time),
    message,
    html`${button('Grant as viewer', { id, decision: 'grant', role: 'viewer' })}
    ${button('Grant as collaborator', { id, decision: 'grant', role: 'owner' })}
    ${button('Decline', { id, decision: 'decline' })}`,
  ]);
  return html`<h2>Requests for access</h2>
    ${table('Requests for access', ['Who', 'Asked', 'Message', ''], rows)}`;
}

export async function decideAccess({ call, params, form: sent }: PageRequest): Promise<Redirect> {
  const { guid } = params;
  const decision = sent.get('decision');
  const role = sent.get('role');
  await call('decideContentAccessRequest', {
    params: { guid, id: sent.get('id') ?? '' },
    body: { decision, ...(role !== null && { role }) },
  });
  return {
    to: `/content/${guid}/access`,
    note: decision === 'grant' ? 'Access granted.' : 'Request declined.',
  };
}
