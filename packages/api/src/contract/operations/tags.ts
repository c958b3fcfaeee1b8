// Tags of content, beside the contract except for its codes 77 to 81: a tree whose roots are categories.
import { endpoint } from '../endpoint.ts';
import { Closed, DateTime, Nullable, NumericId, PathUuid, Type, type Static } from '../schema.ts';
import { ContentGa } from './content.ts';

const base = { group: 'tags', origin: 'addition' } as const;

/** A number or its digits. */
const numbers = [
  { type: 'integer', minimum: 1, maximum: 10 ** 15 - 1 },
  { type: 'string', pattern: '^[0-9]{1,15}$' },
];
const codeAndForm = { 'x-form': 'a number of 1 to 15 digits', 'x-error': 3 };
const AnyId = Type.Unsafe<number | string>({ anyOf: numbers, ...codeAndForm });
const Parent = Type.Optional(
  Type.Unsafe<number | string | null>({ anyOf: [...numbers, { type: 'null' }], ...codeAndForm }),
);
/** Validated by the command: each violation has a code of its own. */
const TagName = Type.String({ description: 'At most 255 characters, unlike that of its siblings' });

export const Tag = Closed({
  id: Type.String(),
  name: Type.String(),
  parent_id: Nullable(Type.String({ description: 'Null for a category' })),
  created_time: DateTime,
  updated_time: DateTime,
});
export type Tag = Static<typeof Tag>;

/** A tag with its descendants, for older clients. */
export const TagBranch = Closed({
  id: Type.Integer(),
  name: Type.String(),
  parent_id: Nullable(Type.Integer()),
  created_time: DateTime,
  updated_time: DateTime,
  version: Type.Integer(),
  children: Type.Array(
    Type.Unsafe<unknown>({ type: 'object', additionalProperties: true, description: 'The same again' }),
  ),
});
export interface TagBranch {
  id: number;
  name: string;
  parent_id: number | null;
  created_time: string;
  updated_time: string;
  version: number;
  children: TagBranch[];
}

const ofTag = Type.Object({ id: NumericId });
const ofContent = Type.Object({ guid: PathUuid });
const ofContentTag = Type.Object({ guid: PathUuid, id: NumericId });

export const getTags = endpoint({
  ...base,
  operationId: 'getTags',
  summary: 'List tags by name, all of them or those of one name or parent',
  method: 'GET',
  path: '/v1/tags',
  query: Type.Object({ name: Type.Optional(Type.String()), parent_id: Type.Optional(NumericId) }),
  status: 200,
  response: Type.Array(Tag),
  errors: [400, 401],
  access: 'user',
});

export const createTag = endpoint({
  ...base,
  operationId: 'createTag',
  summary: 'Create a tag, or a category where it has no parent',
  method: 'POST',
  path: '/v1/tags',
  body: Type.Object({ name: Type.Optional(TagName), parent_id: Parent }),
  status: 200,
  response: Tag,
  errors: [400, 401, 403, 404],
  access: 'administrator',
});

export const getTag = endpoint({
  ...base,
  operationId: 'getTag',
  summary: 'Read one tag',
  method: 'GET',
  path: '/v1/tags/{id}',
  params: ofTag,
  status: 200,
  response: Tag,
  errors: [400, 401, 404],
  access: 'user',
});

export const updateTag = endpoint({
  ...base,
  operationId: 'updateTag',
  summary: 'Rename a tag or move it below another one',
  method: 'PATCH',
  path: '/v1/tags/{id}',
  params: ofTag,
  body: Type.Object({ name: Type.Optional(TagName), parent_id: Parent }),
  status: 200,
  response: Tag,
  errors: [400, 401, 403, 404],
  access: 'administrator',
});

export const deleteTag = endpoint({
  ...base,
  operationId: 'deleteTag',
  summary: 'Delete a tag with those below it; content loses them',
  method: 'DELETE',
  path: '/v1/tags/{id}',
  params: ofTag,
  status: 204,
  response: 'empty',
  errors: [400, 401, 403, 404],
  access: 'administrator',
});

export const getTagContent = endpoint({
  ...base,
  operationId: 'getTagContent',
  summary: 'List the content items with this tag, or one below it, that the caller may see',
  method: 'GET',
  path: '/v1/tags/{id}/content',
  params: ofTag,
  status: 200,
  response: Type.Array(ContentGa),
  errors: [400, 401, 404],
  access: 'user',
});

export const getContentTags = endpoint({
  ...base,
  operationId: 'getContentTags',
  forViewers: true,
  summary: 'List the tags of a content item',
  method: 'GET',
  path: '/v1/content/{guid}/tags',
  params: ofContent,
  status: 200,
  response: Type.Array(Tag),
  errors: [400, 401, 403, 404],
  access: 'user',
});

export const addContentTag = endpoint({
  ...base,
  operationId: 'addContentTag',
  summary: 'Give a content item a tag, and those above it up to the category',
  method: 'POST',
  path: '/v1/content/{guid}/tags',
  params: ofContent,
  body: Type.Object({ tag_id: AnyId }),
  status: 204,
  response: 'empty',
  errors: [400, 401, 403, 404],
  access: 'user',
});

export const removeContentTag = endpoint({
  ...base,
  operationId: 'removeContentTag',
  summary: 'Take a tag away from a content item, and those below it',
  method: 'DELETE',
  path: '/v1/content/{guid}/tags/{id}',
  params: ofContentTag,
  status: 204,
  response: 'empty',
  errors: [400, 401, 403, 404],
  access: 'user',
});

export const getTagTree = endpoint({
  ...base,
  operationId: 'getTagTree',
  summary: 'Read all tags as a tree, for older clients',
  method: 'GET',
  path: '/tag-tree',
  status: 200,
  response: Type.Array(TagBranch),
  errors: [401],
  access: 'user',
});

export const listApplicationTags = endpoint({
  ...base,
  operationId: 'listApplicationTags',
  summary: 'List all tags, for older clients',
  method: 'GET',
  path: '/tags',
  status: 200,
  response: Type.Array(Tag),
  errors: [401],
  access: 'user',
});

export const getApplicationTags = endpoint({
  ...base,
  operationId: 'getApplicationTags',
  summary: 'List the tags of a content item, for older clients',
  method: 'GET',
  path: '/applications/{guid}/tags',
  params: ofContent,
  status: 200,
  response: Type.Array(Tag),
  errors: [400, 401, 403, 404],
  access: 'user',
});

export const addApplicationTag = endpoint({
  ...base,
  operationId: 'addApplicationTag',
  summary: 'Give a content item a tag, for older clients',
  method: 'POST',
  path: '/applications/{guid}/tags',
  params: ofContent,
  body: Type.Object({ id: AnyId }),
  status: 204,
  response: 'empty',
  errors: [400, 401, 403, 404],
  access: 'user',
});

export const removeApplicationTag = endpoint({
  ...base,
  operationId: 'removeApplicationTag',
  summary: 'Take a tag away from a content item, for older clients',
  method: 'DELETE',
  path: '/applications/{guid}/tags/{id}',
  params: ofContentTag,
  status: 204,
  response: 'empty',
  errors: [400, 401, 403, 404],
  access: 'user',
});
