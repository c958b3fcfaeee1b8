// Tags and tagged content: additions to the contract.
import { loadContent } from '../content/commands.ts';
import { presentVisible } from '../content/visible.ts';
import type { ApiResponse, ApiRequest } from '../http/request.ts';
import type { Config } from '../main/config/settings.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import {
  createTag as createCommand,
  deleteTag as deleteCommand,
  loadTag,
  tagContent,
  untagContent,
  updateTag as updateCommand,
  type Parts as Writing,
} from './commands.ts';
import { presentTag, presentTree } from './present.ts';
import { branchOf, listTags, tagsOfContent } from './store.ts';

interface Parts extends Writing {
  readonly config: Config;
}

type Reading = Pick<Parts, 'storage'>;

export const tagsRoutes = {
  addApplicationTag,
  addContentTag,
  createTag,
  deleteTag,
  getApplicationTags: getContentTags,
  getContentTags,
  getTag,
  getTagContent,
  getTagTree,
  getTags,
  listApplicationTags,
  removeApplicationTag: removeContentTag,
  removeContentTag,
  updateTag,
};

/** Tags a content item, for older clients. */
function addApplicationTag(
  parts: Pick<Parts, 'storage' | 'audit'>,
  { params, body, caller }: ApiRequest<'addApplicationTag'>,
): Promise<ApiResponse<'addApplicationTag'>> {
  return tagContent(parts, caller, params.guid, body.id);
}

function addContentTag(
  parts: Pick<Parts, 'storage' | 'audit'>,
  { params, body, caller }: ApiRequest<'addContentTag'>,
): Promise<ApiResponse<'addContentTag'>> {
  return tagContent(parts, caller, params.guid, body.tag_id);
}

/** Creates a tag or category. */
async function createTag(
  parts: Writing,
  { body, caller }: ApiRequest<'createTag'>,
): Promise<ApiResponse<'createTag'>> {
  return presentTag(await createCommand(parts, caller, body));
}

/** Deletes a tag and its descendants. */
function deleteTag(
  parts: Writing,
  { params, caller }: ApiRequest<'deleteTag'>,
): Promise<ApiResponse<'deleteTag'>> {
  return deleteCommand(parts, caller, params.id);
}

async function getContentTags(
  { storage }: Reading,
  { params, caller }: Pick<ApiRequest<'getContentTags'>, 'params' | 'caller'>,
): Promise<ApiResponse<'getContentTags'>> {
  const { content } = await loadContent(storage.db, params.guid, caller, 'getContent');
  return (await tagsOfContent(storage.db, [content.guid])).map(presentTag);
}

async function getTag(
  { storage }: Reading,
  { params }: ApiRequest<'getTag'>,
): Promise<ApiResponse<'getTag'>> {
  return presentTag(await loadTag(storage.db, params.id));
}

/** Lists the content items with a tag, or a descendant, that the caller may see. */
async function getTagContent(
  parts: Pick<Parts, 'storage' | 'config'>,
  { params, caller, again, base }: ApiRequest<'getTagContent'>,
): Promise<ApiResponse<'getTagContent'>> {
  const { db } = parts.storage;
  const { id } = await loadTag(db, params.id);
  const tags = await branchOf(db, id);
  return presentVisible(parts, { caller, again, base }, { tags });
}

/** Reads all tags as a tree, for older clients. */
async function getTagTree({ storage }: Reading): Promise<ApiResponse<'getTagTree'>> {
  return presentTree(await listTags(storage.db));
}

/** Lists all tags, or those with a name or parent. */
async function getTags(
  { storage }: Reading,
  { query }: ApiRequest<'getTags'>,
): Promise<ApiResponse<'getTags'>> {
  const rows = await listTags(storage.db);
  return rows
    .filter(({ name }) => query.name === undefined || name === query.name)
    .filter(({ parent_id }) => query.parent_id === undefined || parent_id === Number(query.parent_id))
    .map(presentTag);
}

/** Lists all tags, for older clients. */
async function listApplicationTags({ storage }: Reading): Promise<ApiResponse<'listApplicationTags'>> {
  return (await listTags(storage.db)).map(presentTag);
}

function removeContentTag(
  parts: Pick<Parts, 'storage' | 'audit'>,
  { params, caller }: { params: { guid: string; id: string }; caller: Caller },
): Promise<void> {
  return untagContent(parts, caller, params.guid, params.id);
}

/** Renames or moves a tag. */
async function updateTag(
  parts: Writing,
  { params, body, caller }: ApiRequest<'updateTag'>,
): Promise<ApiResponse<'updateTag'>> {
  return presentTag(await updateCommand(parts, caller, params.id, body));
}
