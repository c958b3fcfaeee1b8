// The form to request access to content; it reveals nothing but that the content exists.
import { requireNoAccess } from '../../content/access-requests/commands.ts';
import { html } from '../html.ts';
import type { Page, PageRequest } from '../page.ts';
import { field, form } from '../parts.ts';

const TITLE = 'Ask for access';

export async function requestAccess(request: PageRequest): Promise<Page> {
  const { parts, caller, params } = request;
  const { guid } = await requireNoAccess(parts.storage.db, caller, params.guid.toLowerCase());
  const fields = html`${field(request, 'message', 'Message', '', { hint: 'Optional: why you need it' })}<button>
      Ask for access
    </button>`;
  const body = html`<p>You cannot view this content. Its owner and collaborators can give you access.</p>
    ${form(request, `/content/${guid}/request`, fields)}`;
  return { title: TITLE, section: '', body };
}

export async function sendRequest({ call, params, form: sent }: PageRequest): Promise<Page> {
  const message = sent.get('message') ?? '';
  await call('requestContentAccess', { params: { guid: params.guid }, body: { message } });
  const body = html`<p class="note" role="status">
    Those who can give it were asked. Once you have access, the address of the content works.
  </p>`;
  return { title: TITLE, section: '', body };
}
