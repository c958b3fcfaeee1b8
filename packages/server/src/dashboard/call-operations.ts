// Calls operations of the API in this process, as the person who opened a page.
import type { IncomingMessage } from 'node:http';
import type { OperationId } from '@pressroom/api/contract';
import type { BaseUrl } from '../http/base-url.ts';
import type { OperationTable } from '../http/mount.ts';
import { parseQueryString } from '../http/query-string.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import type { Call } from './page.ts';

interface PageVisit {
  readonly raw: IncomingMessage;
  readonly originalUrl: string;
}

export function callAs(
  table: OperationTable,
  base: BaseUrl,
  caller: Caller,
  { raw, originalUrl }: PageVisit,
): Call {
  const call = (id: OperationId, input: Parameters<Call>[1] = {}) =>
    table[id]({
      caller,
      params: input.params ?? {},
      query: parseQueryString(queryText(input.query ?? {})),
      readBody: () => JSON.stringify(input.body ?? {}),
      passOverBody: () => undefined,
      base: base.of(raw),
      url: originalUrl,
      visitor: base.visitor(raw),
      raw,
      setHeader: () => undefined,
      signal: new AbortController().signal,
      // Pages wait for nothing.
      again: () => Promise.resolve(caller),
    });
  return call as Call;
}

function queryText(query: Readonly<Record<string, string | number | boolean | readonly string[]>>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    Array.isArray(value) ? value.map((item) => [name, String(item)]) : [[name, String(value)]],
  );
  return new URLSearchParams(pairs as [string, string][]).toString();
}
