// The front page: content that the person may see, filtered by words, owner, tag, type and state.
import { type ContentGa } from '@pressroom/api/contract';
import { quoted } from '../../content/search/query.ts';
import { withThumbnail } from '../../content/thumbnails/store.ts';
import { lastDeploys } from '../../tasks/store.ts';
import { dailyHits } from '../../usage/summary-store.ts';
import { sparkline } from '../chart.ts';
import { html, type Html } from '../html.ts';
import type { Page, PageRequest } from '../page.ts';
import { pageNumber, paging, select, table, time } from '../parts.ts';
import { ACCESS, isCollaborator, openAddress, typeOf } from './content-frame.ts';
import { publishInstructions } from './publish.ts';

const PAGE = 100;
/** Leaves room for the limit of a search, with each quote in an owner doubled. */
const MAX_SEARCH_LENGTH = 500;
const MAX_OWNER_LENGTH = 200;

const TYPES: readonly (readonly [value: string, label: string])[] = [
  ['', 'All'],
  ['web page', 'Web pages'],
  ['document', 'Documents'],
  ['application', 'Applications'],
  ['api', 'APIs'],
  ['model', 'Models'],
];
const STATES: readonly (readonly [value: string, label: string])[] = [
  ['published', 'Published'],
  ['unpublished', 'Never published'],
  ['', 'All'],
];
/** Number of days of visits shown. */
const DAYS = 14;
const DAY_MS = 86_400_000;
const ORDERS: Readonly<
  Record<string, { readonly label: string; readonly sort: string; readonly order: string }>
> = {
  published: { label: 'Last published', sort: 'last_deployed_time', order: 'desc' },
  created: { label: 'Newest', sort: 'created', order: 'desc' },
  name: { label: 'Name', sort: 'name', order: 'asc' },
};

export async function contentList(request: PageRequest): Promise<Page> {
  const { call, query } = request;
  const words = (query.get('q') ?? '').trim().slice(0, MAX_SEARCH_LENGTH);
  const type = TYPES.find(([value]) => value === query.get('type'))?.[0] ?? '';
  const mine = query.has('mine');
  const owner = (query.get('owner') ?? '').trim().slice(0, MAX_OWNER_LENGTH);
  // Unpublished content is hidden unless searched for.
  const state =
    STATES.find(([value]) => value === query.get('state'))?.[0] ?? (words === '' ? 'published' : '');
  const wanted = query.get('sort') ?? '';
  const by = Object.hasOwn(ORDERS, wanted) ? wanted : 'published';
  const { sort, order } = ORDERS[by]!;
  const { results, total } = await call('searchContent', {
    query: {
      q: [
        words,
        type && `type:"${type}"`,
        owner && `owner:${quoted(owner)}`,
        mine && 'owner:@me',
        state && `state:${state}`,
      ]
        .filter(Boolean)
        .join(' '),
      sort,
      order,
      include: 'owner,tags',
      page_number: pageNumber(request),
      page_size: PAGE,
    },
  });
  const empty = state === 'published' ? await unpublished(request) : 0;
  const isFirst = total === 0 && query.size === 0;
  const search = html`<form class="search" action="${request.root}/" role="search">
    <p class="field"><label for="q">Search</label><input id="q" name="q" type="search" value="${words}" /></p>
    ${select(request, 'type', 'Type', TYPES, type)}
    <p class="field"><label for="owner">Owner</label><input id="owner" name="owner" value="${owner}" /></p>
    ${select(request, 'state', 'State', STATES, state)}${select(
      request,
      'sort',
      'Sort by',
      Object.entries(ORDERS).map(([key, { label }]) => [key, label] as const),
      by,
    )}
    <label class="check"><input type="checkbox" name="mine" ${mine && html`checked`} /> Only mine</label>
    <button>Search</button>
  </form>`;
  const more = await knownOf(request, results);
  // Who works on none of the content sees nobody's visits.
  const visits = more.visits.size > 0 ? [`Visits, ${DAYS} days`] : [];
  const head = ['Content', 'Type', 'Owner', 'Who can view', 'State', ...visits, 'Published', ''];
  const rows = results.map((item) => rowOf(request, item, more));
  const nothing = html`Nothing matches. <a href="${request.root}/?state=">Show all content</a>`;
  const never =
    empty > 0 &&
    html`<p>
      ${empty} of your items ${empty === 1 ? 'was' : 'were'} never published.
      <a href="${request.root}/?state=unpublished&amp;mine=on">See and remove them</a>
    </p>`;
  return {
    title: 'Content',
    section: 'content',
    body: isFirst
      ? html`${firstContent(request)}${never}`
      : html`${search}${table('Content', head, rows, nothing)}${total > 0 && paging(request, '/', PAGE, total, ['item', 'items'])}${never}`,
    ...(isFirst && { publishes: true }),
  };
}

