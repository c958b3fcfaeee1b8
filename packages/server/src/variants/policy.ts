// Who may see and change variants, in addition to the policy of their content.
import { errors } from '@pressroom/api/contract';
import { mayAct, requireContentRight, requireShown, type ContentRole } from '../content/policy.ts';
import type { ContentRow } from '../content/store.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import type { VariantRow } from './store.ts';

type Who = Pick<Caller, 'guid' | 'role'>;
type Seen = Pick<VariantRow, 'visibility' | 'user_guid'>;

/** For content that the caller may see: public and own variants; all of them for collaborators. */
export function seesVariant({ visibility, user_guid }: Seen, role: ContentRole | null, caller: Who): boolean {
  return visibility === 'public' || user_guid === caller.guid || mayAct('readJobs', role, caller);
}

/** Own values are for collaborators, and for visitors if the content allows it. @throws ApiError 19, 22 */
export function requireOwnValues(content: ContentRow, role: ContentRole, caller: Caller): void {
  if (mayAct('manageVariants', role, caller)) return;
  requireShown(content, role);
  if (content.visitors_may_render === 1 && role !== 'none') return;
  throw errors.operationDenied({
    message: 'the owner of this content does not let visitors render it with values of their own',
  });
}

/** The creator of an unnamed one may change it, too. @throws ApiError 19, 21 */
export function requireChange(variant: VariantRow, role: ContentRole, caller: Caller): void {
  if (variant.name === null && variant.user_guid === caller.guid) return;
  requireContentRight('manageVariants', role, caller);
}
