// Commands on tags: administrators edit the tree, collaborators tag content.
import { errors } from '@pressroom/api/contract';
import type { Audit } from '../audit/record.ts';
import { loadContent } from '../content/commands.ts';
import type { Clock } from '../platform/clock.ts';
import { type Executor, isUniqueViolation, type Storage } from '../platform/database/storage.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import {
  branchOf,
  findTag,
  insertContentTags,
  insertTag,
  pathOf,
  removeContentTags,
  removeTag,
  type TagRow,
  updateTagRow,
} from './store.ts';

export interface Parts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly audit: Audit;
}

export interface TagChanges {
  readonly name?: string | undefined;
  readonly parent_id?: number | string | null | undefined;
}

const MAX_NAME_LENGTH = 255;

/** @throws ApiError 4 */
export async function loadTag(db: Executor, id: number | string): Promise<TagRow> {
  const tag = await findTag(db, Number(id));
  if (!tag) throw errors.notFound({ message: `there is no tag ${id}` });
  return tag;
}

/** @throws ApiError 4 for an unknown parent, 77, 78, 81 */
export function createTag(
  { storage, clock, audit }: Parts,
  caller: Caller,
  { name, parent_id }: TagChanges,
): Promise<TagRow> {
  const checked = nameOf(name);
  return withoutTwins(() =>
    storage.write(async (tx) => {
      const parent = parent_id == null ? null : (await loadTag(tx, parent_id)).id;
      const now = clock.now();
      const tag = await insertTag(tx, {
        name: checked,
        parent_id: parent,
        created_time: now,
        updated_time: now,
      });
      await audit(tx, caller, 'add_tag', `Created tag ${tag.name} (${tag.id})`);
      return tag;
    }),
  );
}

/** @throws ApiError 4, 77, 78, 81, 88 for a parent below the tag itself */
export function updateTag(
  { storage, clock, audit }: Parts,
  caller: Caller,
  id: string,
  { name, parent_id }: TagChanges,
): Promise<TagRow> {
  const checked = name === undefined ? null : nameOf(name);
  return withoutTwins(() =>
    storage.write(async (tx) => {
      const tag = await loadTag(tx, id);
      let parent = tag.parent_id;
      if (parent_id !== undefined) parent = parent_id === null ? null : (await loadTag(tx, parent_id)).id;
      if (parent !== null && (await branchOf(tx, tag.id)).includes(parent))
        throw errors.ancestorLoop({ message: 'a tag cannot be moved below itself' });
      const changed = { ...tag, name: checked ?? tag.name, parent_id: parent, updated_time: clock.now() };
      await updateTagRow(tx, tag.id, changed);
      await audit(tx, caller, 'edit_tag', `Changed tag ${tag.name} (${tag.id})`);
      return changed;
    }),
  );
}

/** @throws ApiError 4 */
export async function deleteTag({ storage, audit }: Parts, caller: Caller, id: string): Promise<void> {
  await storage.write(async (tx) => {
    const tag = await loadTag(tx, id);
    await removeTag(tx, tag.id);
    await audit(tx, caller, 'remove_tag', `Deleted tag ${tag.name} (${tag.id})`);
  });
}

/** With the tags above it. Does nothing if the content has them. @throws ApiError 4, 19, 21, 79 for a category */
export async function tagContent(
  { storage, audit }: Pick<Parts, 'storage' | 'audit'>,
  caller: Caller,
  guid: string,
  id: number | string,
): Promise<void> {
  await storage.write(async (tx) => {
    const { content } = await loadContent(tx, guid, caller, 'manageTags');
    const tag = await loadTag(tx, id);
    if (tag.parent_id === null) throw errors.categoryNotAssignable();
    if (!(await insertContentTags(tx, content.guid, await pathOf(tx, tag.id)))) return;
    const description = `Added tag ${tag.name} to content ${content.name} (${content.guid})`;
    await audit(tx, caller, 'edit_application', description, { content: content.guid });
  });
}

/** With the tags below it. @throws ApiError 17 if the content has none of them, 19, 21 */
export async function untagContent(
  { storage, audit }: Pick<Parts, 'storage' | 'audit'>,
  caller: Caller,
  guid: string,
  id: string,
): Promise<void> {
  await storage.write(async (tx) => {
    const { content } = await loadContent(tx, guid, caller, 'manageTags');
    const branch = await branchOf(tx, Number(id));
    if (branch.length === 0 || !(await removeContentTags(tx, content.guid, branch)))
      throw errors.itemToRemoveNotFound();
    const description = `Removed tag ${id} from content ${content.name} (${content.guid})`;
    await audit(tx, caller, 'edit_application', description, { content: content.guid });
  });
}

function nameOf(name: string | undefined): string {
  const trimmed = name?.trim() ?? '';
  if (trimmed === '') throw errors.tagNameRequired();
  if ([...trimmed].length > MAX_NAME_LENGTH) throw errors.tagNameTooLong();
  return trimmed;
}

async function withoutTwins<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isUniqueViolation(error)) throw errors.siblingNameTaken({ cause: error });
    throw error;
  }
}
