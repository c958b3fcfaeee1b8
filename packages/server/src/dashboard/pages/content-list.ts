// The front page: content that the person may see, found by words, owner, tag and type.
import { appModeLabel, type ContentGa } from '@pressroom/api/contract';
import { html, type Html } from '../html.ts';
import type { Page, PageRequest } from '../page.ts';
import { pageNumber, paging, select, table, time } from '../parts.ts';
import { ACCESS } from './content-frame.ts';
import { waysToPublish } from './publish.ts';

const PAGE = 100;
const LONGEST_SEARCH = 500;

const TYPES: readonly (readonly [value: string, label: string])[] = [
  ['', 'All'],
  ['web page', 'Web pages'],
  ['document', 'Documents'],
  ['application', 'Applications'],
  ['api', 'APIs'],
  ['model', 'Models'],
];
const ORDERS: Readonly<
  Record<string, { readonly label: string; readonly sort: string; readonly order: string }>
> = {
  published: { label: 'Last published', sort: 'last_deployed_time', order: 'desc' },
  created: { label: 'Newest', sort: 'created', order: 'desc' },
  name: { label: 'Name', sort: 'name', order: 'asc' },
};

export async function contentList(request: PageRequest): Promise<Page> {
  const { call, query } = request;
  const words = (query.get('q') ?? '').trim().slice(0, LONGEST_SEARCH);
  const type = TYPES.find(([value]) => value === query.get('type'))?.[0] ?? '';
  const mine = query.has('mine');
  const by = Object.hasOwn(ORDERS, query.get('sort') ?? '') ? query.get('sort')! : 'published';
  const { sort, order } = ORDERS[by]!;
  const { results, total } = await call('searchContent', {
    query: {
      q: [words, type && `type:"${type}"`, mine && 'owner:@me'].filter(Boolean).join(' '),
      sort,
      order,
      include: 'owner,tags',
      page_number: pageNumber(request),
      page_size: PAGE,
    },
  });
  const isFirst = total === 0 && query.size === 0;
  const search = html`<form class="search" action="${request.root}/" role="search">
    <p class="field"><label for="q">Search</label><input id="q" name="q" type="search" value="${words}" /></p>
    ${select(request, 'type', 'Type', TYPES, type)}${select(
      request,
      'sort',
      'Sort by',
      Object.entries(ORDERS).map(([key, { label }]) => [key, label] as const),
      by,
    )}
    <label class="check"><input type="checkbox" name="mine" ${mine && html`checked`} /> Only mine</label>
    <button>Search</button>
  </form>`;
  const head = ['Content', 'Type', 'Owner', 'Who can view', 'Your role', 'Published', ''];
  const rows = results.map((item) => rowOf(request, item));
  return {
    title: 'Content',
    section: 'content',
    body: isFirst
      ? firstContent(request)
      : html`${search}${table('Content', head, rows)}${paging(request, '/', PAGE, total, 'items')}`,
    ...(isFirst && { publishes: true }),
  };
}

/** Instead of a list of nothing. */
function firstContent(request: PageRequest): Html {
  if (request.caller.role === 'viewer')
    return html`<p class="empty">
      Nothing is shared with you yet. Ask the person whose content you want to see.
    </p>`;
  return html`<h2>Publish your first content</h2>
    ${waysToPublish(request)}`;
}

function rowOf({ root }: PageRequest, item: ContentGa): (Html | string | null)[] {
  const isLive = item.bundle_id !== null;
  const tags = (item.tags ?? []).map(({ name }) => {
    const found = new URLSearchParams({ q: `tag:"${name}"` });
    return html` <a class="tag" href="${root}/?${found.toString()}">${name}</a>`;
  });
  return [
    html`<a href="${root}/content/${item.guid}">${item.title ?? item.name}</a><br /><small>${item.name}</small
      >${tags}`,
    appModeLabel(item.app_mode) || null,
    item.owner?.username || null,
    ACCESS[item.access_type],
    item.app_role,
    isLive ? time(item.last_deployed_time) : html`<span class="quiet">not published</span>`,
    isLive ? html`<a href="${item.content_url}">Open</a>` : null,
  ];
}
