// Open requests for access to a content item, with buttons that decide.
import { html, type Html } from '../html.ts';
import type { PageRequest, Redirect } from '../page.ts';
import { actionButton, inRow, table, time } from '../parts.ts';

/** Empty without requests. */
export async function accessRequests(request: PageRequest): Promise<Html | false> {
  const { call, params } = request;
  const { guid } = params;
  const open = await call('getContentAccessRequests', { params: { guid } });
  if (open.length === 0) return false;
  const rows = open.map(({ id, username, created_time, message }) => [
    username,
    time(created_time),
    message,
    accessButtons(request, `/content/${guid}/access/requests`, username, { id }),
  ]);
  return html`<h2>Requests for access</h2>
    ${table('Requests for access', ['Who', 'Asked', 'Message', ''], rows)}`;
}

/**
 * @param row what the row is about
 * @param fields hidden fields that identify the request
 */
export function accessButtons(
  request: PageRequest,
  path: string,
  row: string,
  fields: Record<string, string>,
): Html {
  const button = (label: string, decision: Record<string, string>) =>
    actionButton(request, path, inRow(label, row), { ...fields, ...decision });
  return html`${button('Grant as viewer', { decision: 'grant', as: 'viewer' })}
  ${button('Grant as collaborator', { decision: 'grant', as: 'owner' })}
  ${button('Decline', { decision: 'decline' })}`;
}

export async function decideAccess({ call, params, form: sent }: PageRequest): Promise<Redirect> {
  const { guid } = params;
  const decision = sent.get('decision');
  const role = sent.get('as');
  await call('decideContentAccessRequest', {
    params: { guid, id: sent.get('id') ?? '' },
    body: { decision, ...(role !== null && { role }) },
  });
  return {
    to: `/content/${guid}/access`,
    note: decision === 'grant' ? 'Access granted.' : 'Request declined.',
  };
}
