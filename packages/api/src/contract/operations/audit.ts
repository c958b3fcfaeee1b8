// Audit logs (contract, 4.1).
import { endpoint } from '../endpoint.ts';
import { Closed, DateTime, Defaulted, KeysetPageOf, Limit, Type, type Static } from '../schema.ts';

export const AuditEntry = Closed({
  id: Type.String(),
  time: DateTime,
  user_id: Type.String(),
  user_description: Type.String(),
  action: Type.String(),
  event_description: Type.String(),
});
export type AuditEntry = Static<typeof AuditEntry>;

export const getAuditLogs = endpoint({
  operationId: 'getAuditLogs',
  group: 'audit',
  summary: 'Read the audit log, page by page',
  method: 'GET',
  path: '/v1/audit_logs',
  query: Type.Object({
    limit: Limit,
    previous: Type.Optional(Type.String()),
    next: Type.Optional(Type.String()),
    last: Type.Optional(Type.Boolean({ description: 'The last page; set by `paging.last`' })),
    ascOrder: Defaulted(Type.Boolean(), true),
  }),
  status: 200,
  answer: KeysetPageOf(AuditEntry),
  errors: [400, 401, 403, 404],
  access: 'administrator',
  paging: 'keyset',
  origin: 'contract',
});
