// Tags of a content item, and the tag tree that administrators manage.
import { errors, type Tag } from '@pressroom/api/contract';
import { quoted } from '../../content/search/query.ts';
import { html, type Html } from '../html.ts';
import { type Page, type PageRequest, type Redirect, requireAdministrator } from '../page.ts';
import {
  actionButton,
  changedFields,
  dangerButton,
  field,
  form,
  inRow,
  select,
  shownFields,
  table,
} from '../parts.ts';

/** Tags with their full path, such as `Team / Sales`; those without a parent are categories. */
function byPath(tags: readonly Tag[]): { tag: Tag; path: string }[] {
  const known = new Map(tags.map((tag) => [tag.id, tag]));
  const pathOf = ({ name, parent_id }: Tag): string => {
    const parent = parent_id === null ? undefined : known.get(parent_id);
    return parent ? `${pathOf(parent)} / ${name}` : name;
  };
  return tags.map((tag) => ({ tag, path: pathOf(tag) })).toSorted((a, b) => a.path.localeCompare(b.path));
}

/** @param path of the content item's settings */
export async function contentTags(request: PageRequest, path: string): Promise<Html> {
  const { call, caller, params, root } = request;
  const [all, own] = [
    byPath(await call('getTags')),
    new Set((await call('getContentTags', { params: { guid: params.guid } })).map(({ id }) => id)),
  ];
  const rows = all
    .filter(({ tag }) => own.has(tag.id))
    .map(({ tag, path: name }) => [
      name,
      actionButton(request, `${path}/tags`, inRow('Remove', name), { tag: tag.id, remove: '1' }),
    ]);
  const free = all.filter(({ tag }) => tag.parent_id !== null && !own.has(tag.id));
  const first = free[0];
  const adding =
    first &&
    form(
      request,
      `${path}/tags`,
      html`${select(
          request,
          'tag',
          'Tag',
          free.map(({ tag, path: name }) => [tag.id, name] as const),
          first.tag.id,
        )}<button>Add tag</button>`,
      html`class="row"`,
    );
  const none =
    !all.some(({ tag }) => tag.parent_id !== null) &&
    (caller.role === 'administrator'
      ? html`<p>There are no tags yet. <a href="${root}/tags">Create tags</a></p>`
      : html`<p class="quiet">There are no tags yet. Administrators create them.</p>`);
  return html`${rows.length > 0 && table('Tags', ['Name', ''], rows)} ${adding}${none}`;
}

export async function saveTag({ call, params, form: sent }: PageRequest): Promise<Redirect> {
  const { guid } = params;
  const id = sent.get('tag') ?? '';
  const isRemoved = sent.has('remove');
  if (isRemoved) await call('removeContentTag', { params: { guid, id } });
  else await call('addContentTag', { params: { guid }, body: { tag_id: id } });
  return { to: `/content/${guid}/settings`, note: isRemoved ? 'Tag removed.' : 'Tag added.' };
}

const CATEGORY = '';

/** For administrators. */
export async function tags(request: PageRequest): Promise<Page> {
  await requireAdministrator(request);
  const list = await request.call('getTags');
  const all = byPath(list);
  const rows = all.map(({ tag, path }) => [
    html`<a href="${request.root}/tags/${tag.id}">${path}</a>`,
    tag.parent_id === null ? 'category' : 'tag',
    deleteButton(request, tag.id, path, countBelow(tag.id, list)),
  ]);
  const fields = html`${field(request, 'name', 'Name', '', { required: true })}
    ${parentField(request, all, null)}<button>Create tag</button>`;
  const body = html`<p>
      Categories hold tags, such as Team / Sales. Collaborators give tags to content in its settings; the list
      of content is filtered by them. Open one to rename or move it. Deleting one deletes those below it.
    </p>
    ${table('Tags', ['Name', 'Kind', ''], rows, 'There are no tags yet. Create a category first, then tags below it.')}
    <h2>New tag</h2>
    ${form(request, '/tags', fields, html`class="row"`)}`;
  return { title: 'Tags', section: 'server', body };
}

function parentField(request: PageRequest, tags: ReturnType<typeof byPath>, parent: string | null): Html {
  const below = tags.map(({ tag, path }) => [tag.id, path] as const);
  const options = [[CATEGORY, 'nothing: a category'] as const, ...below];
  return select(request, 'parent', 'Below', options, parent ?? CATEGORY);
}

/** Renames a tag, or moves it below another one. For administrators. */
export async function tag(request: PageRequest): Promise<Page> {
  await requireAdministrator(request);
  const { call, params, root } = request;
  const all = byPath(await call('getTags'));
  const found = all.find((one) => one.tag.id === params.id);
  if (!found) throw errors.notFound({ message: 'There is no such tag. It may have been deleted.' });
  const { name, parent_id } = found.tag;
  // A tag cannot be below itself.
  const isOwn = (one: Tag): boolean =>
    one.id === params.id || all.some(({ tag: above }) => above.id === one.parent_id && isOwn(above));
  const others = all.filter((one) => !isOwn(one.tag));
  const fields = html`${shownFields(request, 'tag', { name, parent: parent_id })}
    ${field(request, 'name', 'Name', name, { required: true })}
    ${parentField(request, others, parent_id)}<button>Save tag</button>`;
  const body = html`<p>Content keeps the tag when it is renamed or moved.</p>
    ${form(request, `/tags/${params.id}`, fields)}
    <p>
      <a href="${root}/?${new URLSearchParams({ q: `tag:${quoted(name)}` }).toString()}"
        >Content with this tag</a
      >
      ·
      <a href="${root}/tags">All tags</a>
    </p>`;
  return { title: found.path, windowTitle: `${found.path} · Tags`, section: 'server', body };
}

export async function changeTag(request: PageRequest): Promise<Redirect> {
  const { call, params, form: sent } = request;
  const changed = changedFields(request, 'tag', ['name', 'parent']);
  const body = {
    ...(changed.includes('name') && { name: sent.get('name') ?? '' }),
    ...(changed.includes('parent') && { parent_id: sent.get('parent') || null }),
  };
  const { name } = await call('updateTag', { params: { id: params.id }, body });
  return { to: '/tags', note: `${name} saved.` };
}

function countBelow(id: string, tags: readonly Tag[]): number {
  const children = tags.filter(({ parent_id }) => parent_id === id);
  return children.reduce((sum, child) => sum + 1 + countBelow(child.id, tags), 0);
}

/** Deleting takes it, and the tags below, from all content: that must be confirmed. */
function deleteButton(request: PageRequest, id: string, name: string, below: number): Html {
  const path = `/tags/delete?${new URLSearchParams({ tag: id }).toString()}`;
  const tags = below === 1 ? 'the tag' : `the ${below} tags`;
  const sure = below === 0 ? inRow('Confirm', `deleting ${name}`) : `with ${tags} below it`;
  return dangerButton(request, path, inRow('Delete', name), sure);
}

export async function makeTag({ call, form: sent }: PageRequest): Promise<Redirect> {
  const parent = sent.get('parent') ?? CATEGORY;
  const name = sent.get('name') ?? '';
  const made = await call('createTag', { body: { name, parent_id: parent === CATEGORY ? null : parent } });
  return { to: '/tags', note: `${made.name} created.` };
}

export async function deleteTag({ call, query }: PageRequest): Promise<Redirect> {
  await call('deleteTag', { params: { id: query.get('tag') ?? '' } });
  return { to: '/tags', note: 'Tag deleted.' };
}
