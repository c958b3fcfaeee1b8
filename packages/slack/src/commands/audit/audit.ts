// `audit`: the server's audit log, for whom the server lets read it.
import type { AuditEntry } from '@pressroom/api';
import { parseDuration } from '../line/parse.ts';
import { auditMessage } from '../subscribe/blocks.ts';
import { auditSince } from '../shared/audit-log.ts';
import type { Runner } from '../shared/find-content.ts';

const SHOWN = 90;

export const audit: Runner = async ({ command, client, services, signal, share }) => {
  const last = String(command.options['last']);
  const who = command.options['user'];
  const user = typeof who === 'string' ? who : null;
  const wanted = user?.toLowerCase() ?? '';
  const entries: AuditEntry[] = [];
  for await (const entry of auditSince(client, services.now() - parseDuration(last)! * 1000, signal)) {
    if (!entry.user_description.toLowerCase().includes(wanted)) continue;
    entries.push(entry);
    if (entries.length >= SHOWN) break;
  }
  return auditMessage(last, user, entries, share);
};
