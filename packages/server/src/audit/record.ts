// Audit entries of actions, in the terms of this family of servers (interop.md).
import type { Clock } from '../platform/clock.ts';
import type { Executor } from '../platform/database/storage.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import { createAuditChain } from './chain.ts';
import { appendAudit, claimAuditHead, writeAuditHead } from './store.ts';

export type AuditAction =
  | 'add_user'
  | 'edit_user'
  | 'update_lock_user'
  | 'add_application'
  | 'upload_bundle'
  | 'deploy_application'
  | 'deploy_draft'
  | 'remove_draft'
  | 'hold_rendering'
  | 'accept_rendering'
  | 'discard_rendering'
  | 'edit_approval_rule'
  | 'remove_approval_rule'
  | 'ask_release'
  | 'void_release'
  | 'approve_release'
  | 'override_release'
  | 'release_stuck'
  | 'edit_canary_rule'
  | 'remove_canary_rule'
  | 'start_canary'
  | 'finish_canary'
  | 'end_canary'
  | 'render_application'
  | 'cancel_task'
  | 'edit_application'
  | 'remove_application'
  | 'keep_application'
  | 'add_group'
  | 'remove_group'
  | 'add_group_member'
  | 'remove_group_member'
  | 'assign_user_app_role'
  | 'remove_user_app_role'
  | 'assign_group_app_role'
  | 'remove_group_app_role'
  | 'add_api_key'
  | 'remove_api_key'
  | 'use_api_key'
  | 'sign_in'
  | 'sign_in_failed'
  | 'sign_out'
  | 'end_session'
  | 'refuse'
  | 'change_password'
  | 'reset_password'
  | 'add_password_link'
  | 'add_second_factor'
  | 'remove_second_factor'
  | 'allow_device'
  | 'deny_device'
  | 'add_tag'
  | 'edit_tag'
  | 'remove_tag'
  | 'add_vanity'
  | 'lock_deploys'
  | 'unlock_deploys'
  | 'update_vanity'
  | 'remove_vanity'
  | 'remove_bundle'
  | 'download_bundle'
  | 'ask_access'
  | 'grant_access'
  | 'decline_access'
  | 'ask_role'
  | 'decline_role'
  | 'connect_repository'
  | 'edit_repository'
  | 'disconnect_repository'
  | 'renew_repository_secret'
  | 'add_trusted_publisher'
  | 'remove_trusted_publisher'
  | 'remove_audit_entries'
  | 'clear_cache'
  | 'close_server'
  | 'open_server'
  | 'download_backup';

export interface Actor {
  readonly guid: string;
  readonly username: string;
  readonly full_name: string;
  readonly slackUser?: string;
  /** The CI run that acts with this user's rights. */
  readonly pipeline?: { readonly name: string };
  /** GUID of the content item that acts with this user's rights. */
  readonly visits?: string;
}

/** The server itself, for actions that nobody requested. */
export const SYSTEM: Actor = { guid: '0', username: 'system', full_name: 'Pressroom' };

/** The subject of an action, if it is one of these. */
export interface AuditSubject {
  /** GUID. */
  readonly content?: string | null;
  readonly bundle?: number | null;
  readonly task?: string;
}

export type Audit = (
  db: Executor,
  actor: Actor,
  action: AuditAction,
  description: string,
  about?: AuditSubject,
) => Promise<void>;

/**
 * Entries are written in the transaction of the action they report, so that both are kept or neither. Other writers
 * wait from an entry to the commit, so that each entry links to the one before.
 */
export function createAudit(clock: Clock, secrets: Secrets): Audit {
  const chain = createAuditChain(secrets);
  return async (db, actor, action, description, about = {}) => {
    const { seq, mac: previous } = await claimAuditHead(db);
    const entry = {
      time: clock.now(),
      user_id: actor.guid,
      user_description: `${actor.full_name || actor.username} (${actor.username})`,
      action,
      event_description: `${description}${throughOf(actor)}`,
      content_guid: about.content ?? null,
      bundle_id: about.bundle ?? null,
      task_id: about.task ?? null,
      slack_user: actor.slackUser ?? null,
      seq,
    };
    const mac = chain.macOf(entry, previous);
    await appendAudit(db, { ...entry, mac });
    await writeAuditHead(db, { name: 'audit', seq, mac, seal: chain.sealOf(seq, mac) });
  };
}

/** How the actor made the request, unless by browser or with an own program. */
function throughOf({ slackUser, pipeline, visits }: Actor): string {
  if (visits !== undefined) return `, by content ${visits} that they visited`;
  if (pipeline !== undefined) return `, by pipeline ${pipeline.name}`;
  return slackUser === undefined ? '' : `, by Slack user ${slackUser}`;
}
