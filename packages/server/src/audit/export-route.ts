// Exports the audit log as a file for administrators, by API key or from the dashboard.
import { Readable } from 'node:stream';
import { errors } from '@pressroom/api/contract';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { BaseUrl } from '../http/base-url.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { Caller, Authenticator } from '../sign-in/authenticator.ts';
import { exportAudit, EXPORT_FORMATS, type ExportFormat } from './export.ts';
import type { SecurityEvents } from './security-events.ts';
import type { AuditSelection } from './store.ts';

interface Parts {
  readonly storage: Storage;
  readonly authenticator: Authenticator;
  readonly events: SecurityEvents;
}

const PATH = '/__api__/v1/audit_logs/export';

/** By API key only: the dashboard has a path of its own, which scripts of content cannot request. */
export function mountAuditExport(app: FastifyInstance, parts: Parts, base: BaseUrl): void {
  app.get(PATH, async (request, reply) => {
    const { authorization } = request.headers;
    const headers = authorization === undefined ? {} : { authorization };
    const query = new URL(request.originalUrl, 'http://localhost').searchParams;
    const visitor = base.visitor(request.raw);
    const identify = () => parts.authenticator.identify(headers, 'GET', visitor);
    return sendAuditExport(parts, { identify, visitor }, query, reply);
  });
}

interface Reader {
  /** Called again for each page: a slow reader may lose the right meanwhile. */
  readonly identify: () => Promise<Caller | null>;
  /** Address. */
  readonly visitor: string;
}

/**
 * @throws ApiError 22, 24, 25
 */
export async function sendAuditExport(
  { storage, events }: Pick<Parts, 'storage' | 'events'>,
  { identify, visitor }: Reader,
  query: URLSearchParams,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const caller = await identify();
  if (caller && !isAuditor(caller)) {
    const description = `Refused the export of the audit log (code 22), asked from ${visitor}`;
    await events.record({ actor: caller, action: 'refuse', description, each: 1 });
  }
  requireAuditor(caller);
  const format = formatOf(query.get('format') ?? 'jsonl');
  const selection: AuditSelection = {
    from: timeOf(query, 'from'),
    to: endOf(timeOf(query, 'to')),
    action: textOf(query, 'action'),
    // As stored: GUIDs ignore case.
    actor: textOf(query, 'user_id')?.toLowerCase() ?? null,
    content: textOf(query, 'content_guid')?.toLowerCase() ?? null,
  };
  return reply
    .type(EXPORT_FORMATS[format].type)
    .header('Content-Disposition', `attachment; filename="audit-log.${format}"`)
    .send(Readable.from(whileAllowed(exportAudit(storage.db, format, selection), identify)));
}

/** @throws ApiError 22, 24 */
function requireAuditor(caller: Caller | null): void {
  if (!caller) throw errors.authenticationRequired();
  if (!isAuditor(caller)) throw errors.operationDenied();
}

function isAuditor({ role, content_guid }: Caller): boolean {
  return role === 'administrator' && content_guid === null;
}

async function* whileAllowed(
  pages: AsyncIterable<string>,
  identify: () => Promise<Caller | null>,
): AsyncGenerator<string> {
  for await (const page of pages) {
    requireAuditor(await identify());
    yield page;
  }
}

function formatOf(value: string): ExportFormat {
  if (value === 'jsonl' || value === 'csv') return value;
  throw errors.invalidParameter({ message: 'format must be jsonl or csv' });
}

/** Microseconds. */
function timeOf(query: URLSearchParams, name: string): number | null {
  const text = textOf(query, name);
  if (text === null) return null;
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(time))
    throw errors.invalidParameter({ message: `${name} must be a time such as 2026-11-21T10:00:00Z` });
  return time * 1000;
}

/** Times have milliseconds: the last one is included up to its end. */
function endOf(time: number | null): number | null {
  return time === null ? null : time + 999;
}

function textOf(query: URLSearchParams, name: string): string | null {
  const value = query.get(name);
  if (value === null || value === '') return null;
  if (value.length > 255 || value.includes('\0'))
    throw errors.invalidParameter({
      message: `${name} must be at most 255 characters, without a null character`,
    });
  return value;
}
