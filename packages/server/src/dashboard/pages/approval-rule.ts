// The approval rule on the Settings page: how many approvals, by whom, and what prevents them.
import type { ApprovalRule, Approver, ContentGa } from '@pressroom/api/contract';
import { html, type Html } from '../html.ts';
import { nullIfNone, orNull, type PageRequest, type Redirect } from '../page.ts';
import {
  actionButton,
  field,
  form,
  inRow,
  numberOrText,
  requireUnchanged,
  shownFields,
  table,
} from '../parts.ts';
import { isAllowed } from './content-frame.ts';
import { findPrincipal, principals } from './principals.ts';

const STATES: Record<Approver['state'], string> = {
  ready: 'Can approve',
  locked: 'Account locked',
  deleted: 'Deleted',
  empty: 'No members',
  not_allowed: 'May not deploy this content',
};

/** The second value is whether it shows a problem. */
export async function approvals(
  request: PageRequest,
  item: ContentGa,
  path: string,
): Promise<[body: Html, hasProblem: boolean]> {
  const { guid } = request.params;
  const rule = await orNull(request.call('getApprovalRule', { params: { guid } }));
  const fields = html`${shownFields(request, 'approvals', { approvals: rule?.approvals ?? null })}${field(
      request,
      'approvals',
      'Approvals required',
      rule === null ? null : String(rule.approvals),
      {
        hint: 'Collaborators other than the author who approve a bundle before it goes live. Leave empty for none',
      },
    )}<button>Require approvals</button>`;
  if (!isAllowed(request, item, 'manageApprovalRule'))
    return [
      html`<p>
        ${rule === null ? 'No approvals are required.' : `Approvals required: ${rule.approvals}.`} The owner
        and administrators change this.
      </p>`,
      false,
    ];
  const problem = rule !== null && rule.available < rule.approvals && tooFew(rule);
  const body = html`${problem} ${form(request, `${path}/approvals`, fields)}
  ${rule && (await approvers(request, `${path}/approvers`, rule))}`;
  return [body, problem !== false];
}

function tooFew({ available, approvals: needed }: ApprovalRule): Html {
  return html`<p class="error">
    Too few people may approve a bundle of yours (${String(available)} of ${String(needed)}): it does not go
    live by approval. Add approvers, make them collaborators, or require fewer approvals.
  </p>`;
}

async function approvers(request: PageRequest, path: string, rule: ApprovalRule): Promise<Html> {
  const rows = rule.approvers.map(({ name, principal_guid, principal_type, state }) => [
    name,
    principal_type,
    STATES[state],
    actionButton(request, path, inRow('Remove', name), { remove: principal_guid }),
  ]);
  const list =
    rows.length === 0
      ? html`<p>Any collaborator approves.</p>`
      : table('Approvers', ['Name', 'Type', 'State', ''], rows);
  const fields = html`${field(request, 'approver', 'Only this user or group approves', '', { required: true, list: 'approver-names' })}
    <datalist id="approver-names">${await principals(request)}</datalist>
    <button>Add approver</button>`;
  return html`${list} ${form(request, path, fields, html`class="row"`)}`;
}

export async function saveApprovalRule(request: PageRequest): Promise<Redirect> {
  const { call, params, form: sent } = request;
  const { guid } = params;
  const rule = await nullIfNone(call('getApprovalRule', { params: { guid } }));
  const now = rule === null ? 'no approvals are required' : `approvals required: ${rule.approvals}`;
  requireUnchanged(request, 'approvals', { approvals: rule?.approvals ?? null }, now);
  const given = (sent.get('approvals') ?? '').trim();
  if (given === '') await call('deleteApprovalRule', { params: { guid } });
  else await call('setApprovalRule', { params: { guid }, body: { approvals: numberOrText(given) } });
  const note = given === '' ? 'No approvals are required.' : `Approvals required: ${given}.`;
  return { to: `/content/${guid}/settings`, note };
}

/** Adds or removes one approver. */
export async function saveApprover(request: PageRequest): Promise<Redirect> {
  const { call, params, form: sent } = request;
  const { guid } = params;
  const rule = await call('getApprovalRule', { params: { guid } });
  const removed = sent.get('remove');
  const kept = rule.approvers.filter(({ principal_guid }) => principal_guid !== removed);
  const added = removed === null ? await findPrincipal(request, (sent.get('approver') ?? '').trim()) : null;
  const all = [...kept, ...(added ? [added] : [])].map(({ principal_guid, principal_type }) => ({
    principal_guid,
    principal_type,
  }));
  const body = { approvals: rule.approvals, approvers: all };
  await call('setApprovalRule', { params: { guid }, body });
  const note = added ? `${added.name} approves.` : 'Approver removed.';
  return {
    to: `/content/${guid}/settings`,
    note: all.length === 0 ? `${note} Any collaborator approves now.` : note,
  };
}
