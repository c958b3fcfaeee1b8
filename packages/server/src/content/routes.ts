// Content items (contract, 4.3).
import { bothForms, sameInBothForms } from '../http/both-forms.ts';
import type { ApiResponse, ApiRequest } from '../http/request.ts';
import type { Mailer } from '../platform/mailer.ts';
import { contentBaseOf } from './address.ts';
import {
  createContent as createContentCommand,
  deleteContent as deleteContentCommand,
  loadContent,
  updateContent as updateContentCommand,
  type Parts as CommandParts,
} from './commands.ts';
import { included, type Included } from './included.ts';
import { presentContent, presentContentGa, type ContentView } from './present.ts';
import type { ContentRow } from './store.ts';
import { transferContent as transferContentCommand } from './transfer.ts';
import { viewOf } from './view.ts';
import { presentVisible } from './visible.ts';

interface Parts extends CommandParts {
  readonly mailer: Mailer | null;
}

/** A content item in both forms. */
interface Shown {
  readonly content: ContentRow;
  readonly view: ContentView;
  /** Additions in the GA form. */
  readonly more?: Included;
}

const SHOWN = {
  experimental: ({ content, view }: Shown) => presentContent(content, view),
  stable: ({ content, view, more }: Shown) => ({ ...presentContentGa(content, view), ...more }),
};

export const contentRoutes = {
  ...bothForms('createContent', createContent, SHOWN),
  ...sameInBothForms('deleteContent', deleteContent),
  ...bothForms('getContent', getContent, SHOWN),
  ...bothForms('updateContent', updateContent, SHOWN),
  listContentGa,
  transferContent,
};

async function createContent(
  parts: Pick<Parts, 'config' | 'storage' | 'clock' | 'ids' | 'audit'>,
  { body, caller, base }: ApiRequest<'createContent'> | ApiRequest<'createContentGa'>,
): Promise<Shown> {
  const { content, role } = await createContentCommand(parts, caller, body);
  return { content, view: { role, base, contentBase: contentBaseOf(parts.config, base) } };
}

/** Deletes a content item and its files. */
function deleteContent(
  parts: Omit<Parts, 'ids'>,
  { params, caller }: ApiRequest<'deleteContent'> | ApiRequest<'deleteContentGa'>,
): Promise<void> {
  return deleteContentCommand(parts, caller, params.guid);
}

async function getContent(
  parts: Pick<Parts, 'config' | 'storage'>,
  { params, query, caller, base }: ApiRequest<'getContent'> | ApiRequest<'getContentGa'>,
): Promise<Shown> {
  const found = await loadContent(parts.storage.db, params.guid, caller, 'getContent');
  const { content } = found;
  const include = 'include' in query ? query.include : undefined;
  const contentBase = contentBaseOf(parts.config, base);
  const more = await included(parts, { include, caller, contentBase }, [content]);
  return { content, view: await viewOf(parts, found, base), more: more(content) };
}

/** Lists the content items that the caller may see. */
async function listContentGa(
  parts: Pick<Parts, 'config' | 'storage'>,
  { query, caller, again, base }: ApiRequest<'listContentGa'>,
): Promise<ApiResponse<'listContentGa'>> {
  const { name, owner_guid, include } = query;
  return presentVisible(parts, { caller, again, base, include }, { name, owner_guid });
}

function transferContent(
  parts: Pick<Parts, 'storage' | 'audit' | 'log' | 'mailer' | 'authenticator' | 'contentChanged'>,
  { params, body, caller }: ApiRequest<'transferContent'>,
): Promise<void> {
  const { keep = null } = body;
  return transferContentCommand(parts, caller, params.guid, {
    owner_guid: body.owner_guid.toLowerCase(),
    keep,
  });
}

async function updateContent(
  parts: Pick<Parts, 'config' | 'storage' | 'audit' | 'authenticator' | 'contentChanged'>,
  { params, body, caller, base }: ApiRequest<'updateContent'> | ApiRequest<'updateContentGa'>,
): Promise<Shown> {
  const found = await updateContentCommand(parts, caller, params.guid, body);
  return { content: found.content, view: await viewOf(parts, found, base) };
}
