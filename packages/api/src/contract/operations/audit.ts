// Audit logs (contract, 4.1).
import { endpoint } from '../endpoint.ts';
import {
  Closed,
  DateTime,
  Defaulted,
  KeysetPageOf,
  Limit,
  Nullable,
  Type,
  type Static,
  Uuid,
} from '../schema.ts';

export const AuditEntry = Closed({
  id: Type.String(),
  time: DateTime,
  user_id: Type.String(),
  user_description: Type.String(),
  action: Type.String(),
  event_description: Type.String(),
});
export type AuditEntry = Static<typeof AuditEntry>;

/** An entry with its subjects as fields, so that nobody has to parse the description. */
export const AuditEvent = Closed({
  id: Type.String(),
  time: DateTime,
  user_guid: Nullable(Type.String({ description: 'Who acted; null for the server itself' })),
  user_description: Type.String(),
  slack_user: Nullable(Type.String({ description: 'Id of the Slack user who asked the bot for it' })),
  action: Type.String(),
  description: Type.String(),
  content_guid: Nullable(Type.String()),
  bundle_id: Nullable(Type.String()),
  task_id: Nullable(Type.String()),
});
export type AuditEvent = Static<typeof AuditEvent>;

const keyset = {
  limit: Limit,
  previous: Type.Optional(Type.String()),
  next: Type.Optional(Type.String()),
  last: Type.Optional(Type.Boolean({ description: 'The last page; set by `paging.last`' })),
  ascOrder: Defaulted(Type.Boolean(), true),
};

export const getAuditLogs = endpoint({
  operationId: 'getAuditLogs',
  group: 'audit',
  summary: 'Read the audit log, page by page',
  method: 'GET',
  path: '/v1/audit_logs',
  query: Type.Object(keyset),
  status: 200,
  response: KeysetPageOf(AuditEntry),
  errors: [400, 401, 403, 404],
  access: 'administrator',
  paging: 'keyset',
  origin: 'contract',
});

export const getAuditEvents = endpoint({
  operationId: 'getAuditEvents',
  group: 'audit',
  summary: 'Read the audit log with the content, bundle and task of each entry as fields, page by page',
  method: 'GET',
  path: '/v1/audit_events',
  query: Type.Object({
    ...keyset,
    action: Type.Optional(Type.String({ description: 'Only this action, such as `deploy_application`' })),
    content_guid: Type.Optional(Uuid),
    user_guid: Type.Optional(Uuid),
  }),
  status: 200,
  response: KeysetPageOf(AuditEvent),
  errors: [400, 401, 403],
  access: 'administrator',
  paging: 'keyset',
  origin: 'addition',
});
