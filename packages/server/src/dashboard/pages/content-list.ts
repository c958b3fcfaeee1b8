// The front page: content that the person may see, with a search.
import { html } from '../html.ts';
import { orNull, type Page, type PageRequest } from '../page.ts';
import { pageNumber, paging, table, time } from '../parts.ts';

const PAGE = 100;

export async function contentList(request: PageRequest): Promise<Page> {
  const { call, caller, query, root } = request;
  const wanted = query.get('q')?.trim() ?? '';
  const mine = query.has('mine');
  const all = await call('listContentGa', mine ? { query: { owner_guid: caller.guid } } : {});
  const words = wanted.toLowerCase().split(/\s+/);
  const found = all.filter((item) => {
    const text = `${item.name} ${item.title ?? ''} ${item.app_mode} ${item.guid}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const newest = found.toSorted((a, b) =>
    (b.last_deployed_time ?? '').localeCompare(a.last_deployed_time ?? ''),
  );
  const first = (pageNumber(request) - 1) * PAGE;
  const shown = newest.slice(first, first + PAGE);
  const owners = await namesOf(request, new Set(shown.map((item) => item.owner_guid)));
  const rows = shown.map((item) => [
    html`<a href="${root}/content/${item.guid}">${item.title ?? item.name}</a><br /><small
        >${item.name}</small
      >`,
    item.app_mode,
    owners.get(item.owner_guid) ?? null,
    item.access_type,
    item.app_role,
    time(item.bundle_id === null ? null : item.last_deployed_time),
    item.bundle_id !== null && html`<a href="${item.content_url}">Open</a>`,
  ]);
  const search = html`<form class="search" action="${root}/" role="search">
    <p class="field">
      <label for="q">Search</label><input id="q" name="q" type="search" value="${wanted}" />
    </p>
    <label class="check"><input type="checkbox" name="mine" ${mine && html`checked`} /> Only mine</label>
    <button>Search</button>
  </form>`;
  const head = ['Content', 'Type', 'Owner', 'Access', 'Your role', 'Published', ''];
  const cells = rows.map((row) => row.map((cell) => cell || null));
  return {
    title: 'Content',
    section: 'content',
    body: html`${search}${table('Content', head, cells)}${paging(request, '/', PAGE, found.length, 'items')}`,
  };
}

/** Usernames, as far as the person may see them. */
async function namesOf({ call }: PageRequest, guids: ReadonlySet<string>): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const guid of guids) {
    const user = await orNull(call('getUser', { params: { guid } }));
    if (user) names.set(guid, user.username);
  }
  return names;
}
