// The person's API keys: made, shown once, revoked.
import { toTimestamp } from '../../config/clock.ts';
import { listContentKeys } from '../../storage/credentials.ts';
import { html } from '../html.ts';
import type { Page, PageRequest, Redirect } from '../page.ts';
import { actionButton, field, form, table, time } from '../parts.ts';

export async function keys(request: PageRequest): Promise<Page> {
  const { call, caller, services } = request;
  const list = await call('getApiKeys', { params: { guid: caller.guid } });
  const rows = list.map((key) => [
    key.name,
    time(key.created_time),
    time(key.last_used_time),
    actionButton(request, '/keys/revoke', 'Revoke', { id: key.id }),
  ]);
  // Made by the server for content of theirs: revoked ones are made anew by the next deploy only.
  const ofContent = (await listContentKeys(services.storage.db, caller.guid)).map((key) => [
    html`<a href="${request.root}/content/${key.content_guid}">${key.content_name}</a>`,
    time(toTimestamp(key.created_time)),
    time(key.last_used_time === null ? null : toTimestamp(key.last_used_time)),
    actionButton(request, '/keys/revoke', 'Revoke', { id: String(key.id) }),
  ]);
  const fields = html`${field(request, 'name', 'What it is for', '', { required: true, placeholder: 'CI of the sales report' })}<button>
      Make a key
    </button>`;
  const body = html`<p>
      Programs use a key in your name: the command line, the editor, CI, the Slack bot. Where one shows you a
      code, <a href="${request.root}/device">sign it in</a>.
    </p>
    ${table('API keys', ['Name', 'Made', 'Last used', ''], rows)}
    ${ofContent.length > 0 && table('Keys of content', ['Content', 'Made', 'Last used', ''], ofContent)}
    <h2>New key</h2>
    ${form(request, '/keys', fields, html`class="row"`)}`;
  return { title: 'API keys', section: 'keys', body };
}

/** The key is in this one answer, and nowhere else. */
export async function makeKey({ call, caller, form: sent, root }: PageRequest): Promise<Page> {
  const name = sent.get('name') ?? '';
  const { key } = await call('createApiKey', { params: { guid: caller.guid }, body: { name } });
  const body = html`<p class="note" role="status">Copy it now: it is not shown again.</p>
    <p>
      <label for="key">Key “${name}”</label><br /><input
        id="key"
        class="secret"
        readonly
        size="48"
        value="${key}"
      />
    </p>
    <p><a href="${root}/keys">Back to the keys</a></p>`;
  return { title: 'New API key', section: 'keys', body };
}

export async function revokeKey({ call, caller, form: sent }: PageRequest): Promise<Redirect> {
  await call('deleteApiKey', { params: { guid: caller.guid, id: sent.get('id') ?? '' } });
  return { to: '/keys', note: 'The key is revoked.' };
}
