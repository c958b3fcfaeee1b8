// Parameters of documents, and their variants.
import { errors } from '@pressroom/api/contract';
import type { ContentParameters, ContentVariant } from '@pressroom/api/contract';
import { noPicture } from '../bundles/pictures/no-picture.ts';
import { findBundle } from '../bundles/store.ts';
import { contentBaseOf } from '../content/address.ts';
import { loadContent } from '../content/commands.ts';
import type { ContentRow } from '../content/store.ts';
import { startRender } from '../deploys/start-deploy.ts';
import type { ApiResponse, ApiRequest } from '../http/request.ts';
import type { Executor } from '../platform/database/storage.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import * as commands from './commands.ts';
import { decideHeld } from './decide-held.ts';
import { storedDeclaration } from './declared/stored-declaration.ts';
import { presentVariant, presentVariantRendering, variantPath } from './present.ts';
import { promoteVariant } from './promote.ts';
import { DEFAULT_KEY, readRenderings, readVariant, readVariants } from './read.ts';

type Parts = commands.Parts;

export const contentVariantsRoutes = {
  acceptHeldRendering,
  createContentVariant,
  deleteContentVariant,
  deleteHeldRendering,
  getContentParameters,
  getContentVariant,
  getContentVariantPicture,
  getContentVariantRenderings,
  getContentVariants,
  promoteContentVariant,
  renderContentVariant,
  setVisitorRendering,
  updateContentVariant,
};

/** Lists the parameters of a document. */
async function getContentParameters(
  { storage }: Pick<Parts, 'storage'>,
  { params, caller }: ApiRequest<'getContentParameters'>,
): Promise<ApiResponse<'getContentParameters'>> {
  const { content } = await loadContent(storage.db, params.guid, caller, 'getContent');
  return presentParameters(storage.db, content, content.visitors_may_render === 1);
}

/** Sets whether visitors may render with their own values. */
async function setVisitorRendering(
  parts: Parts,
  { params, body, caller }: ApiRequest<'setVisitorRendering'>,
): Promise<ApiResponse<'setVisitorRendering'>> {
  const isAllowed = body.visitors_may_render;
  const content = await commands.setVisitorRendering(parts, caller, params.guid, isAllowed);
  return presentParameters(parts.storage.db, content, isAllowed);
}

async function presentParameters(
  db: Executor,
  { bundle_id }: ContentRow,
  isAllowed: boolean,
): Promise<ContentParameters> {
  const bundle = bundle_id === null ? undefined : await findBundle(db, bundle_id);
  return {
    parameters: storedDeclaration(bundle?.parameters ?? null) ?? [],
    visitors_may_render: isAllowed,
  };
}

/** Lists the variants that the caller may open. */
async function getContentVariants(
  parts: Pick<Parts, 'config' | 'storage' | 'clock'>,
  { params, caller, base }: ApiRequest<'getContentVariants'>,
): Promise<ApiResponse<'getContentVariants'>> {
  const contentBase = contentBaseOf(parts.config, base);
  return (await readVariants(parts, caller, params.guid)).map((one) => presentVariant(one, contentBase));
}

/** Reads a variant. */
async function getContentVariant(
  parts: Pick<Parts, 'config' | 'storage' | 'clock'>,
  { params, caller, base }: ApiRequest<'getContentVariant'>,
): Promise<ApiResponse<'getContentVariant'>> {
  return present(parts, caller, params.guid, params.key, base);
}

async function present(
  parts: Pick<Parts, 'config' | 'storage' | 'clock'>,
  caller: Caller,
  guid: string,
  key: string,
  base: string,
): Promise<ContentVariant> {
  return presentVariant(await readVariant(parts, caller, guid, key), contentBaseOf(parts.config, base));
}

