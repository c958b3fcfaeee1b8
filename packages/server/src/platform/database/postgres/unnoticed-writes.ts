// Transactions that change nothing which anybody keeps: once they are over, what a server keeps counts all the same.
import type pg from 'pg';

/** What is kept between requests (kept-records.ts, hot-pages.ts) is read from none of these. */
const KEPT_FROM_NONE = ['audit_head', 'audit_log', 'server_life', 'task', 'task_output', 'visit'];
const UNNOTICED = new RegExp(`^\\s*(?:insert into|update|delete from) "?(?:${KEPT_FROM_NONE.join('|')})\\b`);
const READS = /^select\b/;
/** The number by which snapshots name a transaction. */
const NUMBER = {
  name: 'transaction',
  text: 'select pg_current_xact_id()::text',
  rowMode: 'array',
} as const;

/** What one transaction writes. */
export interface Writes {
  /** To be called before each of its statements is sent. */
  next(client: pg.PoolClient, text: string): void;
  /** The number of a transaction that nobody need notice; null for any other. */
  unnoticed(): string | null;
}

export function followWrites(): Writes {
  let isNoticed = false;
  let isAsked = false;
  let number: string | null = null;

  return {
    next(client, text) {
      if (READS.test(text)) return;
      isNoticed ||= !UNNOTICED.test(text);
      if (isNoticed || isAsked) return;
      isAsked = true;
      // Answered before the statement is. Where it fails, so does the transaction.
      void client.query<[string]>(NUMBER).then(
        ({ rows }) => (number = rows[0]?.[0] ?? null),
        () => undefined,
      );
    },
    unnoticed: () => (isNoticed ? null : number),
  };
}
