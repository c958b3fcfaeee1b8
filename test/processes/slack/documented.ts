// Slack's documented errors of all methods that a deploy uses.

/** Errors of any method (api.slack.com/methods). */
export const COMMON =
  `access_denied account_inactive ekm_access_denied enterprise_is_restricted invalid_auth is_bot
method_deprecated missing_scope no_permission not_allowed_token_type not_authed org_login_required token_expired
token_revoked two_factor_setup_required accesslimited fatal_error internal_error invalid_arg_name invalid_arguments
invalid_array_arg invalid_charset invalid_form_data invalid_post_type missing_post_type ratelimited request_timeout
service_unavailable team_added_to_org`.split(/\s+/);
/** Of the errors of any method, one of each kind that the bot handles differently. */
const OF_EACH_KIND = ['internal_error', 'missing_scope', 'ratelimited', 'token_revoked'];

export const OF_METHOD: Readonly<Record<string, string>> = {
  'chat.postMessage': `as_user_not_supported channel_not_found duplicate_channel_not_found duplicate_message_not_found
ekm_access_denied invalid_blocks invalid_blocks_format invalid_metadata_format invalid_metadata_schema is_archived
markdown_text_conflict message_limit_exceeded messages_tab_disabled metadata_must_be_sent_from_app
metadata_too_large msg_blocks_too_long msg_too_long no_text not_in_channel rate_limited restricted_action
restricted_action_non_threadable_channel restricted_action_read_only_channel restricted_action_thread_locked
restricted_action_thread_only_channel slack_connect_canvas_sharing_blocked slack_connect_file_link_sharing_blocked
team_access_not_granted too_many_attachments too_many_contact_cards cannot_reply_to_message`,
  'chat.update': `as_user_not_supported block_mismatch cant_broadcast_message cant_update_message channel_not_found
edit_window_closed external_channel_migrating file_share_limit_reached invalid_attachments invalid_blocks
invalid_metadata_format is_inactive markdown_text_conflict message_not_found msg_blocks_too_long msg_too_long no_text
not_in_channel rate_limited slack_connect_file_link_sharing_blocked streaming_state_conflict too_many_attachments
update_failed`,
  'files.getUploadURLExternal':
    'file_upload_size_restricted missing_argument unknown_snippet_type unknown_subtype',
  'files.completeUploadExternal': `channel_not_found file_not_found file_update_failed invalid_channel posting_to_channel_denied
post_message_failed`,
  // Checks for a file whose upload got no response.
  'conversations.replies': 'channel_not_found thread_not_found invalid_cursor not_in_channel',
};
export const CASES = Object.entries(OF_METHOD).flatMap(([method, own]) =>
  [...new Set([...COMMON, ...own.split(/\s+/), 'html', 'an_error_of_tomorrow'])].map((word) => ({
    method,
    word,
  })),
);
/** Slack reports that there is nothing to post to, or to edit: retries are pointless. */
export const OVER = {
  'chat.postMessage': ['channel_not_found', 'is_archived', 'not_in_channel'],
  'chat.update': [
    'cant_update_message',
    'channel_not_found',
    'edit_window_closed',
    'is_inactive',
    'message_not_found',
    'not_in_channel',
  ],
} as Readonly<Record<string, readonly string[]>>;
/** Errors of the method itself, and one of each kind of the others. */
export const isOwn = (word: string) => !COMMON.includes(word) || OF_EACH_KIND.includes(word);
