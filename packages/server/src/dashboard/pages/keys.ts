// The person's API keys: create, show once, revoke.
import { errors } from '@pressroom/api/contract';
import { ROLE_RANK } from '../../people/roles.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { listContentKeys } from '../../sign-in/store.ts';
import { html } from '../html.ts';
import type { Page, PageRequest, Redirect } from '../page.ts';
import { field, form, select, shownOnce, table, time } from '../parts.ts';
import { keyTable, revokeButton } from './key-parts.ts';

const ROLES = [
  ['viewer', 'Viewer'],
  ['publisher', 'Publisher'],
] as const;
const DAY = 86_400_000_000;
const LIFETIMES = [
  ['', 'never'],
  ['7', 'in 7 days'],
  ['30', 'in 30 days'],
  ['90', 'in 90 days'],
  ['365', 'in 1 year'],
] as const;

export async function keys(request: PageRequest): Promise<Page> {
  const { call, caller, parts } = request;
  const list = await call('getApiKeys', { params: { guid: caller.guid } });
  // Created by the server for the person's content: after revoking one, only the next deploy creates another.
  const ofContent = (await listContentKeys(parts.storage.db, caller.guid)).map((key) => [
    html`<a href="${request.root}/content/${key.content_guid}">${key.content_name}</a>`,
    time(toTimestamp(key.created_time)),
    time(key.last_used_time === null ? null : toTimestamp(key.last_used_time)),
    revokeButton(request, '/keys/revoke', `the key of ${key.content_name}`, String(key.id)),
  ]);
  const roles = ROLES.filter(([role]) => ROLE_RANK[role] < ROLE_RANK[caller.role]);
  const fields = html`${field(request, 'name', 'Name', '', { required: true, placeholder: 'CI of the sales report' })}
    ${select(request, 'role', 'Role', [['', 'Same as mine'], ...roles], '')}
    ${select(request, 'days', 'Expires', LIFETIMES, '')}<button>Create key</button>`;
  const body = html`<p>
      API keys let programs act as you: the command line, the editor, CI, the Slack bot. If a program shows
      you a code, <a href="${request.root}/device">authorize it</a>.
    </p>
    ${keyTable(request, list, '/keys/revoke')}
    ${
      ofContent.length > 0 &&
      html`<h2>Content keys</h2>
        <p>Content of yours gets one when it is deployed, for calls to this server while it runs.</p>
        ${table('Content keys', ['Content', 'Created', 'Last used', ''], ofContent)}`
    }
    <h2>New key</h2>
    ${form(request, '/keys', fields, html`class="row"`)}`;
  return { title: 'API keys', section: 'keys', body };
}

/** The key is shown in this response only. */
export async function makeKey({ call, caller, form: sent, root, parts }: PageRequest): Promise<Page> {
  const name = sent.get('name') ?? '';
  const days = Number(LIFETIMES.find(([value]) => value === (sent.get('days') ?? ''))?.[0] ?? NaN);
  if (Number.isNaN(days)) throw errors.invalidParameter({ message: 'Choose when the key expires.' });
  const expires_time = days > 0 ? toTimestamp(parts.clock.now() + days * DAY) : null;
  const wanted = { name, role: sent.get('role') || null, expires_time };
  const { key } = await call('createApiKey', { params: { guid: caller.guid }, body: wanted });
  const body = html`${shownOnce(`Key “${name}”`, key)}
    <p><a href="${root}/keys">Back to API keys</a></p>`;
  return { title: 'New API key', section: 'keys', body };
}

export async function revokeKey({ call, caller, form: sent }: PageRequest): Promise<Redirect> {
  await call('deleteApiKey', { params: { guid: caller.guid, id: sent.get('id') ?? '' } });
  return { to: '/keys', note: 'Key revoked.' };
}