type Cell = Html | string | null | false;

/** Shown instead of an empty list. */
function firstContent(request: PageRequest): Html {
  if (request.caller.role === 'viewer')
    return html`<p class="empty">
      Nothing is shared with you yet. Ask the person whose content you want to see.
    </p>`;
  return html`<h2>Publish your first content</h2>
    ${publishInstructions(request)}`;
}

/** Number of the person's unpublished items. */
async function unpublished({ call }: PageRequest): Promise<number> {
  const query = { q: 'owner:@me state:unpublished', sort: 'created', page_number: 1, page_size: 1 };
  return (await call('searchContent', { query })).total;
}

interface Known {
  /** Daily visits. */
  readonly visits: ReadonlyMap<string, readonly number[]>;
  readonly deploys: ReadonlyMap<string, boolean>;
  /** Items with a thumbnail. */
  readonly pictured: ReadonlySet<string>;
}

/** Additional columns for collaborators and administrators. */
async function knownOf(request: PageRequest, items: readonly ContentGa[]): Promise<Known> {
  const { storage, clock } = request.parts;
  const guids = items.filter((item) => isCollaborator(request, item)).map(({ guid }) => guid);
  const first = Math.floor(clock.now() / 1000 / DAY_MS) - DAYS + 1;
  const hits = await dailyHits(storage.db, guids, first);
  const days = (guid: string) => Array.from({ length: DAYS }, (_, i) => hits.get(guid)?.get(first + i) ?? 0);
  return {
    visits: new Map(guids.map((guid) => [guid, days(guid)])),
    deploys: await lastDeploys(storage.db, guids),
    pictured: await withThumbnail(
      storage.db,
      items.map(({ guid }) => guid),
    ),
  };
}

function stateOf(isLive: boolean, lastDeploy: boolean | undefined): Html {
  if (lastDeploy === false)
    return html`<span class="badge bad">${isLive ? 'last deploy failed' : 'deploy failed'}</span>`;
  return isLive
    ? html`<span class="badge good">live</span>`
    : html`<span class="badge quiet">not published</span>`;
}

function rowOf(request: PageRequest, item: ContentGa, known: Known): Cell[] {
  const { root } = request;
  const isLive = item.bundle_id !== null;
  const visits = known.visits.get(item.guid);
  const tags = (item.tags ?? []).map(({ name }) => {
    const found = new URLSearchParams({ q: `tag:${quoted(name)}` });
    return html` <a class="tag" href="${root}/?${found.toString()}">${name}</a>`;
  });
  const isShown = !item.locked || isCollaborator(request, item);
  const picture =
    isShown && known.pictured.has(item.guid)
      ? html`<img
          src="${root}/content/${item.guid}/thumbnail"
          alt=""
          width="96"
          height="60"
          loading="lazy"
        />`
      : html`<span class="no-picture" aria-hidden="true"></span>`;
  return [
    html`<div class="item">
      ${picture}
      <div>
        <a href="${root}/content/${item.guid}">${item.title ?? item.name}</a
        >${item.title && html`<br /><small>${item.name}</small>`}${tags}
      </div>
    </div>`,
    typeOf(item),
    item.owner?.username || null,
    ACCESS[item.access_type],
    stateOf(isLive, known.deploys.get(item.guid)),
    ...(known.visits.size > 0 ? [visits === undefined ? null : sparkline(visits)] : []),
    isLive ? time(item.last_deployed_time) : null,
    isLive
      ? html`<a href="${openAddress(request, item)}">Open</a>`
      : item.app_role === 'owner' && html`<a href="${root}/content/${item.guid}#delete">Remove</a>`,
  ];
}
