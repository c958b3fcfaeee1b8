// Commands on the thumbnail of a content item.
import { errors } from '@pressroom/api/contract';
import type { Audit } from '../../audit/record.ts';
import type { Storage } from '../../platform/database/storage.ts';
import type { Caller } from '../../sign-in/authenticator.ts';
import { loadContent } from '../commands.ts';
import { findContent } from '../store.ts';
import { imageTypeOf } from './image-type.ts';
import { findThumbnail, removeThumbnailRow, setThumbnailRow } from './store.ts';

export interface Parts {
  readonly storage: Storage;
  readonly audit: Audit;
}

/** @throws ApiError 25 for an unknown image type, 125 for an empty body */
export async function setThumbnail(
  { storage, audit }: Parts,
  caller: Caller,
  guid: string,
  bytes: Buffer,
): Promise<void> {
  await storage.write(async (tx) => {
    const { content } = await loadContent(tx, guid, caller, 'updateContent');
    if (bytes.length === 0) throw errors.emptyBody();
    const type = imageTypeOf(bytes);
    if (type === null)
      throw errors.invalidParameter({ message: 'the image must be a PNG, JPEG, GIF or WebP file' });
    await setThumbnailRow(tx, { content_guid: content.guid, type, data: bytes.toString('base64'), taken: 0 });
    const description = `Set the thumbnail of content ${content.name} (${content.guid})`;
    await audit(tx, caller, 'edit_application', description, { content: content.guid });
  });
}

/** Saves a screenshot taken by the server, unless somebody uploaded a thumbnail; the content may be deleted by now. */
export async function saveTakenThumbnail(
  { storage }: Pick<Parts, 'storage'>,
  guid: string,
  bytes: Buffer,
): Promise<void> {
  const type = imageTypeOf(bytes);
  if (type === null) return;
  await storage.write(async (tx) => {
    const [content, there] = [await findContent(tx, guid), await findThumbnail(tx, guid)];
    if (!content || there?.taken === 0) return;
    await setThumbnailRow(tx, { content_guid: guid, type, data: bytes.toString('base64'), taken: 1 });
  });
}

/** @throws ApiError 17 if there is none */
export async function removeThumbnail(
  { storage, audit }: Parts,
  caller: Caller,
  guid: string,
): Promise<void> {
  await storage.write(async (tx) => {
    const { content } = await loadContent(tx, guid, caller, 'updateContent');
    if (!(await removeThumbnailRow(tx, content.guid))) throw errors.itemToRemoveNotFound();
    const description = `Removed the thumbnail of content ${content.name} (${content.guid})`;
    await audit(tx, caller, 'edit_application', description, { content: content.guid });
  });
}