/** Creates a variant and starts rendering it. */
async function createContentVariant(
  parts: Parts,
  { params, body, caller, base }: ApiRequest<'createContentVariant'>,
): Promise<ApiResponse<'createContentVariant'>> {
  const key = await commands.createVariant(parts, caller, params.guid, body);
  return present(parts, caller, params.guid, key, base);
}

/** Changes a variant. */
async function updateContentVariant(
  parts: Parts,
  { params, body, caller, base }: ApiRequest<'updateContentVariant'>,
): Promise<ApiResponse<'updateContentVariant'>> {
  await commands.updateVariant(parts, caller, params.guid, params.key, body);
  return present(parts, caller, params.guid, params.key, base);
}

/** Deletes a variant. */
async function deleteContentVariant(
  parts: Parts,
  { params, caller }: ApiRequest<'deleteContentVariant'>,
): Promise<ApiResponse<'deleteContentVariant'>> {
  await commands.deleteVariant(parts, caller, params.guid, params.key);
}

/** Renders a variant again. */
async function renderContentVariant(
  parts: Parts,
  { params, caller }: ApiRequest<'renderContentVariant'>,
): Promise<ApiResponse<'renderContentVariant'>> {
  const { guid, key } = params;
  if (key === DEFAULT_KEY) return { task_id: await startRender(parts, caller, guid) };
  return { task_id: await commands.renderVariant(parts, caller, guid, key) };
}

/** Makes the rendering of another variant the current one of this variant. */
async function promoteContentVariant(
  parts: Parts,
  { params, body, caller, base }: ApiRequest<'promoteContentVariant'>,
): Promise<ApiResponse<'promoteContentVariant'>> {
  await promoteVariant(parts, caller, params.guid, params.key, body.source_key);
  return present(parts, caller, params.guid, params.key, base);
}

/** Accepts the held rendering of a variant. */
async function acceptHeldRendering(
  parts: Parts,
  { params, body, caller, base }: ApiRequest<'acceptHeldRendering'>,
): Promise<ApiResponse<'acceptHeldRendering'>> {
  await decideHeld(parts, caller, params.guid, params.key, { isAccepted: true, task: body.task_id });
  return present(parts, caller, params.guid, params.key, base);
}

/** Discards the held rendering of a variant. */
async function deleteHeldRendering(
  parts: Parts,
  { params, query, caller }: ApiRequest<'deleteHeldRendering'>,
): Promise<ApiResponse<'deleteHeldRendering'>> {
  await decideHeld(parts, caller, params.guid, params.key, { isAccepted: false, task: query.task_id });
}

/** Takes a screenshot of a variant. @throws ApiError 4, 19, 21, 39, 68 */
async function getContentVariantPicture(
  {
    storage,
    clock,
    takePicture,
  }: Pick<Parts, 'storage' | 'clock'> & {
    /** @throws ApiError 39 if this server takes no screenshots */
    readonly takePicture: (content: ContentRow, page: string) => Promise<Buffer>;
  },
  { params, caller }: ApiRequest<'getContentVariantPicture'>,
): Promise<ApiResponse<'getContentVariantPicture'>> {
  const { guid, key } = params;
  // A browser takes seconds of CPU: not available to every visitor.
  await loadContent(storage.db, guid, caller, 'openDraft');
  const { content, variant } = await readVariant({ storage, clock }, caller, guid, key);
  if (variant !== null && variant.site === null) throw errors.variantNotRendered();
  const page = variant === null ? '' : variantPath(key);
  const image = await takePicture(content, page).catch(noPicture(`this variant`));
  return { image: image.toString('base64') };
}

/** Lists the renderings of a variant. */
async function getContentVariantRenderings(
  parts: Pick<Parts, 'storage' | 'clock'>,
  { params, caller }: ApiRequest<'getContentVariantRenderings'>,
): Promise<ApiResponse<'getContentVariantRenderings'>> {
  const { rows, shown } = await readRenderings(parts, caller, params.guid, params.key);
  return rows.map((row) => presentVariantRendering(row, shown));
}
