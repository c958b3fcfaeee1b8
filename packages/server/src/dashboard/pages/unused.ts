// Unused content: the owner or an administrator keeps or deletes it.
import { html } from '../html.ts';
import type { Page, PageRequest, Redirect } from '../page.ts';
import { actionButton, inRow, table, time } from '../parts.ts';

export async function unused(request: PageRequest): Promise<Page> {
  const { call, caller, parts, root } = request;
  const found = await call('getUnusedContent');
  const rows = found.map((item) => {
    const title = item.content_title || item.content_name;
    return [
      html`<a href="${root}/content/${item.content_guid}">${title}</a>`,
      ...(caller.role === 'administrator' ? [item.owner_username] : []),
      item.last_used_time === null ? 'never' : time(item.last_used_time),
      time(item.last_deployed_time),
      html`${actionButton(request, '/unused', inRow('Keep', title), { guid: item.content_guid })}
        <a href="${root}/content/${item.content_guid}#delete">${inRow('Delete…', title)}</a>`,
    ];
  });
  const owner = caller.role === 'administrator' ? ['Owner'] : [];
  const isAsked = parts.config['Usage.UnusedAfter'] > 0;
  const about = isAsked
    ? html`<p>What is kept is not listed again until the same time has passed.</p>`
    : html`<p>Usage.UnusedAfter is not set, so nobody is asked about unused content.</p>`;
  return {
    title: 'Unused content',
    section: 'content',
    body: html`${about}${table('Unused content', ['Content', ...owner, 'Last use', 'Published', ''], rows, isAsked ? 'No content is unused.' : 'Nothing is listed.')}`,
  };
}

export async function keepUnused({ call, form: sent }: PageRequest): Promise<Redirect> {
  await call('keepContent', { params: { guid: sent.get('guid') ?? '' } });
  return { to: '/unused', note: 'It is kept.' };
}
