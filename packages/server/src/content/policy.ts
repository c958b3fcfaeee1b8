// The policy of content items: tables that an auditor can read (contract, sections 4.2, 4.3 and 5.6).
import { errors, type Content, type ErrorName } from '@pressroom/api/contract';
import { limitedKey } from '../people/limited-key.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import type { ContentRow, ContentScope, GrantedRole } from './store.ts';

export type ContentRole = Content['role'];

/**
 * The caller's role on a content item; null if they may not see it.
 * A collaborator who lost the publisher role keeps only the right to view.
 */
export function contentRole(
  content: ContentRow,
  caller: Pick<Caller, 'guid' | 'role'>,
  granted: GrantedRole,
): ContentRole | null {
  if (content.owner_guid === caller.guid) return 'owner';
  if (granted === 'owner' && caller.role !== 'viewer') return 'editor';
  if (granted !== null || content.access_type !== 'acl') return 'viewer';
  return caller.role === 'administrator' ? 'none' : null;
}

/** Limits queries to content where `contentRole` is not null, or at least `least`. */
export function contentScope(caller: Caller, least: ContentRole | null): ContentScope {
  const { guid, role } = caller;
  const view = least === null || least === 'none' || least === 'viewer';
  const edit = least === 'editor' && role !== 'viewer';
  return {
    caller: guid,
    granted: view ? ['owner', 'viewer'] : edit ? ['owner'] : [],
    open: view,
    everything: (least === null || least === 'none') && role === 'administrator',
  };
}

interface Rule {
  readonly roles: readonly ContentRole[];
  /** Administrators may, whatever their role on the content. */
  readonly administrator?: true;
  /** The server role must be publisher or administrator. */
  readonly publisher?: true;
  readonly refusal: ErrorName;
}

const COLLABORATORS = ['owner', 'editor'] as const;
const VIEWERS = ['owner', 'editor', 'viewer'] as const;

export const CONTENT_RULES = {
  getContent: { roles: VIEWERS, administrator: true, refusal: 'accessDenied' },
  updateContent: { roles: COLLABORATORS, administrator: true, publisher: true, refusal: 'changeDenied' },
  transferContent: { roles: ['owner'], administrator: true, publisher: true, refusal: 'changeDenied' },
  deleteContent: { roles: COLLABORATORS, administrator: true, publisher: true, refusal: 'removalDenied' },
  keepContent: { roles: COLLABORATORS, administrator: true, publisher: true, refusal: 'changeDenied' },
  deployContent: { roles: COLLABORATORS, administrator: true, publisher: true, refusal: 'operationDenied' },
  uploadBundle: { roles: COLLABORATORS, publisher: true, refusal: 'operationDenied' },
  renderContent: { roles: COLLABORATORS, administrator: true, publisher: true, refusal: 'operationDenied' },
  restartContent: { roles: COLLABORATORS, administrator: true, publisher: true, refusal: 'operationDenied' },
  readPackages: { roles: COLLABORATORS, administrator: true, refusal: 'accessDenied' },
  readJobs: { roles: COLLABORATORS, administrator: true, refusal: 'accessDenied' },
  approveRelease: { roles: COLLABORATORS, publisher: true, refusal: 'operationDenied' },
  overrideRelease: { roles: ['owner'], administrator: true, publisher: true, refusal: 'operationDenied' },
  manageApprovalRule: { roles: ['owner'], administrator: true, publisher: true, refusal: 'changeDenied' },
  openDraft: { roles: COLLABORATORS, refusal: 'accessDenied' },
  readSchedule: { roles: VIEWERS, administrator: true, refusal: 'accessDenied' },
  manageSchedule: { roles: COLLABORATORS, administrator: true, publisher: true, refusal: 'changeDenied' },
  manageVariants: { roles: COLLABORATORS, administrator: true, publisher: true, refusal: 'changeDenied' },
  getBundle: { roles: VIEWERS, refusal: 'accessDenied' },
  downloadBundle: { roles: COLLABORATORS, refusal: 'accessDenied' },
  deleteBundle: { roles: COLLABORATORS, publisher: true, refusal: 'removalDenied' },
  managePermissions: { roles: COLLABORATORS, administrator: true, publisher: true, refusal: 'changeDenied' },
  readPermissions: { roles: COLLABORATORS, administrator: true, refusal: 'accessDenied' },
  manageVanity: { roles: COLLABORATORS, administrator: true, publisher: true, refusal: 'changeDenied' },
  readVanity: { roles: VIEWERS, administrator: true, refusal: 'accessDenied' },
  manageTags: { roles: COLLABORATORS, administrator: true, publisher: true, refusal: 'changeDenied' },
  manageEnvironment: { roles: COLLABORATORS, publisher: true, refusal: 'changeDenied' },
  readEnvironment: { roles: COLLABORATORS, administrator: true, refusal: 'accessDenied' },
} as const satisfies Record<string, Rule>;
export type ContentAction = keyof typeof CONTENT_RULES;

export function mayAct(
  action: ContentAction,
  role: ContentRole | null,
  caller: Pick<Caller, 'role'>,
): boolean {
  const rule: Rule = CONTENT_RULES[action];
  if (rule.publisher && caller.role === 'viewer') return false;
  if (rule.administrator && caller.role === 'administrator') return true;
  return role !== null && rule.roles.includes(role);
}

/** Locked content is shown to its collaborators only, whichever way it is requested. */
export function isShownTo({ locked }: Pick<ContentRow, 'locked'>, role: ContentRole | null): boolean {
  return locked === 0 || role === 'owner' || role === 'editor';
}

/** @throws ApiError 19 for locked content that is not shown to this role. */
export function requireShown(content: ContentRow, role: ContentRole | null): void {
  if (isShownTo(content, role)) return;
  throw errors.accessDenied({ message: content.locked_message || 'this content is locked' });
}

/** @throws ApiError the refusal of the rule, or 19 if the caller may not see the content. */
export function requireContentRight(action: ContentAction, role: ContentRole | null, caller: Caller): void {
  if (mayAct(action, role, caller)) return;
  if (role === null) throw errors.accessDenied();
  const { refusal, publisher }: Rule = CONTENT_RULES[action];
  throw errors[refusal](publisher ? limitedKey(caller, 'publisher') : {});
}
