// The frame of all pages of a content item: title, tabs, and who may see which.
import { appModeLabel, engineOf, type BundleGa, type ContentGa } from '@pressroom/api/contract';
import { mayAct, type ContentAction } from '../../content/policy.ts';
import { html, type Html } from '../html.ts';
import type { Page, PageRequest } from '../page.ts';

const TABS = [
  ['', 'Overview', 'anyone'],
  ['bundles', 'Bundles', 'anyone'],
  ['logs', 'Logs', 'collaborator'],
  ['variants', 'Variants', 'document'],
  ['usage', 'Usage', 'collaborator'],
  ['access', 'Access', 'collaborator'],
  ['settings', 'Settings', 'collaborator'],
] as const;

/** Labels of `access_type`. */
export const ACCESS = {
  all: 'anyone',
  logged_in: 'all signed-in users',
  acl: 'selected users and groups',
} as const;

export type Tab = (typeof TABS)[number][0];

export async function loadItem({ call, params }: PageRequest): Promise<ContentGa> {
  return call('getContentGa', { params: { guid: params.guid } });
}

/**
 * Null for administrators who may not view the content: asking for them would be recorded as a refusal.
 */
export async function bundlesOf(
  { call }: PageRequest,
  { guid, app_role }: ContentGa,
): Promise<readonly BundleGa[] | null> {
  return app_role === 'none' ? null : call('getBundlesGa', { params: { guid } });
}

/** Empty before the first deploy. */
export function typeOf({ app_mode }: ContentGa): string {
  return app_mode === 'unknown' ? '' : appModeLabel(app_mode);
}

export function isCollaborator({ caller }: PageRequest, item: ContentGa): boolean {
  return item.app_role === 'owner' || item.app_role === 'editor' || caller.role === 'administrator';
}

/** For administrators, who manage content without working on it. */
export const FOR_COLLABORATORS = html`<p class="quiet">The owner and collaborators change this.</p>`;

/** Whether the caller may do it: a form that is always refused is not shown. */
export function isAllowed({ caller }: PageRequest, item: ContentGa, action: ContentAction): boolean {
  return mayAct(action, item.app_role, caller);
}

/** The address to open content: with the bar for collaborators; others are redirected to the content itself. */
export function openAddress(request: PageRequest, item: ContentGa): string {
  if (!isCollaborator(request, item)) return item.content_url;
  return `${item.content_url}__view__?${new URLSearchParams({ from: new URL(request.base).hostname }).toString()}`;
}

/** @param what window title of the page; absent: the label of its tab */
export function contentPage(
  request: PageRequest,
  item: ContentGa,
  tab: Tab,
  body: Html,
  what = TABS.find(([key]) => key === tab)?.[1] ?? '',
): Page {
  const base = `${request.root}/content/${item.guid}`;
  const isDocument = engineOf(item.app_mode) === 'document';
  const isShown = (who: (typeof TABS)[number][2]) =>
    who === 'anyone' || (who === 'document' ? isDocument : isCollaborator(request, item));
  const tabs = TABS.filter(([, , who]) => isShown(who)).map(
    ([key, label]) =>
      html`<li>
        <a href="${base}${key === '' ? '' : `/${key}`}" ${key === tab && html`aria-current="page"`}
          >${label}</a
        >
      </li>`,
  );
  const title = item.title ?? item.name;
  return {
    title,
    windowTitle: `${what} · ${title}`,
    section: 'content',
    body: html`<nav aria-label="${title}">
        <ul class="tabs">
          ${tabs}
        </ul>
      </nav>
      ${body}`,
  };
}
