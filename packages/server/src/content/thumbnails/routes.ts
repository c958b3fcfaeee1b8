// The thumbnail of a content item, at the current and the older address.
import { errors } from '@pressroom/api/contract';
import { readBytes } from '../../http/read-text.ts';
import type { ApiRequest, ApiResponse, FileResponse } from '../../http/request.ts';
import type { Caller } from '../../sign-in/authenticator.ts';
import { loadContent } from '../commands.ts';
import { requireShown } from '../policy.ts';
import { removeThumbnail, setThumbnail, type Parts } from './commands.ts';
import { findThumbnail } from './store.ts';

interface OfContent {
  readonly params: { readonly guid: string };
  readonly caller: Caller;
}

export const thumbnailsRoutes = {
  deleteApplicationImage: deleteContentThumbnail,
  deleteContentThumbnail,
  getApplicationImage,
  getContentThumbnail,
  setApplicationImage: setContentThumbnail,
  setContentThumbnail,
};

function deleteContentThumbnail(parts: Parts, { params, caller }: OfContent): Promise<void> {
  return removeThumbnail(parts, caller, params.guid);
}

/** Reads the thumbnail of a content item, for older clients. Of locked content, it is for those who manage it. */
async function getApplicationImage(
  { storage }: Pick<Parts, 'storage'>,
  { params, caller }: OfContent,
): Promise<FileResponse | null> {
  const { content, role } = await loadContent(storage.db, params.guid, caller, 'getContent');
  if (caller.role !== 'administrator') requireShown(content, role);
  const row = await findThumbnail(storage.db, content.guid);
  return row ? { bytes: Buffer.from(row.data, 'base64'), type: row.type } : null;
}

/** Reads the thumbnail of a content item. @throws ApiError 4 if there is none */
async function getContentThumbnail(
  parts: Pick<Parts, 'storage'>,
  request: OfContent,
): Promise<ApiResponse<'getContentThumbnail'>> {
  const image = await getApplicationImage(parts, request);
  if (!image) throw errors.notFound({ message: 'this content has no thumbnail' });
  return image;
}

async function setContentThumbnail(
  parts: Parts,
  { params, caller, raw, again }: OfContent & Pick<ApiRequest<'setContentThumbnail'>, 'raw' | 'again'>,
): Promise<void> {
  // Checked before the body is read, and after it.
  await loadContent(parts.storage.db, params.guid, caller, 'updateContent');
  const bytes = await readBytes(raw);
  await setThumbnail(parts, await again(), params.guid, bytes);
}
