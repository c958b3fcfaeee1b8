// Detects transactions that change nothing cached, so that caches stay valid.
import type pg from 'pg';

/** Tables that no cache (kept-records.ts, hot-pages.ts) is built from. */
const KEPT_FROM_NONE = ['audit_head', 'audit_log', 'server_life', 'task', 'task_output', 'visit'];
const UNNOTICED = new RegExp(`^\\s*(?:insert into|update|delete from) "?(?:${KEPT_FROM_NONE.join('|')})\\b`);
const READS = /^select\b/;
/** The number of the transaction in snapshots. */
const NUMBER = {
  name: 'transaction',
  text: 'select pg_current_xact_id()::text',
  rowMode: 'array',
} as const;

/** Tracks the writes of one transaction. */
export interface Writes {
  /** To be called before each statement. */
  next(client: pg.PoolClient, text: string): void;
  /** Its number if it changed nothing cached; null otherwise. */
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
      // Arrives before the statement's own result; its failure is the transaction's.
      void client.query<[string]>(NUMBER).then(
        ({ rows }) => (number = rows[0]?.[0] ?? null),
        () => undefined,
      );
    },
    unnoticed: () => (isNoticed ? null : number),
  };
}
